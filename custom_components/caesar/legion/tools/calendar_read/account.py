"""The calendars of an account: which there are, and what is stored in them."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
import time
from typing import Final
from urllib.parse import unquote

from caldav.lib.error import DAVError
from caldav.response import CalendarQueryResult, PropfindResult
import httpx

from .dav import GuardedClient
from .problems import CalendarProblem, Problem
from .settings import Settings

MAX_CALENDARS: Final = 20
AT_ONCE: Final = 8
# How long the list of calendars stays true, in seconds.
LIST_S: Final = 900.0

_MARGIN: Final = timedelta(days=8)
_DAV: Final = "{DAV:}"
_CALDAV: Final = "{urn:ietf:params:xml:ns:caldav}"
_PRINCIPAL: Final = f"{_DAV}current-user-principal"
_HOME: Final = f"{_CALDAV}calendar-home-set"
_NAME: Final = f"{_DAV}displayname"
_TYPE: Final = f"{_DAV}resourcetype"
_KINDS: Final = f"{_CALDAV}supported-calendar-component-set"
_PROPS: Final = [_PRINCIPAL, _HOME, _NAME, _TYPE, _KINDS]
# caldav asserts, and takes for granted, much of what the XML of an answer should hold.
_NOT_AS_EXPECTED: Final = (
    DAVError,
    ValueError,
    AttributeError,
    TypeError,
    AssertionError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """A calendar: where it is, and what its owner calls it."""

    url: str
    name: str

    def is_called(self, name: str) -> bool:
        """Tell whether a person means this one by `name`."""
        last = unquote(self.url.rstrip("/").rsplit("/", 1)[-1])
        return name.casefold() in {self.name.casefold(), last.casefold()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What a calendar holds for a span of time, as iCalendar objects, or why not."""

    calendar: str
    objects: tuple[str, ...] = ()
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """What to ask a server for, and when the event loop's clock says it is over.

    More than was asked on each side: servers are at odds about all-day events near
    midnight and about floating times, and some find an instance that was moved only
    through another of its series, which mostly is a week away.
    """

    start: datetime
    end: datetime
    over: float


class Account:
    """Reads from one account, and remembers for a while which calendars it has."""

    def __init__(
        self, settings: Settings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the settings; `clock` counts seconds."""
        self._settings = settings
        self._clock = clock
        self._client = GuardedClient(settings)
        self._known: tuple[Calendar, ...] | None = None
        self._known_until = 0.0

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def fetch(
        self, start: datetime, end: datetime, seconds: float
    ) -> tuple[Fetched, ...]:
        """Return what every wanted calendar holds that may touch the span.

        A calendar that isn't there after `seconds` is a problem of its own. Raises
        CalendarProblem if not even the list of calendars can be had.
        """
        over = asyncio.get_running_loop().time() + seconds
        span = _Span(start=start - _MARGIN, end=end + _MARGIN, over=over)
        remembered = self._known is not None and self._clock() < self._known_until
        calendars = await self._calendars(over)
        fetched = await self._all(calendars, span)
        # A password changed, or a calendar moved, since the list was made.
        stale = {Problem.AUTH, Problem.FORBIDDEN, Problem.NOT_FOUND}
        if remembered and any(item.problem in stale for item in fetched):
            self._known = None
            self._client.auth = None
            calendars = await self._calendars(over)
            fetched = await self._all(calendars, span)
        return (*fetched, *self._missing(calendars))

    async def _all(
        self, calendars: Iterable[Calendar], span: _Span
    ) -> tuple[Fetched, ...]:
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(calendar: Calendar) -> Fetched:
            return await self._one(calendar, span, slots)

        return tuple(
            await asyncio.gather(*(one(item) for item in self._wanted(calendars)))
        )

    async def _one(
        self, calendar: Calendar, span: _Span, slots: asyncio.Semaphore
    ) -> Fetched:
        """Fetch from one calendar; what goes wrong there stays there."""
        try:
            async with asyncio.timeout_at(span.over), slots:
                reply = await self._client.calendar_query(
                    calendar.url, start=span.start, end=span.end, event=True
                )
        except CalendarProblem as err:
            return Fetched(calendar=calendar.name, problem=err.problem)
        except TimeoutError:
            return Fetched(calendar=calendar.name, problem=Problem.TIMEOUT)
        except _NOT_AS_EXPECTED:
            return Fetched(calendar=calendar.name, problem=Problem.NOT_CALDAV)
        return Fetched(
            calendar=calendar.name,
            objects=tuple(
                item.calendar_data
                for item in reply.results or ()
                if isinstance(item, CalendarQueryResult)
                and isinstance(item.calendar_data, str)
            ),
        )

    def _wanted(self, calendars: Iterable[Calendar]) -> list[Calendar]:
        names = self._settings.calendar_names
        return [
            calendar
            for calendar in calendars
            if not names or any(calendar.is_called(name) for name in names)
        ]

    def _missing(self, calendars: tuple[Calendar, ...]) -> tuple[Fetched, ...]:
        return tuple(
            Fetched(calendar=name, problem=Problem.NO_SUCH_CALENDAR)
            for name in self._settings.calendar_names
            if not any(calendar.is_called(name) for calendar in calendars)
        )

    async def _calendars(self, over: float) -> tuple[Calendar, ...]:
        if self._known is None or self._clock() >= self._known_until:
            try:
                async with asyncio.timeout_at(over):
                    self._known = await self._discover()
            except TimeoutError as err:
                raise CalendarProblem(Problem.TIMEOUT) from err
            self._known_until = self._clock() + LIST_S
        return self._known

    async def _discover(self) -> tuple[Calendar, ...]:
        """Find the calendars as RFC 6764 section 6 says, from any address of them.

        The address may be a calendar's own, the account's, or the server's.
        """
        address = httpx.URL(self._settings.url)
        problem: CalendarProblem | None = None
        for start in (address, address.join("/.well-known/caldav")):
            try:
                calendars = await self._discover_from(start)
            except CalendarProblem as err:
                if err.problem not in {
                    Problem.NOT_CALDAV,
                    Problem.NOT_FOUND,
                    Problem.FORBIDDEN,
                }:
                    raise
                problem = problem or err
                continue
            if calendars:
                return calendars
            problem = CalendarProblem(Problem.NO_CALENDARS)
        raise problem or CalendarProblem(Problem.NO_CALENDARS)

    async def _discover_from(self, start: httpx.URL) -> tuple[Calendar, ...]:
        here = await self._properties(start, depth=0)
        if direct := _calendars_among(here, start):
            return tuple(direct)
        homes = _links(here, _HOME)
        if not homes and (principals := _links(here, _PRINCIPAL)):
            principal = start.join(principals[0])
            homes = [
                str(principal.join(link))
                for link in _links(await self._properties(principal, depth=0), _HOME)
            ]
        found: dict[str, Calendar] = {}
        for home in homes or [str(start)]:
            base = start.join(home)
            for calendar in _calendars_among(
                await self._properties(base, depth=1), base
            ):
                found.setdefault(calendar.url, calendar)
        return tuple(found.values())[:MAX_CALENDARS]

    async def _properties(self, url: httpx.URL, *, depth: int) -> list[PropfindResult]:
        try:
            reply = await self._client.propfind(str(url), props=_PROPS, depth=depth)
            results = reply.results or ()
            return [item for item in results if isinstance(item, PropfindResult)]
        except _NOT_AS_EXPECTED as err:
            raise CalendarProblem(Problem.NOT_CALDAV) from err


def _calendars_among(
    resources: Iterable[PropfindResult], base: httpx.URL
) -> list[Calendar]:
    """Return those that are calendars and may hold events."""
    calendars = []
    for resource in resources:
        kinds = resource.properties.get(_TYPE)
        holds = resource.properties.get(_KINDS)
        if not isinstance(kinds, list) or f"{_CALDAV}calendar" not in kinds:
            continue
        if isinstance(holds, list) and "VEVENT" not in holds:
            continue
        name = resource.properties.get(_NAME)
        url = str(base.join(resource.href))
        if not isinstance(name, str) or not name.strip():
            name = unquote(url.rstrip("/").rsplit("/", 1)[-1])
        calendars.append(Calendar(url=url, name=" ".join(name.split())[:80]))
    return calendars


def _links(resources: Iterable[PropfindResult], key: str) -> list[str]:
    """Return the addresses under a property of the first resource that has it."""
    for resource in resources:
        value = resource.properties.get(key)
        links = value if isinstance(value, list) else [value]
        if texts := [link for link in links if isinstance(link, str) and link]:
            return texts[:3]
    return []
