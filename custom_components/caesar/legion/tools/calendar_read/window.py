"""The span of time that a task asks about."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...canonical import Json
from . import refusals
from .days import Days, at_home, days_of, midnight
from .settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """From `start` (included) to `end` (excluded), both in the home's zone.

    `days` is how the person asked, where a day was named, `asked` whether any time
    was; `today` is the home's.
    """

    zone: ZoneInfo
    today: date
    start: datetime
    end: datetime
    limit: int
    asked: bool = True
    days: Days | None = None


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone. Raises TaskError: a wrong zone would give wrong times."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as err:
        raise refusals.TIME_ZONE.error() from err


def window_of(
    given: Mapping[str, Json], zone: ZoneInfo, now: datetime, settings: Settings
) -> Window:
    """Return what an input asks for. Raises TaskError.

    `now` bears any offset. All arithmetic on days is that of the home's calendar, so
    that a day in which the clocks change has its 23 or 25 hours.
    """
    home = now.astimezone(zone)
    limit = _limit(given.get("limit"), settings)
    day, start_text, end_text = (_text(given, key) for key in ("day", "from", "to"))
    try:
        if day is not None:
            if start_text is not None or end_text is not None:
                raise refusals.DAY_OR_SPAN.error()
            days = days_of(day, home.date())
            return Window(
                zone=zone,
                today=home.date(),
                start=midnight(days.first, zone),
                end=midnight(days.last + timedelta(days=1), zone),
                limit=limit,
                days=days,
            )
        start = home if start_text is None else _moment(start_text, zone, last=False)
        end = (
            _later(start, settings.default_range_days, zone)
            if end_text is None
            else _moment(end_text, zone, last=True)
        )
        longest = _later(start, settings.max_range_days, zone)
        order = end.astimezone(UTC) > start.astimezone(UTC)
        too_long = end.astimezone(UTC) > longest.astimezone(UTC)
    except (ValueError, OverflowError) as err:
        raise refusals.UNREADABLE.error() from err
    if not order:
        raise refusals.ORDER.error()
    if too_long:
        raise refusals.TOO_LONG.error(days=settings.max_range_days)
    return Window(
        zone=zone,
        today=home.date(),
        start=start,
        end=end,
        limit=limit,
        asked=start_text is not None or end_text is not None,
    )


def _limit(value: Json, settings: Settings) -> int:
    if value is None:
        return settings.default_events
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise refusals.LIMIT.error()
    return min(value, settings.max_events)


def _text(given: Mapping[str, Json], key: str) -> str | None:
    value = given.get(key)
    if value is None or isinstance(value, str):
        return value
    raise refusals.NO_TEXT.error(key=key)


def _moment(text: str, zone: ZoneInfo, *, last: bool) -> datetime:
    """Return the moment that `text` names; of a date, its beginning or its end."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        day = date.fromisoformat(text)
        return midnight(day + timedelta(days=1) if last else day, zone)
    return at_home(datetime.fromisoformat(text), zone)


def _later(start: datetime, days: int, zone: ZoneInfo) -> datetime:
    """Return the same time of day, some days later."""
    return (start.replace(tzinfo=None) + timedelta(days=days)).replace(tzinfo=zone)
