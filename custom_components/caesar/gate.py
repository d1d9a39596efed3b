"""The tool gate: the one path of every tool call, whoever makes it.

resolve -> decide -> guard -> approve -> intend -> execute -> filter -> conclude
(DESIGN 2; ADR-0001). There is no second door.
"""

import asyncio
from dataclasses import replace
import logging
from typing import Final

from .audit.clamp import redact
from .audit.event import AuditEvent, AuditRow, AuditUnavailable
from .flight import (
    MOVED,
    USED_UP,
    Flight,
    error_of,
    failed,
    failure,
    moved,
    overruled,
    succeeded,
)
from .gate_parts import Activity, GateParts
from .judging import Judge
from .legion.spec import ToolSpec
from .policy.call import CallError, ToolCall, args_hash, tool_id
from .policy.decision import Verdict, decision_digest
from .policy.reason import Code, Reason
from .repeats import Repeats, is_read
from .result import clamp_result, size_of
from .result_filter import filter_outcome
from .sentinel.allowances import ALLOWED_ONCE
from .sentinel.taint import taint_of
from .serial import TurnOver, others_first
from .tool import ExecutorError, Tool, resolve
from .trail import (
    denied_event,
    filtered_event,
    intent_event,
    invalid_event,
    outcome_event,
    repeated_event,
)
from .turn import GuardResult, ToolOutcome, ToolRequest, ToolScope, Turn

__all__ = ["Activity", "GateParts", "ToolGate"]

_LOGGER = logging.getLogger(__name__)

# How often a call is judged anew because the house changed just before it ran.
_TRIES: Final = 3


class ToolGate:
    """The one object through which every effect and every tool call goes."""

    def __init__(self, parts: GateParts) -> None:
        """Stand on these parts."""
        self._parts = parts
        self._mutating = parts.mutating
        self._repeats = Repeats()
        self._judge = Judge(parts)

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return what a brain may be shown: tools that could be granted at all."""
        if turn.tools is ToolScope.NONE:
            return ()
        policy = self._parts.policy()
        return tuple(
            tool.spec
            for tool in self._parts.toolbox.all()
            if policy.may_grant(tool.spec.name)
            or (tool.enrolled and policy.may_list(tool.spec.name))
        )

    def is_read(self, name: str) -> bool:
        """Return whether calls of this tool can't change anything."""
        tool = self._parts.toolbox.get(name)
        return tool is not None and tool.spec.annotations.read_only

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        """Take a request the whole way. Raises nothing but CancelledError."""
        try:
            return await self._dispatch(request, turn)
        except Exception:
            # Fail closed whatever went wrong: effects happen only in _carry_out,
            # which answers for itself.
            _LOGGER.exception("A call of %s failed inside the gate", request.name[:64])
            return await self._give_up(request, turn)

    async def _give_up(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        reason = Reason(code=Code.TOOL_ERROR)
        try:
            return await self._refuse_unresolved(request, turn, reason)
        except Exception:
            # The record may be what is broken; the refusal stands all the same.
            _LOGGER.exception("That failure could not be written to the trail")
            return failure(request, reason)

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        """Record a request that is not even considered, and say why."""
        return await self._refuse_unresolved(request, turn, Reason(code=code))

    async def _dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        try:
            tool, call = self._resolve(request)
        except CallError as err:
            return await self._refuse_unresolved(request, turn, err.reason)
        # A yes is for one dispatch; a later request of the same id has none.
        yes = turn.approved.pop(request.id, None)
        if yes is None:
            repeated = await self._repeat(request, tool, call, turn)
            if repeated is not None:
                return repeated
        with self._repeats.running(turn, call):
            await others_first()
            flight = await self._judge.judge(request, tool, call, turn, yes)
            if flight.decision.verdict is not Verdict.ALLOW:
                outcome = await self._deny(flight)
            elif flight.changes:
                outcome = await self._change(flight)
            else:
                outcome = await self._wait(flight, self._spawn(flight))
            self._repeats.remember(turn, call, outcome)
        return outcome

    def _resolve(self, request: ToolRequest) -> tuple[Tool, ToolCall]:
        """Step 1: the tool, its arguments against its schema, the call."""
        return resolve(self._parts.toolbox, request)

    async def _repeat(
        self, request: ToolRequest, tool: Tool, call: ToolCall, turn: Turn
    ) -> ToolOutcome | None:
        """Answer a call that this turn has made before; None if it is the first.

        A read has its first result again; a change is not made twice.
        """
        reads = tool.spec.annotations.read_only
        first = await self._repeats.first(turn, call, reads=reads)
        if first is None and not self._repeats.is_running(turn, call):
            return None
        if first is None or not is_read(first):
            flight = self._judge.look(request, tool, call, turn)
            reason = Reason(code=Code.REPEATED_CALL, values={"tool": tool_id(call)})
            return await self._deny(overruled(flight, reason))
        again = replace(first, request_id=request.id)
        row = await self._record(repeated_event(call, again, turn))
        return replace(again, seq=row.seq if row else None)

    async def _change(self, flight: Flight) -> ToolOutcome:
        """Carry out a call that changes something, one at a time in the house.

        Nobody is asked while others wait: what has to be judged anew first lets the
        next one go.
        """
        for _ in range(_TRIES):
            await others_first()
            if not await self._my_turn(flight.turn):
                return await self._deny(overruled(flight, Reason(code=Code.TIMEOUT)))
            turn_over = TurnOver(self._mutating)
            try:
                if self._judge.stands(flight):
                    task = self._spawn(flight)
                    turn_over.when_done(task, flight.tool.spec.timeout_s)
                    break
            finally:
                turn_over.unless_handed_on()
            flight = await self._judge.judge(
                flight.request, flight.tool, flight.call, flight.turn, flight.yes
            )
            if flight.decision.verdict is not Verdict.ALLOW:
                return await self._deny(flight)
        else:
            return await self._deny(moved(flight))
        return await self._wait(flight, task)

    async def _my_turn(self, turn: Turn) -> bool:
        """Take the place of the one mutating call; False if the turn ends before."""
        if not (left := self._remaining(turn)):
            return False
        try:
            async with asyncio.timeout(left):
                return await self._mutating.acquire()
        except TimeoutError:
            return False

    def _spawn(self, flight: Flight) -> asyncio.Task[ToolOutcome]:
        return self._parts.spawn(
            self._carry_out(flight), f"caesar {tool_id(flight.call)}"
        )

    async def _wait(
        self, flight: Flight, task: asyncio.Task[ToolOutcome]
    ) -> ToolOutcome:
        """Wait for a call that runs on whatever becomes of the turn."""
        limit = min(flight.tool.spec.timeout_s, self._remaining(flight.turn))
        done, _ = await asyncio.wait({task}, timeout=limit)
        if not done:
            code = Code.STILL_RUNNING
        elif task.cancelled():
            code = Code.INTERRUPTED
        elif err := task.exception():
            # A second row would say that nothing was done, which nobody knows.
            _LOGGER.error("Carrying out %s failed", task.get_name(), exc_info=err)
            code = Code.TOOL_ERROR
        else:
            return task.result()
        return flight.outcome(error=error_of(Reason(code=code)))

    async def _carry_out(self, flight: Flight) -> ToolOutcome:
        """Steps 5 to 8, in a task of its own that no turn can cancel."""
        # What the guards hear if this ends in a way that nobody foresaw.
        outcome = flight.outcome(error=error_of(Reason(code=Code.INTERRUPTED)))
        try:
            refusal = self._admit(flight) or await self._claim(flight)
            if refusal is not None:
                refused = overruled(flight, refusal.reason, refusal.retry_after)
                outcome = await self._deny(refused)
            else:
                outcome = await self._run(flight)
        finally:
            self._parts.sentinel.report(outcome)
            if flight.yes is not None:
                await self._parts.approver.close(flight.yes.approval_id, outcome)
        return outcome

    async def _run(self, flight: Flight) -> ToolOutcome:
        started = self._parts.clock()
        row, concluded = None, False
        try:
            row = await self._intend(flight)
        except AuditUnavailable as err:
            concluded = err.concluded
            if flight.changes:
                return await self._deny(
                    overruled(flight, Reason(code=Code.AUDIT_UNAVAILABLE)),
                    record=not concluded,
                )
        await others_first()
        outcome = await self._execute(flight, row)
        size = size_of(outcome.data) if outcome.data is not None else 0
        outcome = await self._filter(flight, outcome)
        event = outcome_event(
            flight.call,
            flight.decision,
            flight.turn,
            outcome,
            size,
            self._parts.clock() - started,
        )
        if row is None and not concluded:
            # A read is answered all the same; the trail has its row afterwards.
            late = await self._record(event)
            return replace(outcome, seq=late.seq if late else None)
        return await self._conclude(flight, row, outcome, event)

    def _admit(self, flight: Flight) -> GuardResult | None:
        """Step 5a: the guards count the call, and may have no room left."""
        policy = flight.decision.policy
        result = self._parts.sentinel.admit(flight.call, policy, flight.turn)
        return None if result.verdict is Verdict.ALLOW else result

    async def _claim(self, flight: Flight) -> GuardResult | None:
        """Step 5b: a yes is used up, on the disk, before anything happens."""
        call, policy, caller = flight.call, flight.decision.policy, flight.turn.caller
        if policy.rule == ALLOWED_ONCE:
            allowances = self._parts.allowances
            if allowances is None or not allowances.take(call, caller):
                return USED_UP
        approval = flight.decision.approval
        if approval is None:
            return None
        claimed = approval.approval_id is not None and await self._parts.approver.claim(
            approval.approval_id,
            args_hash=args_hash(call),
            digest=decision_digest(policy),
            caller=caller,
        )
        return None if claimed else USED_UP

    async def _intend(self, flight: Flight) -> AuditRow:
        """Step 5: the intent is on disk before anything happens.

        Raises AuditUnavailable.
        """
        event = intent_event(
            flight.call, flight.decision, flight.turn, flight.context_id
        )
        row = await self._parts.audit.intend(event)
        if flight.changes:
            self._parts.activity.intended(
                flight.call, flight.decision, flight.turn, row, flight.context_id
            )
        return row

    async def _execute(self, flight: Flight, row: AuditRow | None) -> ToolOutcome:
        """Step 6: the tool's own executor; every failure becomes an error."""
        outcome = flight.outcome(seq=row.seq if row else None, executed=True)
        try:
            if (
                flight.changes
                and flight.seen != self._judge.revisions()
                and not self._judge.stands(flight)
            ):
                # Home or policy changed while the intent went to the disk.
                return replace(outcome, error=MOVED, executed=False)
            done = await flight.tool.executor.execute(
                flight.call, flight.decision.policy, flight.turn, flight.context_id
            )
            return succeeded(outcome, done)
        except ExecutorError as err:
            return failed(outcome, err)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # The tool cancelled something of its own; this call goes on to its end.
            return replace(outcome, error=error_of(Reason(code=Code.INTERRUPTED)))
        except Exception:
            # A tool of any make may raise anything; the turn must not.
            _LOGGER.exception("Unexpected error of %s", tool_id(flight.call))
            return replace(outcome, error=error_of(Reason(code=Code.TOOL_ERROR)))

    async def _filter(self, flight: Flight, outcome: ToolOutcome) -> ToolOutcome:
        """Step 7: what the rule lets through, secrets out, then 8 KiB at most."""
        policy, annotations = flight.decision.policy, flight.tool.spec.annotations
        taint = taint_of(
            flight.call, policy, annotations, self._parts.home, outcome.data
        )
        if policy.result_filter is not None:
            outcome, filtered = filter_outcome(outcome, policy.result_filter)
            if filtered.dropped:
                await self._record(
                    filtered_event(flight.call, flight.decision, flight.turn, filtered)
                )
        data, truncated = clamp_result(redact(outcome.data))
        return replace(outcome, data=data, truncated=truncated, taint=taint)

    async def _conclude(
        self,
        flight: Flight,
        row: AuditRow | None,
        outcome: ToolOutcome,
        event: AuditEvent,
    ) -> ToolOutcome:
        """Step 8: a second row holds what came of it; guards and people hear."""
        if row is not None:
            try:
                await self._parts.audit.conclude(row.seq, event)
            except AuditUnavailable:
                # The intent stands; after a restart it reads as interrupted.
                _LOGGER.warning(
                    "The outcome of row %s could not be written to the trail", row.seq
                )
        if outcome.error is not None and flight.changes:
            self._parts.activity.failed(
                flight.call, outcome, flight.turn, flight.context_id
            )
        return outcome

    async def _deny(self, flight: Flight, *, record: bool = True) -> ToolOutcome:
        """Record a refusal, or that a call waits for a person.

        It stands whether or not it could be written. A yes that it had is used up.
        """
        outcome = flight.refused()
        row: AuditRow | None = None
        if record:
            row = await self._record(
                denied_event(flight.call, flight.decision, flight.turn, outcome)
            )
        if flight.changes and outcome.parked is None:
            self._parts.activity.denied(flight.call, outcome, flight.turn, row)
        if flight.yes is not None:
            await self._parts.approver.close(flight.yes.approval_id, outcome)
        return replace(outcome, seq=row.seq if row else None)

    async def _refuse_unresolved(
        self, request: ToolRequest, turn: Turn, reason: Reason
    ) -> ToolOutcome:
        """Record a request that never became a call."""
        outcome = failure(request, reason)
        revision = self._parts.policy().revision
        row = await self._record(invalid_event(request, reason, turn, revision))
        return replace(outcome, seq=row.seq) if row else outcome

    async def _record(self, event: AuditEvent) -> AuditRow | None:
        """Write a row; None if that can't be done now (the trail writes it later)."""
        try:
            return await self._parts.audit.record(event)
        except AuditUnavailable:
            _LOGGER.warning("A row of %s could not be written to the trail", event.type)
            return None

    def _remaining(self, turn: Turn) -> float:
        return max(turn.deadline - self._parts.clock(), 0)
