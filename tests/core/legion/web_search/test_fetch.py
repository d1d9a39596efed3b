"""Services that misbehave: slow, large, elsewhere, gone."""

import asyncio
import gzip
import ssl
from time import perf_counter

from aiohttp import web
import pytest
from yarl import URL

from custom_components.caesar.legion.tools.web_search.brave import Brave
from custom_components.caesar.legion.tools.web_search.fetch import Fetcher
from custom_components.caesar.legion.tools.web_search.searxng import Searxng
from custom_components.caesar.legion.tools.web_search.tavily import Tavily
from custom_components.caesar.legion.worker import TaskError
from house.seed import free_port

from .searching import Misbehaving, answering, over, searched

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_slow_to_answer_and_dripping() -> None:
    """The time is for the whole of it."""

    async def behave(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(100):
            await response.write(b" ")
            await asyncio.sleep(0.1)
        return response

    async with Misbehaving(behave) as service:
        worker = over(Searxng(service.url))
        started = perf_counter()
        with pytest.raises(TaskError, match="did not answer within 1 second") as late:
            await searched(worker, timeout_s=1)
        assert perf_counter() - started < 2
        assert (late.value.code, late.value.retryable) == ("timeout", True)
        german = "SearXNG hat nicht innerhalb von 1 Sekunde geantwortet."
        assert late.value.text("de") == german
        await worker.stop()


@pytest.mark.parametrize("packed", [False, True])
async def test_too_large(packed: bool) -> None:
    """Counted as it is unpacked: 200 MB in 200 kB are not read to their end."""
    body = b" " * (200_000_000 if packed else 1_048_577)
    headers = {"Content-Encoding": "gzip"} if packed else None
    async with answering(
        gzip.compress(body, 1) if packed else body, headers=headers
    ) as service:
        worker = over(Searxng(service.url))
        started = perf_counter()
        with pytest.raises(TaskError, match="more than 1 MiB"):
            await searched(worker)
        assert perf_counter() - started < 2
        await worker.stop()


@pytest.mark.parametrize("body", [b"abc", gzip.compress(b"")])
async def test_gzip_that_is_none(body: bytes) -> None:
    """It is an answer that cannot be read, and so is nothing, packed."""
    async with answering(body, headers={"Content-Encoding": "gzip"}) as service:
        worker = over(Searxng(service.url))
        with pytest.raises(TaskError, match="cannot be read"):
            await searched(worker)
        await worker.stop()


async def test_nobody_there() -> None:
    """The place is named, the password isn't."""
    port = free_port()
    worker = over(Searxng(f"http://owner:hidden-word@127.0.0.1:{port}"))
    with pytest.raises(
        TaskError, match=f"cannot be reached at 127.0.0.1:{port}"
    ) as gone:
        await searched(worker)
    assert "hidden-word" not in gone.value.message
    assert gone.value.retryable
    await worker.stop()


async def test_cut_off() -> None:
    """A connection that ends at once."""

    async def behave(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async with Misbehaving(behave) as service:
        worker = over(Searxng(service.url))
        with pytest.raises(TaskError, match="cannot be reached"):
            await searched(worker)
        await worker.stop()


async def test_a_certificate_that_nobody_trusts(
    unknown_certificate: ssl.SSLContext,
) -> None:
    """It is told apart from nobody being there."""

    async def handle(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=unknown_certificate)
    async with server:
        port = server.sockets[0].getsockname()[1]
        worker = over(Searxng(f"https://127.0.0.1:{port}"))
        with pytest.raises(TaskError, match="a certificate that is not trusted"):
            await searched(worker)
        await worker.stop()


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("http://elsewhere.example/search", "sends us to elsewhere.example"),
        ("http://127.0.0.2/search", "sends us to 127.0.0.2"),
        ("http://127.0.0.1:1/search", "sends us to 127.0.0.1"),
        ("ftp://127.0.0.1/search", "sends us to 127.0.0.1"),
        ("http://[", "sends us to another address"),
        ("", "sends us to another address"),
        ("/search", "from one address to the next"),
    ],
)
async def test_redirects_are_not_followed_to_others(location: str, said: str) -> None:
    """Nor round in a circle; the key goes nowhere else."""
    headers = {"Location": location}
    async with answering(status=302, headers=headers) as service:
        worker = over(Searxng(service.url))
        with pytest.raises(TaskError, match=said) as refused:
            await searched(worker)
        assert refused.value.code == "redirect"
        await worker.stop()
        worker = over(Tavily("tvly-x", service.url))
        with pytest.raises(TaskError, match="sends us to"):
            await searched(worker)
        await worker.stop()


async def test_a_redirect_on_the_same_host_is_followed() -> None:
    """As from /search to /searxng/search, with user and key."""

    async def behave(request: web.Request) -> web.StreamResponse:
        if request.path == "/here/search":
            return web.json_response({"results": [], "web": {"results": []}})
        raise web.HTTPPermanentRedirect(f"/here/search?{request.query_string}")

    async with Misbehaving(behave) as service:
        worker = over(Searxng(service.url.replace("//", "//owner:word@")))
        assert (await searched(worker))["results"] == []
        await worker.stop()
        worker = over(Brave("BSAkey", f"{service.url}/web"))
        assert (await searched(worker))["results"] == []
        await worker.stop()
    assert service.received[1].headers["authorization"].startswith("Basic ")
    assert service.received[1].query["q"] == "heat pump"
    assert service.received[3].headers["x-subscription-token"] == "BSAkey"


async def test_no_cookie_ties_searches_together() -> None:
    """Whatever the service sets."""
    async with answering(
        '{"results": []}', headers={"Set-Cookie": "who=you; Path=/"}
    ) as service:
        worker = over(Searxng(service.url))
        for _ in range(2):
            await searched(worker)
        await worker.stop()
    assert all("cookie" not in request.headers for request in service.received)


async def test_it_can_be_used_again_after_it_was_closed() -> None:
    """Closing twice does no harm either."""
    async with answering("{}") as service:
        fetcher = Fetcher("It")
        for _ in range(2):
            answer = await fetcher.get(
                URL(service.url), timeout_s=5, query={}, headers={}
            )
            assert answer.data == {}
            await fetcher.close()
        await fetcher.close()
