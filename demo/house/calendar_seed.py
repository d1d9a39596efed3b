"""Two calendars with plausible events, for the demo house's Radicale.

What is on is told relative to the day, so that there is always something tomorrow.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from urllib.parse import quote

import aiohttp
import icalendar

from .errors import HouseError

_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """An event: `day` counts from today; without `clock` it takes all day."""

    calendar: str
    en: str
    de: str
    day: int
    clock: tuple[int, int] | None = None
    minutes: int = 60
    days: int = 1
    repeats: dict[str, object] | None = None


_NAMES = {
    "family": {"en": "Family", "de": "Familie"},
    "house": {"en": "House", "de": "Haus"},
}
_ENTRIES = (
    _Entry(
        calendar="family",
        en="Gymnastics",
        de="Turnen",
        day=-7,
        clock=(17, 0),
        repeats={"freq": "weekly"},
    ),
    _Entry(
        calendar="family",
        en="Parents' evening",
        de="Elternabend",
        day=0,
        clock=(19, 30),
    ),
    _Entry(calendar="family", en="Dentist", de="Zahnarzt", day=1, clock=(9, 0)),
    _Entry(
        calendar="family",
        en="Choir",
        de="Chor",
        day=1,
        clock=(18, 30),
        minutes=90,
        repeats={"freq": "weekly"},
    ),
    _Entry(calendar="family", en="Swimming", de="Schwimmen", day=2, clock=(16, 15)),
    _Entry(
        calendar="family", en="Trip to the sea", de="Ausflug ans Meer", day=4, days=3
    ),
    _Entry(calendar="family", en="Vet", de="Tierarzt", day=9, clock=(11, 20)),
    _Entry(calendar="family", en="Wedding day", de="Hochzeitstag", day=12),
    _Entry(
        calendar="house",
        en="Paper bin",
        de="Papiertonne",
        day=1,
        repeats={"freq": "weekly", "interval": 2},
    ),
    _Entry(
        calendar="house", en="Chimney sweep", de="Schornsteinfeger", day=3, clock=(8, 0)
    ),
    _Entry(
        calendar="house",
        en="Heating check",
        de="Heizungswartung",
        day=6,
        clock=(13, 45),
        minutes=120,
    ),
    _Entry(calendar="house", en="Read the meters", de="Zähler ablesen", day=10),
)


async def seed(
    url: str, username: str, password: str, now: datetime, language: str
) -> None:
    """Make the two calendars anew on Radicale, with events around `now`.

    `now` bears the zone of the home; languages other than German get English. Raises
    HouseError if the server refuses.
    """
    tongue = "de" if language.split("-", maxsplit=1)[0] == "de" else "en"
    headers = {"Authorization": aiohttp.encode_basic_auth(username, password)}
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as http:
        for key, names in _NAMES.items():
            place = f"{url.rstrip('/')}/{quote(username)}/{key}/"
            await _ask(http, "DELETE", place, missing_is_fine=True)
            await _ask(http, "MKCALENDAR", place, _make_calendar(names[tongue]))
            for number, text in enumerate(_events(key, tongue, now)):
                await _ask(http, "PUT", f"{place}{key}-{number}.ics", text)


def _make_calendar(name: str) -> bytes:
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">'
        f"<d:set><d:prop><d:displayname>{name}</d:displayname></d:prop></d:set>"
        "</c:mkcalendar>"
    ).encode()


def _events(key: str, tongue: str, now: datetime) -> Iterator[bytes]:
    """Return the events of a calendar, each as an object of its own (RFC 4791 4.1)."""
    for number, entry in enumerate(_ENTRIES):
        if entry.calendar != key:
            continue
        event = icalendar.Event()
        event.add("uid", f"{number}@demo.house")
        event.add("dtstamp", now)
        event.add("summary", entry.de if tongue == "de" else entry.en)
        start, end = _times(entry, now)
        event.add("dtstart", start)
        event.add("dtend", end)
        if entry.repeats:
            event.add("rrule", entry.repeats)
        calendar = icalendar.Calendar()
        calendar.add("prodid", "-//CAESAR//demo house//EN")
        calendar.add("version", "2.0")
        calendar.add_component(event)
        calendar.add_missing_timezones()
        yield calendar.to_ical()


def _times(entry: _Entry, now: datetime) -> tuple[date, date]:
    day = now.date() + timedelta(days=entry.day)
    if entry.clock is None:
        return day, day + timedelta(days=entry.days)
    start = datetime.combine(day, time(*entry.clock), tzinfo=now.tzinfo)
    return start, start + timedelta(minutes=entry.minutes)


async def _ask(
    http: aiohttp.ClientSession,
    method: str,
    place: str,
    body: bytes | None = None,
    *,
    missing_is_fine: bool = False,
) -> None:
    try:
        async with http.request(method, place, data=body) as reply:
            if reply.ok or (missing_is_fine and reply.status == 404):
                return
            status = str(reply.status)
    except (aiohttp.ClientError, TimeoutError) as err:
        status = type(err).__name__
    raise HouseError(f"The demo house's calendars could not be made: {status}.")
