"""Answers what is on the calendars: fetch, work out in a child, sort, put into words."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib import import_module
import json
from typing import TYPE_CHECKING, Any, ClassVar, Final, override

from ...canonical import Json
from ...child import ChildFailed, ChildTimeout, run_killable
from ...spec import ToolSpec
from ...worker import Task, Worker
from .problems import PARTIAL, CalendarProblem, Problem, words
from .refusals import PROBLEMS
from .settings import Settings
from .spec import SPEC
from .speech import WEEKDAYS, Event, say
from .window import Window, window_of, zone_of

if TYPE_CHECKING:
    # They bring caldav, lxml and httpx: not before somebody asks.
    from .account import Account, Fetched

EXPAND: Final = "tools.calendar_read.expand:expand"
CHILD_BYTES: Final = 536_870_912
# Shares of a task's time, and at most so many seconds.
_FETCH: Final = (0.5, 7.0)
_EXPAND: Final = (0.25, 4.0)
_EXPAND_ALONE: Final = (0.2, 3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trouble:
    calendar: str
    problem: Problem


class CalendarWorker(Worker):
    """Serves `calendar_read` from one CalDAV account."""

    tools: ClassVar[tuple[ToolSpec, ...]] = (SPEC,)

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Take the account's settings; `clock` tells the time, with an offset."""
        self._settings = settings
        self._clock = clock
        self._account: Account | None = None
        self._opening = asyncio.Lock()

    @override
    async def stop(self) -> None:
        """Close the connections."""
        if self._account is not None:
            await self._account.close()
            self._account = None

    @override
    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Return the events of the time asked for. Raises TaskError."""
        zone = zone_of(task.hints.timezone)
        window = window_of(task.input, zone, self._clock(), self._settings)
        account = await self._opened()
        share, most = _FETCH
        try:
            fetched = await account.fetch(
                window.start, window.end, min(most, share * task.timeout_s)
            )
        except CalendarProblem as err:
            raise PROBLEMS[err.problem].error() from err
        reports, troubles = await _worked_out(fetched, window, task.timeout_s)
        if not reports:
            problem = troubles[0].problem if troubles else Problem.NO_CALENDARS
            raise PROBLEMS[problem].error()
        return _result(window, task.hints.language, reports, troubles)

    async def _opened(self) -> "Account":
        """Return the account, opened at the first question: it costs 0.2 s and 20 MB."""
        async with self._opening:
            if self._account is None:
                self._account = await asyncio.to_thread(_open, self._settings)
            return self._account


def _open(settings: Settings) -> "Account":
    module = import_module(".account", __package__)
    account: Account = module.Account(settings)
    return account


async def _worked_out(
    fetched: "Sequence[Fetched]", window: Window, timeout_s: float
) -> tuple[list[tuple[str, dict[str, Any]]], list[_Trouble]]:
    """Return the report of each calendar that could be worked out, and the troubles.

    All go into one child; if that doesn't come back, each gets its own, so that the one
    at fault stands alone.
    """
    good = [item for item in fetched if item.problem is None]
    troubles = [
        _Trouble(calendar=item.calendar, problem=item.problem)
        for item in fetched
        if item.problem is not None
    ]
    if not good:
        return [], troubles
    share, most = _EXPAND
    answers = await _expanded(good, window, min(most, share * timeout_s))
    if answers[0] is None and len(good) > 1:
        share, most = _EXPAND_ALONE
        alone = min(most, share * timeout_s)
        answers = [
            answer
            for (answer,) in await asyncio.gather(
                *(_expanded([item], window, alone) for item in good)
            )
        ]
    reports = []
    for item, answer in zip(good, answers, strict=True):
        name = item.calendar
        if answer is None:
            troubles.append(_Trouble(calendar=name, problem=Problem.TOO_HEAVY))
            continue
        reports.append((name, answer))
        if answer["heavy"]:
            troubles.append(_Trouble(calendar=name, problem=Problem.REPEATS_TOO_OFTEN))
        if answer["broken"]:
            troubles.append(_Trouble(calendar=name, problem=Problem.BROKEN_EVENTS))
    return reports, troubles


async def _expanded(
    fetched: "Sequence[Fetched]", window: Window, seconds: float
) -> list[dict[str, Any] | None]:
    """Return what the child makes of each calendar; None for all if it fails."""
    if not any(item.objects for item in fetched):
        return [{"events": [], "total": 0, "heavy": 0, "broken": 0} for _ in fetched]
    argument = {
        "zone": window.zone.key,
        "start": window.start.astimezone(UTC).isoformat(),
        "end": window.end.astimezone(UTC).isoformat(),
        "limit": window.limit,
        "calendars": [item.objects for item in fetched],
    }
    try:
        answer = await run_killable(
            EXPAND,
            json.dumps(argument).encode(),
            timeout_s=seconds,
            memory_bytes=CHILD_BYTES,
        )
    except (ChildTimeout, ChildFailed):
        return [None] * len(fetched)
    reports: list[dict[str, Any] | None] = json.loads(answer)["calendars"]
    return reports


def _result(
    window: Window,
    language: str,
    reports: Sequence[tuple[str, dict[str, Any]]],
    troubles: Sequence[_Trouble],
) -> dict[str, Json]:
    rows = [
        (row["order"], name, row)
        for name, report in reports
        for row in report["events"]
    ]
    rows.sort(key=lambda item: (item[0], item[1], item[2]["title"]))
    total = sum(report["total"] for _, report in reports)
    events = [_event(name, row) for _, name, row in rows[: window.limit]]
    spoken = say(
        language,
        window,
        events,
        total,
        [item.calendar for item in troubles if item.problem not in PARTIAL],
        left_out=any(item.problem in PARTIAL for item in troubles),
    )
    result: dict[str, Json] = {
        "say": spoken,
        "from": window.start.isoformat(),
        "to": window.end.isoformat(),
        "timezone": window.zone.key,
        "calendars": [name for name, _ in reports],
        "events": [_as_json(event) for event in events],
    }
    if total > len(events):
        result["total"] = total
    if troubles:
        result["errors"] = [
            {
                "calendar": item.calendar,
                "code": item.problem.value,
                "message": words(item.problem),
            }
            for item in troubles
        ]
    return result


def _event(calendar: str, row: Mapping[str, Any]) -> Event:
    read = date.fromisoformat if row["all_day"] else datetime.fromisoformat
    return Event(
        title=row["title"],
        start=read(row["start"]),
        end=read(row["end"]),
        all_day=row["all_day"],
        calendar=calendar,
        location=row["location"],
        description=row["description"],
    )


def _as_json(event: Event) -> dict[str, Json]:
    """Return an event without what is empty, and with the day that a model miscounts."""
    shown: dict[str, Json] = {
        "title": event.title,
        "start": event.start.isoformat(),
        "end": event.end.isoformat(),
        "weekday": WEEKDAYS[event.start.weekday()],
        "all_day": event.all_day,
        "calendar": event.calendar,
    }
    if event.location:
        shown["location"] = event.location
    if event.description:
        shown["description"] = event.description
    return shown
