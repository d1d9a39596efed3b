"""The answer as it is said, in English and German."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from custom_components.caesar.legion.tools.calendar_read.settings import Settings
from custom_components.caesar.legion.tools.calendar_read.speech import Event, say
from custom_components.caesar.legion.tools.calendar_read.window import Window, window_of

BERLIN = ZoneInfo("Europe/Berlin")
# A Monday.
NOW = datetime(2026, 11, 30, 11, 0, tzinfo=UTC)


def window(**given: str) -> Window:
    """Return the span of a question."""
    named = {key.rstrip("_"): value for key, value in given.items()}
    return window_of(named, BERLIN, NOW, Settings(url="http://127.0.0.1/"))


def timed(title: str, start: str, end: str) -> Event:
    """Return an event with times in Berlin."""
    begin, over = (
        datetime.fromisoformat(text).replace(tzinfo=BERLIN) for text in (start, end)
    )
    return Event(title=title, start=begin, end=over, all_day=False, calendar="Home")


def whole(title: str, first: str, last: str) -> Event:
    """Return an event of whole days."""
    return Event(
        title=title,
        start=date.fromisoformat(first),
        end=date.fromisoformat(last),
        all_day=True,
        calendar="Home",
    )


def said(
    language: str,
    span: Window,
    events: Sequence[Event] = (),
    *,
    total: int | None = None,
    unread: Sequence[str] = (),
    left_out: bool = False,
) -> str:
    """Return what is said of some events."""
    count = len(events) if total is None else total
    return say(language, span, events, count, unread, left_out=left_out)


DENTIST = timed("Dentist", "2026-12-01T09:00", "2026-12-01T09:30")
CHOIR = timed("Choir", "2026-12-01T18:30", "2026-12-01T20:00")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Tomorrow: 9:00 AM Dentist, 6:30 PM Choir."),
        ("en-US", "Tomorrow: 9:00 AM Dentist, 6:30 PM Choir."),
        ("en-GB", "Tomorrow: 9:00 Dentist, 18:30 Choir."),
        ("de", "Morgen: 9:00 Dentist, 18:30 Choir."),
        ("de-CH", "Morgen: 9:00 Dentist, 18:30 Choir."),
        ("fr", "Tomorrow: 9:00 AM Dentist, 6:30 PM Choir."),
    ],
)
def test_tomorrow(language: str, words: str) -> None:
    """Times are those of the home, on the clock of the language."""
    assert said(language, window(day="tomorrow"), [DENTIST, CHOIR]) == words


@pytest.mark.parametrize(
    ("given", "english", "german"),
    [
        ({"day": "today"}, "Nothing today.", "Heute steht nichts an."),
        ({"day": "tomorrow"}, "Nothing tomorrow.", "Morgen steht nichts an."),
        ({"day": "yesterday"}, "Nothing yesterday.", "Gestern stand nichts an."),
        ({"day": "friday"}, "Nothing on Friday.", "Am Freitag steht nichts an."),
        ({"day": "this week"}, "Nothing this week.", "Diese Woche steht nichts an."),
        ({"day": "weekend"}, "Nothing this weekend.", "Am Wochenende steht nichts an."),
        (
            {"day": "2026-12-24"},
            "Nothing on Thursday 24 December.",
            "Am Donnerstag, dem 24. Dezember steht nichts an.",
        ),
        (
            {},
            "Nothing in the next 7 days.",
            "In den nächsten 7 Tagen steht nichts an.",
        ),
        (
            {"from_": "2026-12-05", "to": "2026-12-06"},
            "Nothing in that time.",
            "In dieser Zeit steht nichts an.",
        ),
    ],
)
def test_nothing(given: dict[str, str], english: str, german: str) -> None:
    """The days asked about are named."""
    assert said("en", window(**given)) == english
    assert said("de", window(**given)) == german


def test_midnight_and_noon() -> None:
    """They are the clock's traps in English."""
    events = [
        timed("Owls", "2026-12-01T00:05", "2026-12-01T01:00"),
        timed("Lunch", "2026-12-01T12:00", "2026-12-01T13:00"),
    ]
    assert said("en", window(day="tomorrow"), events) == (
        "Tomorrow: 12:05 AM Owls, 12:00 PM Lunch."
    )


def test_what_fills_the_day() -> None:
    """Whole days, what began before, and what goes on after."""
    events = [
        whole("Trip", "2026-11-30", "2026-12-03"),
        timed("Conference", "2026-11-30T08:00", "2026-12-01T10:00"),
        timed("Watch", "2026-11-30T08:00", "2026-12-02T10:00"),
        timed("Train", "2026-12-01T22:00", "2026-12-02T07:00"),
    ]
    assert said("en", window(day="tomorrow"), events) == (
        "Tomorrow: all day Trip, until 10:00 AM Conference, all day Watch,"
        " 10:00 PM Train."
    )
    assert said("de", window(day="tomorrow"), events) == (
        "Morgen: ganztägig Trip, bis 10:00 Conference, ganztägig Watch, 22:00 Train."
    )


def test_several_days() -> None:
    """Each day is named once."""
    events = [
        DENTIST,
        CHOIR,
        whole("Trip", "2026-12-04", "2026-12-06"),
        whole("Bins", "2026-12-05", "2026-12-05"),
    ]
    assert said("en", window(day="this week"), events) == (
        "This week: Tuesday 9:00 AM Dentist, 6:30 PM Choir;"
        " Friday Trip until Sunday; Saturday all day Bins."
    )
    assert said("de", window(day="this month"), []) == "Diesen Monat steht nichts an."


def test_dates_where_a_weekday_is_not_enough() -> None:
    """More than a week ahead the date is said."""
    events = [DENTIST, whole("Eve", "2026-12-24", "2026-12-24")]
    span = window(from_="2026-11-30", to="2026-12-31")
    assert said("en", span, events) == (
        "In that time: Tuesday 9:00 AM Dentist; Thursday 24 December all day Eve."
    )
    assert said("de", span, events).endswith("Donnerstag, 24. Dezember ganztägig Eve.")


def test_next_week_needs_no_dates() -> None:
    """Its weekdays are clear."""
    events = [timed("Vet", "2026-12-09T11:20", "2026-12-09T12:00")]
    assert said("de", window(day="next week"), events) == (
        "Nächste Woche: Mittwoch 11:20 Vet."
    )


def test_many_events_are_cut() -> None:
    """Eight are said; the number of the others too, also of those not sent."""
    events = [DENTIST] * 10
    words = said("en", window(day="tomorrow"), events, total=25)
    assert words.count("Dentist") == 8
    assert words.endswith("Dentist, and 17 more.")
    assert said("de", window(day="tomorrow"), events).endswith("und 2 weitere.")


def test_titles() -> None:
    """None, and one that is too long."""
    events = [
        timed("", "2026-12-01T09:00", "2026-12-01T10:00"),
        timed("y" * 100, "2026-12-01T09:00", "2026-12-01T10:00"),
    ]
    words = said("en", window(day="tomorrow"), events)
    assert words.startswith("Tomorrow: 9:00 AM an event without a title, 9:00 AM yyy")
    assert words.endswith("y….")
    assert words.count("y") == 59
    assert "ein Termin ohne Titel" in said("de", window(day="tomorrow"), events)


def test_what_is_missing() -> None:
    """Nobody may take a part for the whole."""
    span = window(day="tomorrow")
    assert said("en", span, unread=["Work", "Club"]) == (
        "Nothing tomorrow. I could not read Work, Club."
    )
    assert said("de", span, [DENTIST], unread=["Work"], left_out=True) == (
        "Morgen: 9:00 Dentist. Das konnte ich nicht lesen: Work."
        " Einige Termine ließen sich nicht berechnen."
    )
