"""Strangers at a worker's door: one bare answer for all, and no way to wear it out."""

from collections.abc import Callable
import time
from unittest import mock

from multidict import CIMultiDict
import pytest

from custom_components.caesar.legion import rfc9421, server as server_module
from custom_components.caesar.legion.errors import LegionCode, LegionError
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.replay import ReplayCache
from custom_components.caesar.legion.signatures import sign_request
from custom_components.caesar.legion.signed import EPOCH_HEADER, Request
from custom_components.caesar.legion.wire import goodbye_to_bytes

from .strangers import ECHO_PATH, authentic, changed, dispatch, refused, signed
from .workers import Echo, bench

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_a_good_request() -> None:
    """Without a lie it is carried out, and the answer is signed."""
    async with bench() as house:
        body = dispatch(house)
        data = await authentic(house, await signed(house, body), body, 200)
        assert data["result"] == {"text": "hello"}


TAMPERED: dict[str, Callable[[Request], Request]] = {
    "unsigned": lambda r: changed(r, Signature=None, Signature_Input=None),
    "no signature": lambda r: changed(r, Signature=None),
    "no digest": lambda r: changed(r, Content_Digest=None),
    "another epoch": lambda r: changed(r, Caesar_Epoch="e" * 24),
    "no epoch": lambda r: changed(r, Caesar_Epoch=None),
    "another type": lambda r: changed(r, Content_Type="text/plain"),
    "another host": lambda r: changed(r, Host="127.0.0.1:1"),
    "no host": lambda r: changed(r, Host=""),
    "a strange host": lambda r: changed(r, Host="a b"),
    "garbage": lambda r: changed(r, Signature="(((", Signature_Input="\xff)))"),
    "a query": lambda r: Request(method="POST", url=r.url + "?a=1", headers=r.headers),
    "another path": lambda r: Request(
        method="POST", url=r.url.replace("echo", "web_search"), headers=r.headers
    ),
    "another method": lambda r: Request(method="PUT", url=r.url, headers=r.headers),
    "a hello": lambda r: Request(method="GET", url=r.url, headers=r.headers),
    "compressed": lambda r: changed(r, Content_Encoding="gzip"),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED.keys())
async def test_a_tampered_request(tamper: Callable[[Request], Request]) -> None:
    """Whatever was changed on the way, the answer is the same."""
    async with bench() as house:
        body = dispatch(house)
        await refused(house, tamper(await signed(house, body)), body)
        assert (await house.dispatch()).success


async def test_a_tampered_body() -> None:
    """So with another body than the one that was signed, or none."""
    async with bench() as house:
        body = dispatch(house)
        other = body.replace(b"hello", b"HELLO")
        await refused(house, await signed(house, body), other)
        await refused(house, await signed(house, body), b"")


async def test_strangers() -> None:
    """So with a key that is not trusted: a stranger's, another worker's, its own."""
    async with bench() as house, bench() as neighbour:
        body = dispatch(house)
        for by in (Identity.generate(), neighbour.identity, house.identity):
            await refused(house, await signed(house, body, by=by), body)
        request = await signed(house, body)
        forged = changed(
            request,
            Signature_Input=request.headers["Signature-Input"].replace(
                house.house.public_key, house.house.public_key.lower()
            ),
        )
        await refused(house, forged, body)


async def test_a_request_to_another_worker() -> None:
    """What one worker got, it can't use against another that trusts the same house."""
    async with bench() as house, bench() as other:
        with mock.patch.object(
            other.server, "_trusted", frozenset({house.house.public_key})
        ):
            body = dispatch(house)
            request = await signed(house, body)
            moved = Request(
                method="POST",
                url=f"{other.address.url}{ECHO_PATH}",
                headers=CIMultiDict({**request.headers, "Host": request.url[7:28]}),
            )
            await refused(other, moved, body)


@pytest.mark.parametrize("off", [-100, 100, -3_600, 1e9])
async def test_stale_or_from_the_future(off: float) -> None:
    """So with a signature that is out of time."""
    async with bench() as house:
        body = dispatch(house)
        await refused(house, await signed(house, body, now=time.time() + off), body)


async def test_a_replay() -> None:
    """So with a request that was sent before."""
    async with bench() as house:
        body = dispatch(house)
        request = await signed(house, body)
        await authentic(house, request, body, 200)
        await refused(house, request, body)
        hello = Request(method="GET", url=f"{house.address.url}/v1/hello")
        sign_request(house.house, hello, None, now=time.time())
        await authentic(house, hello, None, 200)
        await refused(house, hello, None)


async def test_a_replay_after_a_restart() -> None:
    """So with one for an earlier start of the process, which remembers nothing."""
    async with bench() as house:
        body = dispatch(house)
        request = await signed(house, body)
        await authentic(house, request, body, 200)
        port = int(house.address.url.rpartition(":")[2])
        await house.server.stop()

        again = server_module.WorkerServer(
            "echo-1",
            [house.worker],
            house.identity,
            [house.house.public_key],
            version="1.2",
        )
        await again.start("127.0.0.1", port)
        try:
            await refused(house, request, body)
            # The house learns of it by itself.
            assert (await house.dispatch()).success
        finally:
            await again.stop()


async def test_a_clock_set_back() -> None:
    """So with one that was signed before the worker's clock was set back."""
    now = time.time()
    moments = [now]
    async with bench(clock=lambda: moments[-1]) as house:
        body = dispatch(house)
        request = await signed(house, body)
        before = (await house.client.health(house.address)).epoch
        moments.append(now - 80)
        await refused(house, request, body)
        moments.append(now - 80)
        with pytest.raises(LegionError) as caught:
            await house.dispatch()
        assert caught.value.code in (LegionCode.CLOCK, LegionCode.REFUSED)
        moments.append(now)
        assert (await house.client.health(house.address)).epoch != before
        assert (await house.dispatch()).success


async def test_a_memory_that_is_full() -> None:
    """What can't be remembered is not begun: a signed no, not a yes."""
    async with bench() as house:
        await house.client.health(house.address)
        with (
            mock.patch.object(house.server, "_replay", ReplayCache(most=0)),
            pytest.raises(LegionError) as caught,
        ):
            await house.dispatch()
        assert (caught.value.code, caught.value.accepted) == (LegionCode.BUSY, False)
        assert house.worker.tasks == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON"),
        (b"not json", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"protocol": NaN}', "not JSON"),
        (b'{"protocol": 1, "protocol": 1}', "twice"),
        (b'{"protocol": 2}', "protocol"),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "deep"),
    ],
)
async def test_a_signed_body_that_is_none(body: bytes, said: str) -> None:
    """An authentic mistake is told what is wrong with it."""
    async with bench() as house:
        data = await authentic(house, await signed(house, body), body, 400)
        assert data["code"] == "bad_request"
        assert said in data["error"]
        assert house.worker.tasks == []


async def test_a_signed_body_of_another_type() -> None:
    """Only JSON is read, even if something else was signed."""
    async with bench() as house:
        body = dispatch(house)
        request = await signed(house, body)
        for name in ("Signature", "Signature-Input", "Content-Digest"):
            del request.headers[name]
        request.headers["Content-Type"] = "text/plain"
        sign_request(house.house, request, body, now=time.time())
        assert (await authentic(house, request, body, 415))["code"] == "bad_request"
        assert house.worker.tasks == []


async def test_a_path_and_a_tool_that_differ() -> None:
    """The capability in the path is that of the task."""
    async with bench() as house:
        body = dispatch(house)
        request = await signed(house, body, path="/v1/dispatch/tool.other")
        data = await authentic(house, request, body, 400)
        assert "another tool" in data["error"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/v1/goodbye"),
        ("GET", ECHO_PATH),
        ("POST", "/v1/hello"),
        ("POST", "/v1/dispatch/"),
        ("POST", "/v1/dispatch/tool"),
        ("POST", "/v2/dispatch/tool.echo"),
        ("DELETE", ECHO_PATH),
        ("OPTIONS", ECHO_PATH),
    ],
)
async def test_there_is_nothing_else(method: str, path: str) -> None:
    """Other ways are not there, which only a trusted key is told."""
    async with bench() as house:
        body = None if method == "GET" else goodbye_to_bytes("x")
        epoch = (await house.client.health(house.address)).epoch
        headers: CIMultiDict[str] = CIMultiDict()
        if body is not None:
            headers = CIMultiDict(
                {"Content-Type": "application/json", EPOCH_HEADER: epoch}
            )
        request = Request(
            method=method, url=f"{house.address.url}{path}", headers=headers
        )
        sign_request(house.house, request, body, now=time.time())

        assert (await authentic(house, request, body, 404))["code"] == "no_route"
        bare = Request(method=method, url=request.url)
        await refused(house, bare, body)


async def test_a_hello_with_a_body() -> None:
    """Has none that is signed, so it is refused."""
    async with bench() as house:
        hello = Request(method="GET", url=f"{house.address.url}/v1/hello")
        sign_request(house.house, hello, None, now=time.time())
        await refused(house, hello, b"body")


async def test_any_library_may_sign() -> None:
    """A house that writes its signature in another order is understood."""
    async with bench() as house:
        body = dispatch(house)
        request = await signed(house, body)
        for name in ("Signature", "Signature-Input", "Content-Digest"):
            del request.headers[name]
        covers = (
            "content-digest",
            "caesar-epoch",
            "@target-uri",
            "@method",
            "content-type",
            "host",
        )
        request.headers["Host"] = request.url.removeprefix("http://").partition("/")[0]
        with mock.patch.object(rfc9421, "covers_of", return_value=covers):
            rfc9421.sign(
                house.house, request, body, created=int(time.time()), nonce="n" * 20
            )
        data = await authentic(house, request, body, 200)
        assert data["success"]


async def test_a_worker_behind_a_proxy() -> None:
    """It takes the address that the house knows for its own, and no other."""
    async with bench(url="https://worker.example.org/") as house:
        body = dispatch(house)
        with mock.patch.object(house.server, "_base", None):
            direct = await signed(house, body)
        outside = Request(
            method="POST",
            url=f"https://worker.example.org{ECHO_PATH}",
            headers=CIMultiDict(
                {
                    "Content-Type": "application/json",
                    EPOCH_HEADER: direct.headers[EPOCH_HEADER],
                }
            ),
        )
        sign_request(house.house, outside, body, now=time.time())
        await refused(house, direct, body)
        async with house.session.post(
            f"{house.address.url}{ECHO_PATH}", data=body, headers=outside.headers
        ) as answer:
            assert answer.status == 200


async def test_a_worker_without_any_house() -> None:
    """One that trusts nobody answers nobody."""
    worker = Echo()
    async with bench(worker) as house:
        with (
            mock.patch.object(house.server, "_trusted", frozenset()),
            pytest.raises(LegionError) as caught,
        ):
            await house.dispatch()
        assert (caught.value.code, caught.value.accepted) == (LegionCode.REFUSED, False)
        assert worker.tasks == []
