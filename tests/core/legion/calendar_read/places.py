"""Real CalDAV servers, filled by plain requests (RFC 4791 5.3), and questions to them."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import httpx

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.calendar_read.settings import Settings
from custom_components.caesar.legion.tools.calendar_read.worker import CalendarWorker
from custom_components.caesar.legion.worker import Task
from house.servers import Servers
from tests.core.legion.calendar_read.shapes import FIRST, LAST

# A Monday, a week before the clocks go back in Europe.
NOW = datetime(2026, 10, 19, 10, 0, tzinfo=UTC)
# A question for all that the shapes hold.
RANGE: dict[str, Json] = {
    "from": FIRST.isoformat(),
    "to": LAST.isoformat(),
    "limit": 200,
}

_NAMED = (
    '<c:mkcalendar xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:set>'
    "<d:prop><d:displayname>{name}</d:displayname></d:prop></d:set></c:mkcalendar>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A server: where it is, and below which path its owner's calendars lie."""

    name: str
    url: str
    home: str
    username: str
    password: str

    def settings(self, *calendars: str, path: str = "", **changes: str) -> Settings:
        """Return the settings that read these calendars (none named: all)."""
        given: dict[str, Any] = {
            "username": self.username,
            "password": self.password,
            **changes,
        }
        return Settings(url=self.url + path, calendar_names=calendars, **given)

    def make(self, calendar: str, objects: Sequence[str]) -> None:
        """Make a calendar anew with these objects."""
        place = f"{self.url}{self.home}{calendar}/"
        self.remove(calendar)
        with self._http() as http:
            http.request(
                "MKCALENDAR", place, content=_NAMED.format(name=calendar)
            ).raise_for_status()
            for number, text in enumerate(objects):
                http.put(
                    f"{place}{number}.ics",
                    content=text,
                    headers={"Content-Type": "text/calendar; charset=utf-8"},
                ).raise_for_status()

    def remove(self, calendar: str) -> None:
        """Remove a calendar, if there is one."""
        with self._http() as http:
            http.delete(f"{self.url}{self.home}{calendar}/")

    def _http(self) -> httpx.Client:
        auth = httpx.BasicAuth(self.username, self.password)
        return httpx.Client(auth=auth, trust_env=False, timeout=30)


def places(servers: Servers) -> Iterable[Place]:
    """Return both servers; Xandikos is open to all, and ignores the password."""
    owner = servers.username
    for name, url, home in (
        ("Radicale", servers.calendar, f"{owner}/"),
        ("Xandikos", servers.xandikos, f"{owner}/calendars/"),
    ):
        yield Place(
            name=name, url=url, home=home, username=owner, password=servers.password
        )


def task(
    given: Mapping[str, Json],
    *,
    zone: str = "Europe/Berlin",
    language: str = "en",
    timeout_s: float = 15,
) -> Task:
    """Return a question."""
    return Task(
        id="0" * 32,
        tool="calendar_read",
        input=given,
        timeout_s=timeout_s,
        hints=Hints(language=language, timezone=zone),
    )


@asynccontextmanager
async def worker(
    settings: Settings, now: datetime = NOW
) -> AsyncIterator[CalendarWorker]:
    """Run a worker as long as the block lasts."""
    running = CalendarWorker(settings, lambda: now)
    await running.start()
    try:
        yield running
    finally:
        await running.stop()


async def ask(
    settings: Settings, given: Mapping[str, Json], now: datetime = NOW, **hints: str
) -> dict[str, Any]:
    """Ask a worker of its own one question."""
    async with worker(settings, now) as running:
        return cast(
            "dict[str, Any]", await running.handle(task(given, **cast("Any", hints)))
        )


def titles(answer: Mapping[str, Any]) -> list[str]:
    """Return the titles of the events of an answer, or of a report, in order."""
    return [event["title"] for event in answer["events"]]
