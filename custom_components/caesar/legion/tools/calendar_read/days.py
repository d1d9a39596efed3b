"""Days and moments at home, and which are meant by "tomorrow" or "am Freitag"."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
import re
from typing import Final
from zoneinfo import ZoneInfo


class DayKind(StrEnum):
    """What a word for some days means, before it is known which day today is."""

    TODAY = "today"
    TOMORROW = "tomorrow"
    AFTER_TOMORROW = "after_tomorrow"
    YESTERDAY = "yesterday"
    WEEKDAY = "weekday"
    NEXT_WEEKDAY = "next_weekday"
    THIS_WEEK = "this_week"
    NEXT_WEEK = "next_week"
    WEEKEND = "weekend"
    THIS_MONTH = "this_month"
    NEXT_MONTH = "next_month"
    DATE = "date"


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """Whole days, `first` and `last` included, and how they were asked for."""

    kind: DayKind
    first: date
    last: date


_PREFIX: Final = ("on", "for", "am", "für", "an")
_NEXT: Final = ("next", "nächsten", "nächster")
_WEEKDAYS: Final = (
    ("monday", "montag"),
    ("tuesday", "dienstag"),
    ("wednesday", "mittwoch"),
    ("thursday", "donnerstag"),
    ("friday", "freitag"),
    ("saturday", "samstag", "sonnabend"),
    ("sunday", "sonntag"),
)
_WORDS: Final[Mapping[DayKind, tuple[str, ...]]] = {
    DayKind.TODAY: ("today", "heute"),
    DayKind.TOMORROW: ("tomorrow", "morgen"),
    DayKind.AFTER_TOMORROW: (
        "the day after tomorrow",
        "day after tomorrow",
        "übermorgen",
    ),
    DayKind.YESTERDAY: ("yesterday", "gestern"),
    DayKind.THIS_WEEK: ("this week", "the week", "diese woche", "dieser woche"),
    DayKind.NEXT_WEEK: ("next week", "nächste woche", "nächster woche"),
    DayKind.WEEKEND: (
        "this weekend",
        "the weekend",
        "weekend",
        "wochenende",
        "dieses wochenende",
        "diesem wochenende",
    ),
    DayKind.THIS_MONTH: ("this month", "diesen monat", "diesem monat"),
    DayKind.NEXT_MONTH: ("next month", "nächsten monat", "nächster monat"),
}
_KINDS: Final = {word: kind for kind, words in _WORDS.items() for word in words}
_NUMBERS: Final = {
    word: number for number, words in enumerate(_WEEKDAYS) for word in words
}
_DATE: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


def _either_case(word: str) -> str:
    """Return a pattern for a word as it is spoken, or begun with a capital."""
    return " ".join(
        f"[{part[0].upper()}{part[0]}]{part[1:]}" for part in word.split(" ")
    )


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(_either_case(word) for word in words)


# In the syntax that JSON Schema shares with Python: no flags, no look-around.
DAY_PATTERN: Final = (
    f"^(?:(?:{_any_of(_PREFIX)}) )?(?:{_any_of(tuple(_KINDS))}"
    f"|(?:(?:{_any_of(_NEXT)}) )?(?:{_any_of(tuple(_NUMBERS))})|{_DATE})$"
)


def days_of(words: str, today: date) -> Days:
    """Return the days that `words` mean to somebody for whom it is `today`.

    A weekday is the next one, today included; with "next" today is not meant. A week
    goes from Monday to Sunday, and what has passed of it is left out. Raises
    ValueError.
    """
    text = re.sub(r"\s+", " ", words.strip().casefold())
    parts = text.split(" ")
    if len(parts) > 1 and parts[0] in _PREFIX:
        text = " ".join(parts[1:])
        parts = parts[1:]
    if text in _KINDS:
        return _relative(_KINDS[text], today)
    following = len(parts) == 2 and parts[0] in _NEXT
    if (number := _NUMBERS.get(parts[-1])) is not None and (
        following or len(parts) == 1
    ):
        ahead = (number - today.weekday()) % 7
        if following:
            day = today + timedelta(days=ahead or 7)
            return Days(kind=DayKind.NEXT_WEEKDAY, first=day, last=day)
        day = today + timedelta(days=ahead)
        return Days(kind=DayKind.WEEKDAY, first=day, last=day)
    if re.fullmatch(_DATE, text):
        day = date.fromisoformat(text)
        return Days(kind=DayKind.DATE, first=day, last=day)
    raise ValueError("day")


def date_of(value: date) -> date:
    """Return the day of a date or time."""
    return value.date() if isinstance(value, datetime) else value


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return the beginning of a day in the home's zone."""
    return datetime.combine(day, time(), tzinfo=zone)


def at_home(moment: datetime, zone: ZoneInfo) -> datetime:
    """Return a moment in the home's zone; one without a zone is the home's already."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=zone)
    return moment.astimezone(zone)


def _relative(kind: DayKind, today: date) -> Days:
    first = last = today
    sunday = today + timedelta(days=6 - today.weekday())
    month = _next_month(today)
    match kind:
        case DayKind.TOMORROW:
            first = last = today + timedelta(days=1)
        case DayKind.AFTER_TOMORROW:
            first = last = today + timedelta(days=2)
        case DayKind.YESTERDAY:
            first = last = today - timedelta(days=1)
        case DayKind.THIS_WEEK:
            last = sunday
        case DayKind.NEXT_WEEK:
            first, last = sunday + timedelta(days=1), sunday + timedelta(days=7)
        case DayKind.WEEKEND:
            first, last = max(today, sunday - timedelta(days=1)), sunday
        case DayKind.THIS_MONTH:
            last = month - timedelta(days=1)
        case DayKind.NEXT_MONTH:
            first, last = month, _next_month(month) - timedelta(days=1)
        case _:
            pass
    return Days(kind=kind, first=first, last=last)


def _next_month(day: date) -> date:
    """Return the first day of the month after that of `day`."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)
