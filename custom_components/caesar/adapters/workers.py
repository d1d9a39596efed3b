"""The one door to workers: carries tool calls out by sending them to one.

Which worker, for how long, and what its answer means is settled here; whether the call
may happen at all was settled by the gate before.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
import math
from typing import Final
from uuid import uuid4

from homeassistant.core import HomeAssistant

from ..legion.canonical import Json
from ..legion.errors import LegionCode, LegionError
from ..legion.messages import (
    DispatchRequest,
    Hints,
    WorkerAddress,
    WorkerClient,
    WorkerReply,
)
from ..legion.spec import ToolSpec
from ..policy.call import GenericToolCall, ToolCall
from ..policy.decision import PolicyDecision
from ..policy.reason import Code, Reason
from ..policy.wording import model_text
from ..result import plain
from ..tool import Carried, Executor, ExecutorError, Tool
from ..turn import Turn
from .worker_registry import Serving, WorkerRegistry

# One try on another worker, if the first never took the request.
TRIES: Final = 2
# How much longer than its deadline a worker is waited for.
GRACE_S: Final = 2.0
TRIAL_S: Final = 30.0
_LONGEST: Final = 500
_TIMEOUT: Final = "timeout"
# What a worker that could do the task would not answer: another one may be asked.
_NOT_NOW: Final = frozenset(LegionCode) - {
    LegionCode.BAD_REQUEST,
    LegionCode.TOO_LARGE,
}


class WorkerExecutor:
    """Implements the gate's Executor for the tools of workers.

    Workers that serve one tool take turns.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        registry: WorkerRegistry,
        client: WorkerClient,
        clock: Callable[[], float],
    ) -> None:
        """Send to these workers; the clock is that of the turns' deadlines."""
        self._hass = hass
        self._registry = registry
        self._client = client
        self._clock = clock
        # Grows with the tools that people enrolled, and with nothing else.
        self._rounds: dict[str, int] = {}

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Carried:
        """Have a worker do it. Raises ExecutorError."""
        assert isinstance(call, GenericToolCall)
        return await self.send(
            call, decision, turn, call.tool, lambda _serving: call.input
        )

    async def send(
        self,
        call: GenericToolCall,
        decision: PolicyDecision,
        turn: Turn,
        message: str,
        given: Callable[[Serving], Mapping[str, Json]],
    ) -> Carried:
        """Have a worker of the call's tool do what the message to it says.

        For a tool that the house asks in other words than a brain. Raises ExecutorError.
        """
        spec = self._registry.spec(call.tool)
        ready = self._in_turn(call.tool)
        if spec is None or not ready:
            raise _nobody({})
        task_id = uuid4().hex
        for attempt, serving in enumerate(ready[:TRIES], start=1):
            facts: dict[str, Json] = {
                "worker": serving.worker_id,
                "task_id": task_id,
                "attempt": attempt,
            }
            request = self._request(
                replace(call, tool=message, input=given(serving)),
                decision,
                turn,
                spec,
                task_id,
                attempt,
            )
            if request is None:
                raise _error(Code.TIMEOUT, facts)
            try:
                reply = await _send(
                    self._client, serving.address, request, serving.spec.max_reply_bytes
                )
            except LegionError as err:
                self._registry.async_failed(serving.id, err, turn.decision_id)
                if err.accepted or attempt == len(ready[:TRIES]):
                    raise _failure(err, spec, facts) from err
                continue
            return self._answer(reply, serving, request, spec, facts)
        raise _nobody({})

    def _in_turn(self, tool: str) -> Sequence[Serving]:
        """Return the workers that are well, another one first each time."""
        ready = self._registry.well(tool)
        if len(ready) < 2:
            return ready
        start = self._rounds.get(tool, 0) % len(ready)
        self._rounds[tool] = start + 1
        return (*ready[start:], *ready[:start])

    def _request(
        self,
        call: GenericToolCall,
        decision: PolicyDecision,
        turn: Turn,
        spec: ToolSpec,
        task_id: str,
        attempt: int,
    ) -> DispatchRequest | None:
        """Return the message; None if there is no time left."""
        left = min(spec.timeout_s, turn.deadline - self._clock())
        if left <= 0:
            return None
        hosts = decision.result_filter
        return DispatchRequest(
            task_id=task_id,
            tool=call.tool,
            input=call.input,
            decision_id=turn.decision_id,
            deadline_ms=max(math.floor(left * 1000), 1),
            attempt=attempt,
            hints=Hints(
                language=turn.language,
                timezone=self._hass.config.time_zone,
                domain_allowlist=None if hosts is None else hosts.domain_allowlist,
            ),
        )

    def _answer(
        self,
        reply: WorkerReply,
        serving: Serving,
        request: DispatchRequest,
        spec: ToolSpec,
        facts: Mapping[str, Json],
    ) -> Carried:
        changes = not spec.annotations.read_only
        if reply.task_id != request.task_id or reply.worker_id != serving.worker_id:
            what = "task_id" if reply.task_id != request.task_id else "worker_id"
            self._registry.async_deceived(serving.id, what, request.decision_id)
            raise _error(Code.TOOL_ERROR, facts, maybe_done=True)
        if not reply.success or reply.result is None:
            code = Code.TIMEOUT if reply.code == _TIMEOUT else Code.TOOL_ERROR
            raise ExecutorError(
                code,
                _said(reply.error) or "The tool failed and did not say why.",
                retryable=reply.retryable,
                maybe_done=changes,
                facts=facts,
            )
        return Carried(data=dict(reply.result), facts=facts)


class WorkerTools:
    """The tools of workers, for the gate's toolbox."""

    def __init__(self, registry: WorkerRegistry, executor: WorkerExecutor) -> None:
        """Offer what this registry knows."""
        self._registry = registry
        self.executor: Final = executor
        self._own: dict[str, Executor] = {}

    def carry_out(self, tool: str, executor: Executor) -> None:
        """Have calls of a tool carried out by an executor that uses ours."""
        self._own[tool] = executor

    def get(self, name: str) -> Tool | None:
        """Return an enrolled tool, even while its worker is away.

        So a call of it hears that its helper is not running, and not that there is no
        such tool.
        """
        spec = self._registry.spec(name)
        return None if spec is None else self._tool(spec)

    def all(self) -> Iterable[Tool]:
        """Return the tools that can be called now."""
        return [self._tool(spec) for spec in self._registry.tools()]

    def _tool(self, spec: ToolSpec) -> Tool:
        return Tool(
            spec=spec,
            executor=self._own.get(spec.name, self.executor),
            to_call=lambda arguments: GenericToolCall(
                tool=spec.name,
                input=dict(arguments),
                # Only if a person confirmed it: the registry sees to that.
                reads=spec.annotations.read_only,
            ),
            enrolled=True,
        )


async def async_ask_once(
    client: WorkerClient, worker: WorkerAddress, tool: str, question: Mapping[str, Json]
) -> WorkerReply:
    """Ask a process that was started for this question only. Raises LegionError.

    For settings that are tried before they are kept: nothing of the house is sent.
    """
    request = DispatchRequest(
        task_id=uuid4().hex,
        tool=tool,
        input=question,
        decision_id="trial",
        deadline_ms=int(TRIAL_S * 1000),
    )
    return await _send(client, worker, request, 1_048_576)


async def async_tell(
    client: WorkerClient, serving: Serving, message: str, given: Mapping[str, Json]
) -> Mapping[str, Json]:
    """Send the house's own message to a worker, and return its answer.

    A message is no tool: its name has `__` in it. Raises LegionError.
    """
    assert "__" in message
    request = DispatchRequest(
        task_id=uuid4().hex,
        tool=message,
        input=given,
        decision_id="house",
        deadline_ms=int(TRIAL_S * 1000),
    )
    reply = await _send(client, serving.address, request, 65_536)
    if (
        reply.task_id != request.task_id
        or reply.worker_id != serving.worker_id
        or not reply.success
        or reply.result is None
    ):
        raise LegionError(
            LegionCode.BAD_REPLY, "it did not take the message", accepted=True
        )
    return reply.result


async def _send(
    client: WorkerClient, worker: WorkerAddress, request: DispatchRequest, most: int
) -> WorkerReply:
    try:
        async with asyncio.timeout(request.deadline_ms / 1000 + GRACE_S):
            return await client.dispatch(worker, request, max_reply_bytes=most)
    except TimeoutError:
        raise LegionError(
            LegionCode.TIMEOUT, "it did not answer in time", accepted=True
        ) from None


def _failure(
    err: LegionError, spec: ToolSpec, facts: Mapping[str, Json]
) -> ExecutorError:
    """Return what a failed message means for the call.

    What a worker accepted may have been done; that it answered nonsense does not say
    that it did nothing.
    """
    if not err.accepted:
        if err.code in _NOT_NOW:
            return _nobody(facts)
        return _error(Code.TOOL_ERROR, facts, message=err.message)
    changes = not spec.annotations.read_only
    if err.code is LegionCode.TIMEOUT:
        return ExecutorError(
            Code.TIMEOUT,
            "The tool did not answer in time."
            + (" It may have been done all the same: say so." if changes else ""),
            retryable=not changes,
            maybe_done=changes,
            facts=facts,
        )
    if err.code is LegionCode.UNREACHABLE and not changes:
        # It died over something that only reads: there is nothing to be unsure of.
        return _nobody(facts)
    return _error(Code.TOOL_ERROR, facts, maybe_done=True)


def _nobody(facts: Mapping[str, Json]) -> ExecutorError:
    return _error(Code.NO_WORKER, facts, retryable=True)


def _error(
    code: Code,
    facts: Mapping[str, Json],
    *,
    message: str = "",
    retryable: bool = False,
    maybe_done: bool = False,
) -> ExecutorError:
    return ExecutorError(
        code,
        message or model_text(Reason(code=code)),
        retryable=retryable,
        maybe_done=maybe_done,
        facts=facts,
    )


def _said(text: str | None) -> str:
    """Return a worker's words as one line of bounded length."""
    return " ".join(str(plain(text or "")).split())[:_LONGEST]
