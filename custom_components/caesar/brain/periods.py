"""Stretches of days that people name: today, this morning, yesterday."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum


class Period(StrEnum):
    """A stretch of time; each has a text `past_period_<value>`."""

    TODAY = "today"
    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"
    YESTERDAY = "yesterday"
    WEEK = "week"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From `since` until just before `until`, in local time."""

    since: datetime
    until: datetime


def span_of(period: Period, now: datetime) -> Span:
    """Return when a period is; `now` is local time, and says what today is."""
    match period:
        case Period.TODAY:
            return Span(since=_at(now, 0, 0), until=_at(now, 1, 0))
        case Period.MORNING:
            return Span(since=_at(now, 0, 4), until=_at(now, 0, 12))
        case Period.AFTERNOON:
            return Span(since=_at(now, 0, 12), until=_at(now, 0, 18))
        case Period.EVENING:
            return Span(since=_at(now, 0, 18), until=_at(now, 1, 0))
        case Period.NIGHT:
            return Span(since=_at(now, -1, 22), until=_at(now, 0, 6))
        case Period.YESTERDAY:
            return Span(since=_at(now, -1, 0), until=_at(now, 0, 0))
        case Period.WEEK:
            return Span(since=_at(now, -7, 0), until=_at(now, 1, 0))


def period_of(span: Span, now: datetime) -> Period | None:
    """Return the name of a span, if people have one for it."""
    return next((each for each in Period if span_of(each, now) == span), None)


def _at(now: datetime, days: int, hour: int) -> datetime:
    """Return a full hour of a day by the clock on the wall, whatever its length."""
    day = now.date() + timedelta(days=days)
    return datetime.combine(day, time(hour), tzinfo=now.tzinfo)
