"""Repeating events worked out, in a child that may be killed (`legion/child.py`).

Whoever can send an invitation chooses what is parsed and worked out here. An event
every second ran for more than 15 s of one day's question: so rules that give too many
occurrences are left out before, the time of each object is bounded while it is worked
on, and the parent kills the child at last.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
import json
import signal
from time import process_time
from types import FrameType
from typing import Any, Final
from zoneinfo import ZoneInfo

import icalendar
import recurring_ical_events

from .days import at_home, date_of, midnight

MAX_OCCURRENCES: Final = 100_000
OBJECT_S: Final = 0.5
ALL_S: Final = 2.5
TITLE: Final = 200
LOCATION: Final = 120
DESCRIPTION: Final = 200
_DAY: Final = timedelta(days=1)
# How many of each there are in a day, about.
_PER_DAY: Final[Mapping[str, float]] = {
    "HOURLY": 24,
    "DAILY": 1,
    "WEEKLY": 1 / 7,
    "MONTHLY": 1 / 30,
    "YEARLY": 1 / 365,
}
# Of these each value makes an occurrence of its own.
_MULTIPLIERS: Final = ("BYSECOND", "BYMINUTE", "BYHOUR")


class _OutOfTimeError(BaseException):
    """An object has had its time; no `except Exception` of a library stops it."""


class _TooManyError(Exception):
    """A rule gives too many occurrences to be worked out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    start: datetime
    end: datetime
    zone: ZoneInfo


def expand(argument: bytes) -> bytes:
    """Return the events of some calendars that touch a span of time.

    Takes JSON `{"zone", "start", "end", "limit", "calendars": [[iCalendar text...]]}`
    and returns JSON `{"calendars": [{"events", "total", "heavy", "broken"}]}`, in the
    same order. Events are sorted by start, at most `limit` for each calendar; `total`
    is how many there were, `heavy` and `broken` how many objects were left out.
    """
    asked = json.loads(argument)
    zone = ZoneInfo(asked["zone"])
    span = _Span(
        start=datetime.fromisoformat(asked["start"]).astimezone(zone),
        end=datetime.fromisoformat(asked["end"]).astimezone(zone),
        zone=zone,
    )
    over = process_time() + ALL_S
    reports = [
        _calendar(texts, span, asked["limit"], over) for texts in asked["calendars"]
    ]
    return json.dumps({"calendars": reports}).encode()


def _calendar(texts: list[str], span: _Span, limit: int, over: float) -> dict[str, Any]:
    """Return the report of a calendar; `over` is when the process has had its time."""
    events: list[dict[str, Any]] = []
    counts = {"heavy": 0, "broken": 0}
    # What costs nothing first: a bomb must not take the single events with it.
    for text in sorted(texts, key=lambda text: "RRULE" in text):
        left = over - process_time() if "RRULE" in text else OBJECT_S
        if left <= 0:
            counts["heavy"] += 1
            continue
        try:
            with _time_limit(min(left, OBJECT_S)):
                found = list(_events_of(text, span))
        except (_OutOfTimeError, _TooManyError):
            counts["heavy"] += 1
        except Exception:  # noqa: BLE001 what a library raises on hostile text is open
            counts["broken"] += 1
        else:
            events += found
    unique = {_identity(event): event for event in events}
    ordered = sorted(unique.values(), key=lambda event: event["order"])
    return {"events": ordered[:limit], "total": len(ordered), **counts}


def _identity(event: dict[str, Any]) -> tuple[str, str, str, str]:
    return event["uid"], event["start"], event["end"], event["title"]


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise _OutOfTimeError in what runs inside, after that much time of the CPU."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _events_of(text: str, span: _Span) -> Iterator[dict[str, Any]]:
    calendar = icalendar.Calendar.from_ical(text)
    components = calendar.walk("VEVENT")
    _refuse_bombs(components, span)
    for component in components:
        # Of an end before the start, the library makes a start before the end.
        if "DTEND" in component and component["DTEND"].dt < component["DTSTART"].dt:
            del component["DTEND"]
    # A day more on each side: floating times and dates belong to the home's zone, which
    # the library doesn't know; what is too much is left out below.
    found = recurring_ical_events.of(calendar).between(
        span.start - _DAY, span.end + _DAY
    )
    for component in found:
        if str(component.get("STATUS", "")).upper() == "CANCELLED":
            continue
        event = _event(component, span)
        if event is not None:
            yield event


def _refuse_bombs(components: Iterable[Any], span: _Span) -> None:
    """Raise _TooManyError if a rule has too many occurrences up to the span's end."""
    for component in components:
        rules = component.get("RRULE", [])
        for rule in rules if isinstance(rules, list) else [rules]:
            frequency = str((rule.get("FREQ") or [""])[0]).upper()
            start = component["DTSTART"].dt
            days = (span.end.date() - date_of(start)).days + 2
            amount = days * _PER_DAY.get(frequency, float("inf"))
            for key in _MULTIPLIERS:
                amount *= max(1, len(rule.get(key) or ()))
            if days > 0 and amount > MAX_OCCURRENCES:
                raise _TooManyError


def _event(component: Any, span: _Span) -> dict[str, Any] | None:
    """Return an occurrence if it touches the span; of all-day ones by their dates."""
    start, end = component.start, component.end
    all_day = not isinstance(start, datetime)
    if all_day:
        # RFC 5545 3.6.1: the end is the first day that isn't part of it.
        end = max(date_of(end), start + _DAY)
        first, after = (midnight(day, span.zone) for day in (start, end))
        texts = start.isoformat(), (end - _DAY).isoformat()
    else:
        first, after = (at_home(moment, span.zone) for moment in (start, end))
        texts = first.isoformat(), after.isoformat()
    begin, over = first.timestamp(), after.timestamp()
    low, high = span.start.timestamp(), span.end.timestamp()
    touches = begin < high and (over > low or begin == over == low)
    if not touches:
        return None
    return {
        "uid": str(component.get("UID", "")),
        "title": _clean(component.get("SUMMARY"), TITLE),
        "start": texts[0],
        "end": texts[1],
        "all_day": all_day,
        "location": _clean(component.get("LOCATION"), LOCATION),
        "description": _clean(component.get("DESCRIPTION"), DESCRIPTION),
        "order": [begin, not all_day, over],
    }


def _clean(value: object, limit: int) -> str:
    """Return a text of one line, without control characters, not longer than `limit`."""
    if isinstance(value, list):
        value = value[0] if value else None
    text = "" if value is None else str(value)
    words = "".join(letter if letter.isprintable() else " " for letter in text).split()
    line = " ".join(words)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
