"""Commands for later: kept with who gave them, and run as that caller when due.

A command runs at most once: its row is gone from the disk before anything happens. What
it does is judged then, by the policy of then, like anything else that its giver says.
What fell into a time when Home Assistant was off is told, and not run.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
import logging
from typing import Any, Final, Protocol

from homeassistant.components import persistent_notification
from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.helpers.event import async_track_point_in_utc_time
from homeassistant.helpers.start import async_at_started
from homeassistant.util import dt as dt_util

from ..audit.event import AuditEvent, AuditEventType, AuditLog, AuditUnavailable
from ..brain.loop import Finish
from ..policy.caller import Caller, Origin
from ..turn import Taint, Turn
from ..wording import async_wording
from .callers import async_build_again
from .delayed_store import Planned, PlanStore
from .report import TurnReport
from .turns import new_turn, session_key
from .users import Users

_LOGGER = logging.getLogger(__name__)

# Later than this it is told, and not run: nobody expects it any more.
LATE_S: Final = 300.0
STOP_WAIT_S: Final = 10.0
MOST_OF_A_GIVER: Final = 10
MOST: Final = 100
NOTICE_ID: Final = "caesar_planned"


class Agent(Protocol):
    """Runs the turns of one agent (`Assistant`)."""

    async def async_run_later(self, text: str, turn: Turn) -> TurnReport:
        """Run a turn whose words were said earlier."""


class Tell(Protocol):
    """Tells who asked something earlier (`Approvals.async_tell`). Never raises."""

    async def __call__(
        self, caller: Caller, session: str, text: str, parked: str | None = None
    ) -> None:
        """Tell them."""


type Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayedParts:
    """All that planned commands stand on.

    `agent` returns one by its id; `clock` is the turns' own.
    """

    hass: HomeAssistant
    store: PlanStore
    audit: AuditLog
    users: Users
    agent: Callable[[str], Agent | None]
    revision: Callable[[], str]
    tell: Tell
    spawn: Spawn
    clock: Callable[[], float]


class PlannedCommands:
    """Keeps commands, runs each when it is due, and says what came of it."""

    def __init__(self, parts: DelayedParts) -> None:
        """Stand on these parts; nothing is read before `async_start`."""
        self._parts = parts
        self._plans: dict[str, Planned] = {}
        self._ends: dict[str, CALLBACK_TYPE] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._stop_start: CALLBACK_TYPE | None = None
        self._ready = False

    async def async_start(self) -> None:
        """Read what an earlier run left; it is due only once all has started."""
        try:
            kept = await self._parts.store.load()
        except AuditUnavailable as err:
            kept = ()
            # It may be stopped before all of it has started.
            if not self._parts.hass.is_stopping:
                _LOGGER.warning("Planned commands can't be read: %s", err)
        for planned in kept:
            self._plans[planned.id] = planned
        self._stop_start = async_at_started(self._parts.hass, self._async_started)

    async def async_stop(self) -> None:
        """Run nothing more; what is planned stays on disk."""
        self._ready = False
        if self._stop_start is not None:
            self._stop_start()
            self._stop_start = None
        for end in self._ends.values():
            end()
        self._ends.clear()
        self._plans.clear()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=STOP_WAIT_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    def of(self, caller: Caller) -> tuple[Planned, ...]:
        """Return what this caller has planned, the next one first."""
        return tuple(sorted(self.as_given(caller), key=lambda each: each.due_at))

    def as_given(self, caller: Caller) -> tuple[Planned, ...]:
        """Return what this caller has planned, in the order in which it was given."""
        own = [each for each in self._plans.values() if _is_same(each.caller, caller)]
        return tuple(sorted(own, key=lambda each: each.given_at))

    def is_full(self, caller: Caller) -> bool:
        """Return whether this caller, or the whole house, can plan no more."""
        return len(self._plans) >= MOST or len(self.of(caller)) >= MOST_OF_A_GIVER

    async def add(self, planned: Planned) -> None:
        """Keep a command, which is then on the disk. Raises AuditUnavailable."""
        await self._parts.store.put(planned)
        self._plans[planned.id] = planned
        if self._ready:
            self._wait(planned)

    async def cancel(self, planned: Planned) -> bool:
        """Drop a command; False if it runs already. Raises AuditUnavailable."""
        taken = await self._parts.store.take(planned.id)
        self._forget(planned)
        return taken

    async def forget(self, user_id: str | None) -> int:
        """Cancel all that a user has planned, or everybody; return how many.

        Raises AuditUnavailable: then some are left.
        """
        covered = [
            each
            for each in self._plans.values()
            if user_id is None or each.caller.user_id == user_id
        ]
        return sum([await self.cancel(each) for each in covered])

    @callback
    def _async_started(self, _hass: HomeAssistant) -> None:
        self._stop_start = None
        self._ready = True
        for planned in self._plans.values():
            self._wait(planned)

    @callback
    def _wait(self, planned: Planned) -> None:
        @callback
        def due(_now: object) -> None:
            self._ends.pop(planned.id, None)
            task = self._parts.spawn(self._fire(planned), "caesar planned command")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        self._ends[planned.id] = async_track_point_in_utc_time(
            self._parts.hass, due, dt_util.utc_from_timestamp(planned.due_at)
        )

    def _forget(self, planned: Planned) -> None:
        self._plans.pop(planned.id, None)
        if end := self._ends.pop(planned.id, None):
            end()

    async def _fire(self, planned: Planned) -> None:
        """Run a command that is due, or say why it can't be. Never raises."""
        self._forget(planned)
        try:
            if await self._parts.store.take(planned.id):
                await self._run(planned)
        except AuditUnavailable as err:
            # It might run a second time after a restart, so it doesn't run now.
            _LOGGER.warning("A planned command can't be taken up: %s", err)
        except Exception:
            # Nobody waits for this task, and a turn may fail in any way of its brain's.
            _LOGGER.exception("A planned command failed")

    async def _run(self, planned: Planned) -> None:
        parts = self._parts
        if dt_util.utcnow().timestamp() - planned.due_at > LATE_S:
            await self._drop(planned, "missed")
            return
        context = Context(user_id=planned.caller.user_id)
        caller = await async_build_again(
            parts.hass, parts.users, planned.caller, context
        )
        agent = parts.agent(planned.caller.agent_id)
        if caller is None or agent is None:
            await self._drop(planned, "caller_gone" if caller is None else "no_agent")
            return
        turn = new_turn(
            caller,
            planned.language,
            parts.clock(),
            planned.tools,
            trusted=Taint.UNTRUSTED not in planned.taint,
        )
        turn.planned = True
        turn.taint |= planned.taint
        await self._record(AuditEventType.LOOP_RESUMED, planned, caller, turn, "due")
        report = await agent.async_run_later(planned.command, turn)
        parked = report.parked if report.finish is Finish.PARKED else None
        text = await self._text(planned, "planned_done", text=report.spoken)
        await parts.tell(caller, session_key(caller).text, text, parked)

    async def _drop(self, planned: Planned, why: str) -> None:
        """Say that a command was not run, to its giver if there still is one."""
        parts, caller = self._parts, planned.caller
        await self._record(AuditEventType.LOOP_ABANDONED, planned, caller, None, why)
        if why == "missed":
            text = await self._text(planned, "planned_missed", command=planned.command)
            await parts.tell(caller, session_key(caller).text, text)
            return
        # Every user sees it, so it says nothing of what the command was.
        persistent_notification.async_create(
            parts.hass,
            await self._text(planned, f"planned_{why}"),
            "CAESAR",
            NOTICE_ID,
        )

    async def _text(self, planned: Planned, key: str, **values: str) -> str:
        wording = await async_wording(self._parts.hass, planned.language)
        return wording.text(key, **values)

    async def _record(
        self,
        type_: AuditEventType,
        planned: Planned,
        caller: Caller,
        turn: Turn | None,
        reason: str,
    ) -> None:
        """Write that a command came back, or never will; its words stay out."""
        event = AuditEvent(
            type=type_,
            decision_id=turn.decision_id if turn else planned.given_in,
            caller=caller,
            policy_rev=self._parts.revision(),
            payload={
                "turn_id": turn.decision_id if turn else planned.given_in,
                "planned_in": planned.given_in,
                "due_at": planned.due_at,
                "taint": sorted(planned.taint),
                "reason": reason,
            },
        )
        try:
            await self._parts.audit.record(event)
        except AuditUnavailable:
            _LOGGER.warning("What became of a planned command is missing in the trail")


def _is_same(giver: Caller, caller: Caller) -> bool:
    """Return whether a command is this caller's own: the user's, or the satellite's."""
    if caller.user_id is not None or giver.user_id is not None:
        return giver.user_id == caller.user_id
    return (
        giver.origin is caller.origin is Origin.VOICE
        and giver.satellite_id == caller.satellite_id
    )
