"""A real SearXNG, with an engine that needs no internet."""

from pathlib import Path

import pytest

from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.web_search.searxng import Searxng
from custom_components.caesar.legion.worker import TaskError
from house.servers import Servers
from tests.fakes.servers import running_servers

from .searching import answering, over, searched, urls

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_it_finds(servers: Servers) -> None:
    """In either language, cleaned, without what is no page."""
    worker = over(Searxng(servers.search))
    answer = await searched(worker, "the boiling point of ethanol")
    assert answer["backend"] == "searxng"
    assert answer["results"][0]["domain"] == "chemistry.example"
    assert "78.37 °C" in answer["results"][0]["snippet"]
    answer = await searched(
        worker, "Siedepunkt von Ethanol", hints=Hints(language="de-DE")
    )
    assert "78,37 °C" in answer["results"][0]["snippet"]
    answer = await searched(worker, "heat pump")
    assert urls(answer) == [
        "https://en.lexicon.example/wiki/Heat_pump",
        "https://builders.example/heat-pump-noise",
        "https://poison.example/offer",
    ]
    assert answer["results"][1]["snippet"].startswith("About as loud as a fridge at")
    assert (await searched(worker, "zzz"))["results"] == []
    await worker.stop()


async def test_a_site_and_the_allow_list(servers: Servers) -> None:
    """What is looked for on one site only comes from there."""
    worker = over(Searxng(servers.search))
    answer = await searched(worker, domain="lexicon.example")
    assert urls(answer) == ["https://en.lexicon.example/wiki/Heat_pump"]
    hints = Hints(domain_allowlist=("builders.example", "en.lexicon.example"))
    answer = await searched(worker, hints=hints)
    assert len(answer["results"]) == 2
    assert answer["filtered"] == 1
    await worker.stop()


@pytest.mark.parametrize("language", ["xx-unknown", "tlh", "", "*", "EN"])
async def test_a_language_that_it_does_not_know(
    servers: Servers, language: str
) -> None:
    """It is not told about it, and finds all the same."""
    worker = over(Searxng(servers.search))
    answer = await searched(worker, hints=Hints(language=language))
    assert len(answer["results"]) == 3
    await worker.stop()


@pytest.mark.parametrize("end", ["", "search", "search/"])
async def test_its_address_as_people_write_it(servers: Servers, end: str) -> None:
    """With or without the path of the search page."""
    worker = over(Searxng(f"{servers.search}{end}"))
    assert len((await searched(worker))["results"]) == 3
    await worker.stop()


async def test_a_broken_engine(servers: Servers) -> None:
    """That nothing was found because of it is said; other results still count."""
    worker = over(Searxng(servers.search))
    with pytest.raises(TaskError, match=r"its engines failed: broken \(") as failed:
        await searched(worker, "!br heat pump")
    assert failed.value.retryable
    assert len((await searched(worker, "!br !lb heat pump"))["results"]) == 3
    await worker.stop()


async def test_json_is_off(tmp_path: Path) -> None:
    """As it is in a SearXNG that nobody told otherwise."""
    with running_servers(tmp_path, "--no-json") as html_only:
        worker = over(Searxng(html_only.search))
        with pytest.raises(
            TaskError, match="JSON output is off in this SearXNG"
        ) as off:
            await searched(worker)
        assert off.value.code == "json_off"
        assert not off.value.retryable
        await worker.stop()


@pytest.mark.parametrize(
    ("status", "body", "code", "said"),
    [
        (429, "Too Many Requests", "rate", "switch its limiter off"),
        (401, "", "bad_key", "asks for a user name and password"),
        (
            400,
            '{"error": "Invalid value \\"x\\""}',
            "backend_error",
            'SearXNG answered with error 400: Invalid value "x"',
        ),
        (502, "<h1>Bad Gateway</h1>", "backend_error", "error 502: Bad Gateway"),
        (500, "", "backend_error", r"SearXNG answered with error 500\."),
        (200, "<html>hello</html>", "bad_answer", "not a list of search results"),
        (200, "[]", "bad_answer", "not a list of search results"),
        (200, "{}", "bad_answer", "not a list of search results"),
        (200, '{"results": {}}', "bad_answer", "not a list of search results"),
        (200, '{"results": [NaN]}', "bad_answer", "not a list of search results"),
        (200, "[" * 200_000, "bad_answer", "not a list of search results"),
    ],
)
async def test_answers_that_are_none(
    status: int, body: str, code: str, said: str
) -> None:
    """Each in words that say what to do."""
    async with answering(body, status=status) as service:
        worker = over(Searxng(service.url))
        with pytest.raises(TaskError, match=said) as failed:
            await searched(worker)
        assert failed.value.code == code
        assert failed.value.retryable == (status == 429 or status >= 500)
        await worker.stop()


@pytest.mark.parametrize(
    "engines", ["null", '"x"', "[]", "[[1]]", '[["a"], 7, {"b": "c"}]']
)
async def test_engines_in_another_shape(engines: str) -> None:
    """What can't be read of them is left out; entries that are none too."""
    body = f'{{"results": [7, null, "x"], "unresponsive_engines": {engines}}}'
    async with answering(body) as service:
        worker = over(Searxng(service.url))
        assert (await searched(worker))["results"] == []
        await worker.stop()


async def test_user_and_password_in_its_address() -> None:
    """They are sent, and never said."""
    async with answering("owner:hidden-word is wrong", status=500) as service:
        worker = over(Searxng(service.url.replace("//", "//owner:hidden-word@")))
        with pytest.raises(TaskError) as failed:
            await searched(worker)
        assert "hidden-word" not in failed.value.message
        assert service.received[0].headers["authorization"].startswith("Basic ")
        await worker.stop()
