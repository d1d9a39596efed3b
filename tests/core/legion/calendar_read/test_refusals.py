"""Why a calendar can't be read: in English, and to a German in German."""

import socket
from typing import Any

import pytest

from custom_components.caesar.legion.tools.calendar_read.problems import Problem, words
from custom_components.caesar.legion.tools.calendar_read.refusals import PROBLEMS
from custom_components.caesar.legion.tools.calendar_read.settings import Settings
from custom_components.caesar.legion.worker import TaskError

from .places import ask

NOWHERE = Settings(url="http://127.0.0.1:1/")

GERMAN = {
    Problem.UNREACHABLE: "Der Kalenderserver ist nicht erreichbar",
    Problem.TLS: "Dem Zertifikat des Kalenderservers wird nicht vertraut",
    Problem.TIMEOUT: "Der Kalenderserver hat zu lange gebraucht",
    Problem.AUTH: "App-Passwort",
    Problem.FORBIDDEN: "Das Konto darf das nicht lesen",
    Problem.NOT_FOUND: "Unter dieser Adresse gibt es keinen Kalender",
    Problem.NOT_CALDAV: "nicht die eines CalDAV-Servers",
    Problem.MOVED_AWAY: "dorthin wird das Passwort nicht geschickt",
    Problem.BUSY: "später wiederzukommen",
    Problem.SERVER: "Der Kalenderserver hat einen Fehler",
    Problem.TOO_LARGE: "frag nach weniger Tagen",
    Problem.TOO_HEAVY: "nicht schnell genug",
    Problem.NO_SUCH_CALENDAR: "keinen Kalender mit diesem Namen",
    Problem.NO_CALENDARS: "Das Konto hat keine Kalender",
    Problem.REPEATS_TOO_OFTEN: "die sich zu oft wiederholen",
    Problem.BROKEN_EVENTS: "die nicht zu verstehen sind",
}


@pytest.mark.parametrize("problem", list(Problem))
def test_each_problem_is_told_in_both_languages(problem: Problem) -> None:
    """The code stays that of the problem."""
    error = PROBLEMS[problem].error()
    assert (error.code, error.message) == (problem.value, words(problem))
    assert GERMAN[problem] in error.text("de-AT")


@pytest.mark.parametrize(
    ("given", "english", "german"),
    [
        (
            {"day": "today", "from": "2026-01-01"},
            "give either `day`, or `from` and `to`",
            "gib entweder `day` an, oder `from` und `to`",
        ),
        (
            {"day": "irgendwann"},
            "a date or time can't be read",
            "ein Datum oder eine Uhrzeit ist nicht zu lesen",
        ),
        (
            {"from": "2026-01-02", "to": "2026-01-01"},
            "`to` must be after `from`",
            "`to` muss nach `from` liegen",
        ),
        (
            {"from": "2026-01-01", "to": "2027-06-01"},
            "at most 365 days can be read at once",
            "höchstens 365 Tage lassen sich auf einmal lesen",
        ),
        (
            {"limit": 0},
            "`limit` must be a whole number from 1",
            "`limit` muss eine ganze Zahl ab 1 sein",
        ),
        ({"to": 5}, "`to` must be a text", "`to` muss ein Text sein"),
    ],
)
async def test_what_cannot_be_asked(
    given: dict[str, Any], english: str, german: str
) -> None:
    """No server is asked; the inputs keep their names."""
    with pytest.raises(TaskError) as caught:
        await ask(NOWHERE, given, language="de")
    assert (caught.value.text("en"), caught.value.text("de")) == (english, german)


async def test_a_zone_that_nobody_knows() -> None:
    """The worker's host has no such zone."""
    with pytest.raises(TaskError) as caught:
        await ask(NOWHERE, {}, zone="Nowhere/Atall", language="de")
    assert caught.value.message == "The worker doesn't know the home's time zone"
    assert caught.value.text("de") == "Der Worker kennt die Zeitzone des Zuhauses nicht"


@pytest.mark.usefixtures("socket_enabled")
async def test_a_server_that_is_away() -> None:
    """What went wrong on the way is told as well."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/"
    with pytest.raises(TaskError) as caught:
        await ask(Settings(url=url), {"day": "today"}, language="de")
    assert caught.value.text("de") == GERMAN[Problem.UNREACHABLE]
    assert caught.value.retryable
