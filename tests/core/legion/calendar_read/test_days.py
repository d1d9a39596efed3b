"""The words for days mean the days that people mean."""

from datetime import UTC, date, datetime, timedelta
import re

import pytest

from custom_components.caesar.legion.tools.calendar_read.days import (
    DAY_PATTERN,
    DayKind,
    days_of,
)
from custom_components.caesar.legion.tools.calendar_read.settings import Settings
from custom_components.caesar.legion.tools.calendar_read.window import (
    window_of,
    zone_of,
)
from custom_components.caesar.legion.worker import TaskError

WEDNESDAY = date(2026, 10, 21)
SETTINGS = Settings(url="http://127.0.0.1/")


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("today", 21, 21),
        ("Heute", 21, 21),
        ("tomorrow", 22, 22),
        ("for tomorrow", 22, 22),
        ("Morgen", 22, 22),
        ("für morgen", 22, 22),
        ("the day after tomorrow", 23, 23),
        ("Übermorgen", 23, 23),
        ("yesterday", 20, 20),
        ("gestern", 20, 20),
        ("wednesday", 21, 21),
        ("next Wednesday", 28, 28),
        ("nächsten Mittwoch", 28, 28),
        ("on Friday", 23, 23),
        ("am Freitag", 23, 23),
        ("am nächsten Freitag", 23, 23),
        ("Tuesday", 27, 27),
        ("Sonnabend", 24, 24),
        ("this week", 21, 25),
        ("diese Woche", 21, 25),
        ("next week", 26, 32),
        ("nächste Woche", 26, 32),
        ("this weekend", 24, 25),
        ("am Wochenende", 24, 25),
        ("this month", 21, 31),
        ("next month", 32, 61),
        ("nächsten Monat", 32, 61),
        ("2026-10-30", 30, 30),
    ],
)
def test_words(words: str, first: int, last: int) -> None:
    """Days are counted from the first of October; the schema lets the words through."""
    days = days_of(words, WEDNESDAY)
    zero = date(2026, 9, 30)
    assert ((days.first - zero).days, (days.last - zero).days) == (first, last)
    assert re.search(DAY_PATTERN, words)


def test_on_a_sunday() -> None:
    """The week is nearly over, and the weekend too."""
    sunday = date(2026, 10, 25)
    for words in ("this week", "this weekend", "sunday"):
        days = days_of(words, sunday)
        assert (days.first, days.last) == (sunday, sunday)
    assert days_of("next week", sunday).first == sunday + timedelta(days=1)
    assert days_of("next sunday", sunday).first == sunday + timedelta(days=7)


def test_over_the_year() -> None:
    """December's next month is January."""
    days = days_of("next month", date(2026, 12, 31))
    assert (days.first, days.last) == (date(2027, 1, 1), date(2027, 1, 31))
    assert days.kind is DayKind.NEXT_MONTH


@pytest.mark.parametrize(
    "words",
    ["", "on", "someday", "next", "next today", "2026-13-01", "2026-1-1", "on on"],
)
def test_other_words(words: str) -> None:
    """What is no day is refused."""
    with pytest.raises(ValueError):
        days_of(words, WEDNESDAY)


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-10-25", 25), ("2026-03-29", 23), ("2026-10-26", 24)]
)
def test_a_day_has_its_hours(day: str, hours: int) -> None:
    """Also where the clocks change."""
    now = datetime(2026, 10, 21, 12, tzinfo=UTC)
    window = window_of({"day": day}, zone_of("Europe/Berlin"), now, SETTINGS)
    length = window.end.astimezone(UTC) - window.start.astimezone(UTC)
    assert length == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("Pacific/Auckland", "2026-10-23T00:00:00+13:00"),
        ("America/Los_Angeles", "2026-10-22T00:00:00-07:00"),
        ("Europe/Berlin", "2026-10-23T00:00:00+02:00"),
    ],
)
def test_tomorrow_is_the_homes(zone: str, start: str) -> None:
    """At one moment it is different days at different homes."""
    now = datetime(2026, 10, 21, 22, 30, tzinfo=UTC)
    window = window_of({"day": "tomorrow"}, zone_of(zone), now, SETTINGS)
    assert window.start.isoformat() == start


@pytest.mark.parametrize(
    ("given", "start", "end"),
    [
        ({}, "2026-10-21T14:00:00+02:00", "2026-10-28T14:00:00+01:00"),
        (
            {"from": "2026-10-24"},
            "2026-10-24T00:00:00+02:00",
            "2026-10-31T00:00:00+01:00",
        ),
        (
            {"from": "2026-10-24", "to": "2026-10-25"},
            "2026-10-24T00:00:00+02:00",
            "2026-10-26T00:00:00+01:00",
        ),
        (
            {"from": "2026-10-24T10:00", "to": "2026-10-24T12:00Z"},
            "2026-10-24T10:00:00+02:00",
            "2026-10-24T14:00:00+02:00",
        ),
        (
            {"to": "2026-10-21"},
            "2026-10-21T14:00:00+02:00",
            "2026-10-22T00:00:00+02:00",
        ),
    ],
)
def test_from_and_to(given: dict[str, str], start: str, end: str) -> None:
    """Without an offset it is the home's time; a date as end is included."""
    now = datetime(2026, 10, 21, 12, tzinfo=UTC)
    window = window_of(given, zone_of("Europe/Berlin"), now, SETTINGS)
    assert (window.start.isoformat(), window.end.isoformat()) == (start, end)


@pytest.mark.parametrize(
    "given",
    [
        {"day": "tomorrow", "from": "2026-10-24"},
        {"day": "someday"},
        {"day": 5},
        {"from": "soon"},
        {"from": "2026-10-24", "to": "2026-10-23"},
        {"from": "2026-10-24T10:00", "to": "2026-10-24T10:00"},
        {"from": "2026-01-01", "to": "2027-06-01"},
        {"from": "9999-12-31"},
        {"from": "0001-01-01", "to": "0001-01-02"},
        {"to": "9999-12-31"},
        {"limit": 0},
        {"limit": True},
        {"limit": "5"},
    ],
)
def test_refused(given: dict[str, str]) -> None:
    """What can't be meant is said, and nothing is asked of a server."""
    now = datetime(2026, 10, 21, 12, tzinfo=UTC)
    with pytest.raises(TaskError) as caught:
        window_of(given, zone_of("Europe/Berlin"), now, SETTINGS)
    assert caught.value.code == "invalid_input"


@pytest.mark.parametrize(
    "name", ["", "Nowhere/Atall", "../../etc/passwd", "/etc/passwd"]
)
def test_unknown_zone(name: str) -> None:
    """Wrong times would be worse than none."""
    with pytest.raises(TaskError) as caught:
        zone_of(name)
    assert caught.value.code == "unknown_time_zone"


def test_limit_is_clamped() -> None:
    """The owner's own limit is the higher word."""
    settings = Settings(url="http://127.0.0.1/", default_events=3, max_events=10)
    now = datetime(2026, 10, 21, 12, tzinfo=UTC)
    zone = zone_of("UTC")
    assert window_of({}, zone, now, settings).limit == 3
    assert window_of({"limit": 200}, zone, now, settings).limit == 10
