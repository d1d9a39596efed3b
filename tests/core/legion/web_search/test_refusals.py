"""Why nothing was searched: in English, and to a German in German."""

import json
from typing import Any

import pytest

from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.web_search.backend import Backend
from custom_components.caesar.legion.tools.web_search.brave import Brave
from custom_components.caesar.legion.tools.web_search.searxng import Searxng
from custom_components.caesar.legion.tools.web_search.tavily import Tavily
from custom_components.caesar.legion.worker import TaskError

from .searching import Listed, answering, over, searched

pytestmark = pytest.mark.usefixtures("socket_enabled")

GERMAN = Hints(language="de")
SECRET = "s3cret-k3y"


def service(name: str, url: str) -> Backend:
    """Return a service at an address."""
    match name:
        case "Brave Search":
            return Brave(SECRET, url)
        case "Tavily":
            return Tavily(SECRET, url)
        case _:
            return Searxng(url)


@pytest.mark.parametrize(
    ("given", "english", "german"),
    [
        (
            {"query": ""},
            "There is nothing to search for.",
            "Es fehlt, wonach ich suchen soll.",
        ),
        (
            {"query": "x" * 401},
            "The query is longer than 400 characters.",
            "Die Suchanfrage ist länger als 400 Zeichen.",
        ),
        (
            {"limit": 0},
            "limit must be a whole number from 1.",
            "limit muss eine ganze Zahl ab 1 sein.",
        ),
        (
            {"domain": "no site"},
            "domain must be the name of a site, like en.wikipedia.org.",
            "domain muss der Name einer Website sein, etwa en.wikipedia.org.",
        ),
        (
            {"domain": "b.example"},
            "The policy does not allow results of b.example.",
            "Die Richtlinie erlaubt keine Ergebnisse von b.example.",
        ),
    ],
)
async def test_what_cannot_be_asked(
    given: dict[str, Any], english: str, german: str
) -> None:
    """No service is asked."""
    listed = Listed()
    hints = Hints(language="de", domain_allowlist=("a.example",))
    with pytest.raises(TaskError) as refused:
        await searched(over(listed), **given, hints=hints)
    assert (refused.value.text("en"), refused.value.text("de")) == (english, german)
    assert listed.asked == []


@pytest.mark.parametrize(
    ("name", "status", "body", "english", "german"),
    [
        (
            "SearXNG",
            403,
            "",
            "JSON output is off in this SearXNG",
            "Dieses SearXNG gibt kein JSON aus",
        ),
        ("SearXNG", 401, "", "asks for a user name", "verlangt Benutzernamen"),
        ("SearXNG", 429, "", "takes us for a robot", "hält uns für einen Roboter"),
        (
            "SearXNG",
            500,
            "",
            "SearXNG answered with error 500.",
            "SearXNG antwortet mit Fehler 500.",
        ),
        (
            "SearXNG",
            400,
            "no such category",
            "SearXNG answered with error 400: no such category",
            "SearXNG antwortet mit Fehler 400: no such category",
        ),
        (
            "SearXNG",
            200,
            "{}",
            "is not a list of search results",
            "Die Antwort von SearXNG ist keine Liste von Suchergebnissen.",
        ),
        (
            "SearXNG",
            200,
            json.dumps({"results": [], "unresponsive_engines": [["wide", "timeout"]]}),
            "because its engines failed: wide (timeout)",
            "weil seine Suchmaschinen versagten: wide (timeout)",
        ),
        (
            "SearXNG",
            200,
            "x" * 1_048_577,
            "SearXNG gave an answer of more than 1 MiB.",
            "Die Antwort von SearXNG ist größer als 1 MiB.",
        ),
        (
            "Brave Search",
            401,
            "",
            "does not accept the key",
            "nimmt den Schlüssel nicht",
        ),
        ("Brave Search", 429, "", "no more searches", "gerade keine Suchen mehr an"),
        (
            "Brave Search",
            418,
            f"your key {SECRET}",
            "Brave Search answered with error 418: your key [key]",
            "Brave Search antwortet mit Fehler 418: your key [key]",
        ),
        ("Tavily", 401, "", "does not accept the key", "nimmt den Schlüssel nicht an"),
        ("Tavily", 429, "", "no more searches", "im Moment keine Suchen mehr an"),
        ("Tavily", 432, "", "are used up", "sind aufgebraucht"),
        ("Tavily", 433, "", "pay-as-you-go is reached", "Abrechnung ist erreicht"),
    ],
)
async def test_what_a_service_does_not_do(
    name: str, status: int, body: str, english: str, german: str
) -> None:
    """Its own words stay as they are, without the key."""
    async with answering(body, status=status) as answers:
        worker = over(service(name, answers.url))
        with pytest.raises(TaskError) as refused:
            await searched(worker, hints=GERMAN)
        await worker.stop()
    assert english in refused.value.text("en")
    assert german in refused.value.text("de")
    assert SECRET not in refused.value.message + refused.value.text("de")


async def test_a_service_that_is_away_or_elsewhere() -> None:
    """The address stands in both, a missing one too."""
    async with answering(status=302, headers={"Location": "http://["}) as answers:
        worker = over(Searxng(answers.url))
        with pytest.raises(TaskError) as refused:
            await searched(worker, hints=GERMAN)
        place = answers.url.removeprefix("http://").rstrip("/")
    assert "SearXNG schickt uns zu einer anderen Adresse." in refused.value.text("de")
    with pytest.raises(TaskError) as refused:
        await searched(worker, hints=GERMAN)
    await worker.stop()
    assert f"SearXNG ist unter {place} nicht erreichbar." in refused.value.text("de")


async def test_too_many_words_for_brave() -> None:
    """It is not asked."""
    worker = over(Brave(SECRET, "http://127.0.0.1:1"))
    with pytest.raises(TaskError) as refused:
        await searched(worker, "a " * 51, hints=GERMAN)
    assert refused.value.text("de") == "Brave Search nimmt höchstens 50 Wörter."
