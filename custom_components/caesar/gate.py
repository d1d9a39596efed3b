"""The tool gate: the one path of every tool call, whoever makes it.

resolve -> decide -> guard -> approve -> intend -> execute -> filter -> conclude
(DESIGN 2; ADR-0001). There is no second door.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
import logging
from typing import Any, Protocol

from .audit.clamp import redact
from .audit.event import AuditLog, AuditRow, AuditUnavailable
from .flight import MOVED, Flight, error_of, failure, overruled
from .legion.spec import ToolSpec
from .policy.call import CallError, ToolCall, tool_id
from .policy.decision import Policy, PolicyDecision, Verdict
from .policy.home import ConditionChecker, HomeView
from .policy.reason import Code, Reason
from .result import clamp_result, entities_in, plain, size_of
from .sentinel.guard import ApprovalRequest, Approver
from .sentinel.sentinel import Sentinel
from .serial import TurnOver
from .tool import ExecutorError, Tool, Toolbox, resolve
from .trail import denied_event, intent_event, invalid_event, outcome_event
from .turn import (
    ApprovalResult,
    ApprovalState,
    GuardResult,
    ToolDecision,
    ToolError,
    ToolOutcome,
    ToolRequest,
    Turn,
)

_LOGGER = logging.getLogger(__name__)


class Activity(Protocol):
    """Tells the house what happens, for people to read. Never raises."""

    def intended(
        self,
        call: ToolCall,
        decision: ToolDecision,
        turn: Turn,
        row: AuditRow,
        context_id: str,
    ) -> None:
        """A call that changes something is on record and about to run."""

    def failed(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, context_id: str
    ) -> None:
        """A call that was to change something failed."""

    def denied(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, row: AuditRow | None
    ) -> None:
        """A call that would have changed something was refused."""


type Spawn = Callable[
    [Coroutine[Any, Any, ToolOutcome], str], asyncio.Task[ToolOutcome]
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateParts:
    """All that the gate stands on; the clock is in seconds."""

    toolbox: Toolbox
    policy: Callable[[], Policy]
    home: HomeView
    conditions: ConditionChecker
    sentinel: Sentinel
    approver: Approver
    audit: AuditLog
    activity: Activity
    spawn: Spawn
    clock: Callable[[], float]
    new_context_id: Callable[[], str]


class ToolGate:
    """The one object through which every effect and every tool call goes."""

    def __init__(self, parts: GateParts) -> None:
        """Stand on these parts."""
        self._parts = parts
        self._mutating = asyncio.Lock()

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return what a brain may be shown: tools that could be granted at all."""
        policy = self._parts.policy()
        return tuple(
            tool.spec
            for tool in self._parts.toolbox.all()
            if policy.may_grant(tool.spec.name)
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
        flight = await self._judge(request, tool, call, turn)
        if flight.decision.verdict is not Verdict.ALLOW:
            return await self._deny(flight)
        if not flight.changes:
            return await self._wait(flight, self._spawn(flight))
        return await self._change(flight)

    async def _change(self, flight: Flight) -> ToolOutcome:
        """Carry out a call that changes something, one at a time in the house."""
        late = not (left := self._remaining(flight.turn))
        try:
            async with asyncio.timeout(left):
                late = late or not await self._mutating.acquire()
        except TimeoutError:
            late = True
        if late:
            return await self._deny(overruled(flight, Reason(code=Code.TIMEOUT)))
        turn_over = TurnOver(self._mutating)
        try:
            if not self._stands(flight):
                flight = await self._judge(
                    flight.request, flight.tool, flight.call, flight.turn
                )
            if flight.decision.verdict is not Verdict.ALLOW:
                return await self._deny(flight)
            task = self._spawn(flight)
            turn_over.when_done(task, flight.tool.spec.timeout_s)
        finally:
            turn_over.unless_handed_on()
        return await self._wait(flight, task)

    def _resolve(self, request: ToolRequest) -> tuple[Tool, ToolCall]:
        """Step 1: the tool, its arguments against its schema, the call."""
        return resolve(self._parts.toolbox, request)

    def _decide(self, call: ToolCall, turn: Turn) -> PolicyDecision:
        """Step 2: what the policy says of what would really be touched."""
        parts = self._parts
        return parts.policy().evaluate(call, turn.caller, parts.home, parts.conditions)

    def _guard(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult | None:
        """Step 3: the sentinel, which may only be stricter."""
        if decision.verdict is Verdict.DENY:
            return None
        return self._parts.sentinel.check(call, decision, turn)

    async def _approve(
        self,
        request: ToolRequest,
        call: ToolCall,
        decision: PolicyDecision,
        guard: GuardResult | None,
        turn: Turn,
    ) -> ApprovalResult | None:
        """Step 4: ask a person, if policy or sentinel want that and nobody refused."""
        verdicts = {decision.verdict, guard.verdict if guard else Verdict.ALLOW}
        if Verdict.DENY in verdicts or Verdict.ASK not in verdicts:
            return None
        return await self._parts.approver.request(
            ApprovalRequest(
                request=request, call=call, decision=decision, guard=guard, turn=turn
            )
        )

    async def _judge(
        self, request: ToolRequest, tool: Tool, call: ToolCall, turn: Turn
    ) -> Flight:
        """Steps 2 to 4, and their one verdict."""
        seen = self._revisions()
        policy = self._decide(call, turn)
        guard = self._guard(call, policy, turn)
        approval = await self._approve(request, call, policy, guard, turn)
        if approval is not None:
            allowed = approval.state is ApprovalState.APPROVED
        else:
            allowed = policy.verdict is Verdict.ALLOW and (
                guard is not None and guard.verdict is Verdict.ALLOW
            )
        return Flight(
            request=request,
            tool=tool,
            call=call,
            decision=ToolDecision(
                policy=policy,
                guard=guard,
                approval=approval,
                verdict=Verdict.ALLOW if allowed else Verdict.DENY,
            ),
            turn=turn,
            context_id=self._parts.new_context_id(),
            seen=seen,
        )

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
        started = self._parts.clock()
        try:
            row = await self._intend(flight)
        except AuditUnavailable as err:
            return await self._deny(
                overruled(flight, Reason(code=Code.AUDIT_UNAVAILABLE)),
                record=not err.concluded,
            )
        outcome = await self._execute(flight, row)
        size = size_of(outcome.data) if outcome.data is not None else 0
        outcome = self._filter(outcome)
        return await self._conclude(
            flight, row, outcome, size, self._parts.clock() - started
        )

    async def _intend(self, flight: Flight) -> AuditRow | None:
        """Step 5: the intent is on disk before anything happens.

        A read is answered even when nothing can be written; raises AuditUnavailable
        for all else.
        """
        event = intent_event(
            flight.call, flight.decision, flight.turn, flight.context_id
        )
        try:
            row = await self._parts.audit.intend(event)
        except AuditUnavailable:
            if flight.changes:
                raise
            return None
        if flight.changes:
            self._parts.activity.intended(
                flight.call, flight.decision, flight.turn, row, flight.context_id
            )
        return row

    async def _execute(self, flight: Flight, row: AuditRow | None) -> ToolOutcome:
        """Step 6: the tool's own executor; every failure becomes an error."""
        outcome = flight.outcome(seq=row.seq if row else None, executed=True)
        try:
            if flight.changes and not self._stands(flight):
                # Home or policy changed while the intent went to the disk.
                return replace(outcome, error=MOVED, executed=False)
            data = plain(
                await flight.tool.executor.execute(
                    flight.call, flight.decision.policy, flight.turn, flight.context_id
                )
            )
        except ExecutorError as err:
            error = ToolError(
                code=err.code, message=str(plain(err.message)), retryable=err.retryable
            )
            return replace(outcome, error=error, executed=err.maybe_done)
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
        return replace(outcome, data=data, target=outcome.target or entities_in(data))

    def _filter(self, outcome: ToolOutcome) -> ToolOutcome:
        """Step 7: secrets out, then 8 KiB at most."""
        data, truncated = clamp_result(redact(outcome.data))
        return replace(outcome, data=data, truncated=truncated)

    async def _conclude(
        self,
        flight: Flight,
        row: AuditRow | None,
        outcome: ToolOutcome,
        size: int,
        seconds: float,
    ) -> ToolOutcome:
        """Step 8: a second row holds what came of it; guards and people hear."""
        if row is not None:
            event = outcome_event(
                flight.call, flight.decision, flight.turn, outcome, size, seconds
            )
            try:
                await self._parts.audit.conclude(row.seq, event)
            except AuditUnavailable:
                # The intent stands; after a restart it reads as interrupted.
                _LOGGER.warning(
                    "The outcome of row %s could not be written to the trail", row.seq
                )
        self._parts.sentinel.report(outcome)
        if outcome.error is not None and flight.changes:
            self._parts.activity.failed(
                flight.call, outcome, flight.turn, flight.context_id
            )
        return outcome

    async def _deny(self, flight: Flight, *, record: bool = True) -> ToolOutcome:
        """Record a refusal; it stands whether or not it could be written."""
        outcome = flight.refused()
        row: AuditRow | None = None
        try:
            if record:
                row = await self._parts.audit.record(
                    denied_event(flight.call, flight.decision, flight.turn, outcome)
                )
        except AuditUnavailable:
            _LOGGER.warning("A refusal could not be written to the trail")
        if flight.changes:
            self._parts.activity.denied(flight.call, outcome, flight.turn, row)
        return replace(outcome, seq=row.seq if row else None)

    async def _refuse_unresolved(
        self, request: ToolRequest, turn: Turn, reason: Reason
    ) -> ToolOutcome:
        """Record a request that never became a call."""
        outcome = failure(request, reason)
        try:
            row = await self._parts.audit.record(
                invalid_event(request, reason, turn, self._parts.policy().revision)
            )
        except AuditUnavailable:
            _LOGGER.warning("A refusal could not be written to the trail")
            return outcome
        return replace(outcome, seq=row.seq)

    def _stands(self, flight: Flight) -> bool:
        """Return whether the call would be decided now as it was."""
        if flight.seen == self._revisions():
            return True
        policy = self._decide(flight.call, flight.turn)
        return (
            policy == flight.decision.policy
            and self._guard(flight.call, policy, flight.turn) == flight.decision.guard
        )

    def _revisions(self) -> tuple[str, int]:
        return self._parts.policy().revision, self._parts.home.revision

    def _remaining(self, turn: Turn) -> float:
        return max(turn.deadline - self._parts.clock(), 0)
