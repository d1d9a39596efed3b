"""Rests what keeps failing: one breaker a connector (SPEC D-5)."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from ..policy.call import ToolCall, tool_id
from ..policy.decision import PolicyDecision, Verdict
from ..policy.reason import Code, Reason
from ..turn import GuardResult, ToolOutcome, Turn
from .capability import PASS

# A probe usually answers within this; who asks meanwhile is told to come back then.
_PROBE_S: Final = 10.0
_TOOL: Final = "tool "
_FAILURES: Final = frozenset({Code.NO_WORKER, Code.TIMEOUT})


class BreakerState(StrEnum):
    """Whether calls of a connector run."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class BreakerSettings(Protocol):
    """The policy's settings of the breaker."""

    @property
    def circuit_breaker_threshold(self) -> int:
        """Return how many failures in a row open it."""

    @property
    def circuit_breaker_cooldown_s(self) -> float:
        """Return for how many seconds it stays open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerChange:
    """A connector's breaker changed; `rests_s` is for how long it stays open."""

    connector: str
    before: BreakerState
    after: BreakerState
    failures: int
    rests_s: float | None = None


@dataclass(slots=True)
class _Breaker:
    """What is known of a connector that failed. `probe` is the call on trial.

    `decision` is the probe's own, which its outcome comes back with. `until` is when
    an open one may be tried, or when a probe counts as lost.
    """

    state: BreakerState = BreakerState.CLOSED
    failures: int = 0
    until: float = 0.0
    probe: ToolCall | None = None
    decision: PolicyDecision | None = None


def connector_of(tool: str) -> str:
    """Return Home Assistant's domain of a service, and a tool's own id otherwise.

    Takes what `group_of` returns as well.
    """
    return tool.removeprefix(_TOOL).partition(".")[0]


def group_of(tool: str) -> str:
    """Return what keeps a connector's calls apart from those of all others.

    A worker's tool may be called `light`; its failures are not those of the lights.
    """
    return connector_of(tool) if "." in tool else f"{_TOOL}{tool}"


class CircuitBreakerGuard:
    """Opens after failures in a row, and lets exactly one call try after a rest.

    Failures are time limits and errors of tools that ran; a refusal, bad input or a
    person's no are none. A probe that doesn't come back within the time of another
    rest is given up: a call that hangs must not keep a connector shut for ever.
    """

    def __init__(
        self,
        settings: Callable[[], BreakerSettings],
        clock: Callable[[], float],
        on_change: Callable[[BreakerChange], None],
    ) -> None:
        """Start closed; the clock is in seconds, `on_change` hears every change."""
        self._settings = settings
        self._clock = clock
        self._on_change = on_change
        self._breakers: dict[str, _Breaker] = {}

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Refuse while it is open, or while a probe is under way."""
        breaker = self._breakers.get(group_of(tool_id(call)))
        if breaker is None or breaker.state is BreakerState.CLOSED:
            return PASS
        left = breaker.until - self._clock()
        if left <= 0:
            return PASS
        if breaker.state is BreakerState.HALF_OPEN:
            if breaker.probe is None or breaker.probe is call:
                return PASS
            left = min(left, _PROBE_S)
        return GuardResult(
            verdict=Verdict.DENY,
            reason=Reason(
                code=Code.CIRCUIT_OPEN,
                values={
                    "connector": connector_of(tool_id(call)),
                    "seconds": str(max(round(left), 1)),
                },
            ),
            retry_after=left,
        )

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Check once more, and take the one place of a probe."""
        result = self.check(call, decision, turn)
        connector = connector_of(tool_id(call))
        breaker = self._breakers.get(group_of(tool_id(call)))
        if result.verdict is not Verdict.ALLOW or breaker is None:
            return result
        if breaker.state is BreakerState.CLOSED:
            return PASS
        # What was on trial until now, if anything, took as long as a whole rest.
        breaker.probe, breaker.decision = call, decision
        breaker.until = self._clock() + self._settings().circuit_breaker_cooldown_s
        self._change(connector, breaker, BreakerState.HALF_OPEN)
        return PASS

    def try_again(self, tool: str) -> None:
        """End a tool's rest: what it needs is there again. The next call is a probe."""
        breaker = self._breakers.get(group_of(tool))
        if breaker is not None and breaker.state is BreakerState.OPEN:
            breaker.until = self._clock()

    def report(self, outcome: ToolOutcome) -> None:
        """Count a failure, forget all of them after a success, end a probe."""
        connector, group = connector_of(outcome.tool), group_of(outcome.tool)
        breaker = self._breakers.get(group)
        failed, worked = _failed(outcome), _worked(outcome)
        if breaker is None:
            if not failed:
                return
            breaker = self._breakers[group] = _Breaker()
        if breaker.state is BreakerState.CLOSED:
            if worked:
                del self._breakers[group]
            elif failed:
                breaker.failures += 1
                if breaker.failures >= self._settings().circuit_breaker_threshold:
                    self._open(connector, breaker)
            return
        if not _is(outcome, breaker.decision):
            # It began before the rest, or never ran: it says nothing about now.
            return
        breaker.probe = breaker.decision = None
        if failed:
            breaker.failures += 1
            self._open(connector, breaker)
        elif worked:
            self._change(connector, breaker, BreakerState.CLOSED)
            del self._breakers[group]

    def _open(self, connector: str, breaker: _Breaker) -> None:
        rest = self._settings().circuit_breaker_cooldown_s
        breaker.until = self._clock() + rest
        self._change(connector, breaker, BreakerState.OPEN, rest)

    def _change(
        self,
        connector: str,
        breaker: _Breaker,
        after: BreakerState,
        rests_s: float | None = None,
    ) -> None:
        before, breaker.state = breaker.state, after
        if before is not after:
            self._on_change(
                BreakerChange(
                    connector=connector,
                    before=before,
                    after=after,
                    failures=breaker.failures,
                    rests_s=rests_s,
                )
            )


def _is(outcome: ToolOutcome, decision: PolicyDecision | None) -> bool:
    """Return whether an outcome is the probe's: by its very decision.

    Ids of requests repeat from turn to turn; every call has a decision of its own.
    """
    return (
        decision is not None
        and outcome.decision is not None
        and outcome.decision.policy is decision
    )


def _failed(outcome: ToolOutcome) -> bool:
    if outcome.error is None or not _ran(outcome):
        return False
    code = outcome.error.code
    return code in _FAILURES or (code is Code.TOOL_ERROR and outcome.executed)


def _worked(outcome: ToolOutcome) -> bool:
    return outcome.error is None and outcome.executed and _ran(outcome)


def _ran(outcome: ToolOutcome) -> bool:
    """Return whether all steps before the tool itself let the call through."""
    return outcome.decision is not None and outcome.decision.verdict is Verdict.ALLOW
