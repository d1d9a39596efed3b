"""Turns that wait for a person: kept, taken up again once, told how they ended.

A checkpoint is on disk before the question is told. An answer takes it up in a task of
the entry's own; what was taken up is never taken up a second time, so that a crash in
the middle repeats nothing (SPEC E-5). Nothing here decides anything: the kept calls go
through the gate, under the policy of that moment.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
import logging
from typing import Any, Final, Protocol

from homeassistant.core import CALLBACK_TYPE, Context, HomeAssistant, callback
from homeassistant.helpers.start import async_at_started

from ..audit.checkpoints import KeptTurn, RowState
from ..audit.event import AuditEvent, AuditEventType, AuditUnavailable
from ..brain.checkpoint import Answered, Answers, Checkpoint, answered, turn_of
from ..brain.loop import Finish, LoopEvent
from ..legion.canonical import Json
from ..policy.caller import Caller
from ..policy.reason import Code
from ..sentinel.approvals import PendingApproval, Standing, Via
from ..sentinel.noting import Noting
from ..turn import Turn
from .audit_log import HouseAuditLog
from .callers import async_build_again
from .parked_store import ParkedStore
from .report import TurnReport
from .resumed import Resumed
from .turns import TURN_LIMIT_S
from .users import Users

_LOGGER = logging.getLogger(__name__)

EVENT_TURN_FINISHED: Final = "caesar_turn_finished"
STOP_WAIT_S: Final = 10.0
_ANSWERED: Final = frozenset({Standing.APPROVED, Standing.DENIED, Standing.EXPIRED})


class Desk(Protocol):
    """The approval desk, as far as parked turns know it."""

    noting: Noting

    def find(self, approval_id: str) -> PendingApproval | None:
        """Return a question and how it stands."""

    def pending(self) -> tuple[PendingApproval, ...]:
        """Return what waits for an answer."""

    def listen(self, callback: Callable[[PendingApproval], None]) -> Callable[[], None]:
        """Hear of every change of a standing, until what is returned is called."""

    async def withdraw(self, approval_id: str) -> None:
        """End a question that nobody waits for any more. Never raises."""


class Agent(Protocol):
    """Runs the turns of one agent (`Assistant`)."""

    def async_resume(
        self, checkpoint: Checkpoint, turn: Turn, answers: Answers
    ) -> AsyncIterator[LoopEvent | TurnReport]:
        """Go on with a parked turn; the report is last."""

    async def async_give_up(self, turn: Turn, finish: Finish) -> TurnReport:
        """End a parked turn that can't go on; return the words for that."""


type Deliver = Callable[[PendingApproval, TurnReport], Awaitable[None]]
type Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedParts:
    """All that parked turns stand on.

    `agents` by their ids may be filled later. `deliver` tells how a turn ended that
    nobody reads. `clock` is the turns' own, `now` unix seconds.
    """

    hass: HomeAssistant
    desk: Desk
    audit: HouseAuditLog
    users: Users
    agents: Mapping[str, Agent]
    deliver: Deliver
    spawn: Spawn
    clock: Callable[[], float]
    now: Callable[[], float]


class ParkedTurns:
    """Keeps parked turns, and goes on with them when their question is answered."""

    def __init__(self, parts: ParkedParts) -> None:
        """Stand on these parts; nothing is touched before `async_start`."""
        self._parts = parts
        self._store = ParkedStore(parts.audit)
        self._waiting: dict[str, str] = {}
        self._running: dict[str, Resumed] = {}
        self._tasks: set[asyncio.Future[Any]] = set()
        self._ready = False
        self._stopped = False
        self._since = 0.0
        self._unsubscribe: list[CALLBACK_TYPE] = []

    @callback
    def async_start(self) -> None:
        """Listen to the desk; look at what an earlier run left once all has started."""
        self._stopped = False
        self._since = self._parts.now()
        self._unsubscribe = [self._parts.desk.listen(self._decided)]
        # May run to its end at once.
        self._unsubscribe.append(
            async_at_started(self._parts.hass, self._async_started)
        )

    async def async_stop(self) -> None:
        """Take nothing up any more; wait a little for turns that go on."""
        self._ready, self._stopped = False, True
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._unsubscribe = []
        self._waiting.clear()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=STOP_WAIT_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)

    async def keep(self, checkpoint: Checkpoint) -> bool:
        """Put a parked turn on disk; False if that can't be done.

        Goes on to its end when the turn is cancelled: a parked one stays parked.
        """
        keeping = asyncio.ensure_future(self._keep(checkpoint))
        self._tasks.add(keeping)
        keeping.add_done_callback(self._tasks.discard)
        return await asyncio.shield(keeping)

    async def _keep(self, checkpoint: Checkpoint) -> bool:
        parts, now = self._parts, self._parts.now()
        approval_id = next(iter(checkpoint.approval_ids), "")
        pending = parts.desk.find(approval_id)
        if pending is None:
            return False
        checkpoint = replace(checkpoint, created_at=now, expires_at=pending.expires_at)
        if not await self._store.put(checkpoint, approval_id):
            await parts.desk.withdraw(approval_id)
            return False
        older = self._waiting.get(approval_id, checkpoint.decision_id)
        self._waiting[approval_id] = checkpoint.decision_id
        if older != checkpoint.decision_id:
            await self._give_way(older, approval_id)
        await self._record(
            AuditEventType.LOOP_CHECKPOINTED, checkpoint.caller, _facts(checkpoint)
        )
        if (pending := parts.desk.find(approval_id)) is not None:
            # It may have been answered while it went to the disk.
            self._decided(pending)
        return True

    async def resume_now(
        self, approval_id: str
    ) -> AsyncIterator[LoopEvent | TurnReport]:
        """Follow a turn whose question this conversation has just answered.

        Yields its events as they come, its report last; nothing at all if no turn
        waits for that answer (yet). The turn goes on without its reader too.
        """
        if (resumed := self._running.get(approval_id)) is None:
            return
        async for event in resumed.read():
            yield event

    async def forget(self, approval_ids: list[str]) -> int:
        """Delete what waits for these and does not go on yet. Raises AuditUnavailable."""
        idle = [each for each in approval_ids if each not in self._running]
        for approval_id in idle:
            self._waiting.pop(approval_id, None)
        return await self._store.forget_all(idle)

    @callback
    def _decided(self, pending: PendingApproval) -> None:
        """Take a turn up when its question is answered or has run out."""
        if not self._ready or pending.standing not in _ANSWERED:
            return
        if (decision_id := self._waiting.pop(pending.id, None)) is None:
            return
        self._take_up(pending, decision_id)

    def _take_up(self, pending: PendingApproval, decision_id: str) -> None:
        resumed = self._running[pending.id] = Resumed()
        task = self._parts.spawn(
            self._go_on(pending, decision_id, resumed), f"caesar turn {decision_id}"
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # Not before it has been heard: the conversation that answered comes to follow
        # the turn only when the desk has taken the answer down, and may find it over.
        task.add_done_callback(lambda _: self._running.pop(pending.id, None))

    async def _async_started(self, _hass: HomeAssistant) -> None:
        """Look at what an earlier run left behind."""
        left = await self._store.load()
        self._ready = not self._stopped
        for kept in left or ():
            if self._ready and kept.approval_id not in self._running:
                await self._found(kept)
        if left is None or not self._ready:
            return
        # Home Assistant ended while a turn was waiting, before it was parked: a yes to
        # its question would lead to nothing.
        known = {kept.approval_id for kept in left}
        for pending in self._parts.desk.pending():
            if pending.created_at < self._since and pending.id not in known:
                await self._parts.desk.withdraw(pending.id)

    async def _give_way(self, decision_id: str, approval_id: str) -> None:
        """Forget a turn: a later one of its conversation waits for the same answer."""
        await self._store.forget(decision_id, approval_id)
        await self._abandoned(decision_id, None, "asked_again")

    async def _found(self, kept: KeptTurn) -> None:
        pending = self._parts.desk.find(kept.approval_id)
        if pending is None:
            await self._store.forget(kept.decision_id, kept.approval_id)
            await self._abandoned(kept.decision_id, None, "unknown_approval")
        elif kept.state is RowState.WAITING and pending.standing is Standing.WAITING:
            self._waiting[pending.id] = kept.decision_id
        else:
            self._waiting.pop(pending.id, None)
            self._take_up(pending, kept.decision_id)

    async def _go_on(
        self, pending: PendingApproval, decision_id: str, resumed: Resumed
    ) -> None:
        """Run what is left of a turn, and see to it that somebody hears how it ended."""
        try:
            report = await self._to_its_end(pending, decision_id, resumed)
            resumed.end()
            await self._store.forget(decision_id, pending.id)
            if report is None:
                return
            if report.finish is not Finish.PARKED:
                self._fire(pending, report)
            in_conversation = pending.via in (Via.CHAT, Via.VOICE)
            if not await resumed.was_read(expected=in_conversation):
                await self._parts.deliver(pending, report)
        finally:
            resumed.end()
            self._running.pop(pending.id, None)

    async def _to_its_end(
        self, pending: PendingApproval, decision_id: str, resumed: Resumed
    ) -> TurnReport | None:
        try:
            return await self._resume(pending, decision_id, resumed)
        except Exception:
            # Whatever broke, a person waits for words, and the row must not stay.
            _LOGGER.exception("A turn that was parked could not go on")
            report = await self._abandon(pending, Finish.ABANDONED, "error")
            if report is not None:
                resumed.add(report)
            return report

    async def _resume(
        self, pending: PendingApproval, decision_id: str, resumed: Resumed
    ) -> TurnReport | None:
        """Take the turn up, which is on disk before anything runs."""
        checkpoint, why = await self._store.take(decision_id, pending.id)
        agent = self._parts.agents.get(pending.caller.agent_id)
        caller = await self._caller(pending.caller)
        if checkpoint is not None and (agent is None or caller is None):
            why = "no_agent" if agent is None else "caller_gone"
        if checkpoint is None or agent is None or caller is None:
            cut_off = pending.standing in (Standing.EXECUTING, Standing.INTERRUPTED)
            finish = Finish.INTERRUPTED if cut_off else Finish.ABANDONED
            report = await self._abandon(pending, finish, why)
            if report is not None:
                resumed.add(report)
            return report
        await self._parts.desk.noting.done(pending.id)
        await self._record(
            AuditEventType.LOOP_RESUMED,
            caller,
            {**_facts(checkpoint), "answer": pending.standing.value},
        )
        turn = turn_of(checkpoint, caller, self._parts.clock() + TURN_LIMIT_S)
        return await resumed.play(
            agent.async_resume(checkpoint, turn, self._answers(checkpoint))
        )

    async def _caller(self, before: Caller) -> Caller | None:
        """Return the caller with the rights of this moment; None if there is none."""
        context = Context(user_id=before.user_id, id=before.context_id)
        return await async_build_again(
            self._parts.hass, self._parts.users, before, context
        )

    def _answers(self, checkpoint: Checkpoint) -> Answers:
        """Return how the turn's questions were answered; open ones are left out."""
        answers: dict[str, Answered] = {}
        for approval_id in checkpoint.approval_ids:
            pending = self._parts.desk.find(approval_id)
            if pending is None:
                answers[approval_id] = Answered(code=Code.UNKNOWN_APPROVAL)
            elif pending.standing is not Standing.WAITING:
                answers[approval_id] = answered(pending)
        return answers

    async def _abandon(
        self, pending: PendingApproval, finish: Finish, why: str
    ) -> TurnReport | None:
        """Give a turn up; return the words for it, None if no agent has any."""
        # A yes that nothing can be done with any more must not lie about.
        await self._parts.desk.withdraw(pending.id)
        await self._abandoned(pending.decision_id, pending.caller, why)
        agents = self._parts.agents
        agent = agents.get(pending.caller.agent_id) or next(iter(agents.values()), None)
        if agent is None:
            return None
        turn = Turn(
            decision_id=pending.decision_id,
            caller=pending.caller,
            language=pending.language,
            deadline=self._parts.clock() + TURN_LIMIT_S,
            session=pending.session,
        )
        return await agent.async_give_up(turn, finish)

    async def _abandoned(
        self, decision_id: str, caller: Caller | None, why: str
    ) -> None:
        await self._record(
            AuditEventType.LOOP_ABANDONED,
            caller,
            {"turn_id": decision_id, "reason": why},
        )

    async def _record(
        self, type_: AuditEventType, caller: Caller | None, payload: dict[str, Json]
    ) -> None:
        event = AuditEvent(
            type=type_,
            decision_id=str(payload["turn_id"]),
            caller=caller,
            policy_rev=str(payload.pop("policy_rev", "")),
            payload=payload,
        )
        try:
            await self._parts.audit.record(event)
        except AuditUnavailable:
            _LOGGER.warning("What became of a parked turn is missing in the trail")

    @callback
    def _fire(self, pending: PendingApproval, report: TurnReport) -> None:
        """Tell automations that a turn is over that had to wait: names, never words."""
        caller = pending.caller
        self._parts.hass.bus.async_fire(
            EVENT_TURN_FINISHED,
            {
                "decision_id": report.decision_id,
                "agent_id": caller.agent_id,
                "conversation_id": caller.conversation_id,
                "satellite_id": caller.satellite_id,
                "finish": report.finish.value,
                "calls": [dict(call) for call in report.calls],
            },
            context=Context(user_id=caller.user_id, parent_id=caller.context_id),
        )


def _facts(checkpoint: Checkpoint) -> dict[str, Json]:
    """Return what the trail holds of a parked turn: counts and states, no words."""
    return {
        "turn_id": checkpoint.decision_id,
        "calls": len(checkpoint.calls),
        "states": [call.state.value for call in checkpoint.calls],
        "iteration": checkpoint.iteration,
        "policy_rev": checkpoint.policy_rev,
    }
