"""At most so many calls a minute: per connector, and per session (SPEC D-6).

A person's conversations are one session, for anybody may open a new one; so are those
at a satellite. An automation's is its conversation.

Refuses at once and says when there is room again; never waits.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from ..policy.call import ToolCall, tool_id
from ..policy.caller import Caller, Origin
from ..policy.decision import PolicyDecision, Verdict
from ..policy.reason import Code, Reason
from ..turn import GuardResult, ToolOutcome, Turn
from .answering import asker_of
from .capability import PASS
from .circuit_breaker import connector_of, group_of

WINDOW_S: Final = 60.0
SESSION_LIMIT: Final = 30
MAX_WINDOWS: Final = 1_000


class RateSettings(Protocol):
    """The policy's setting of the limiter."""

    @property
    def rate_limit_per_minute(self) -> int:
        """Return how many calls a minute a connector may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throttled:
    """Calls are refused from now on, until `retry_after` seconds have passed.

    `connector` is None if it is the session's limit that is reached.
    """

    connector: str | None
    limit: int
    retry_after: float
    decision_id: str
    caller: Caller


@dataclass(slots=True)
class _Window:
    """The last calls and when they were admitted, as many as are allowed.

    `told_until` is when the next refusal is news again.
    """

    calls: deque[tuple[float, ToolCall]]
    told_until: float = float("-inf")


class RateLimiterGuard:
    """A sliding window for each connector and each session, bounded in memory."""

    def __init__(
        self,
        settings: Callable[[], RateSettings],
        clock: Callable[[], float],
        on_throttled: Callable[[Throttled], None],
    ) -> None:
        """Start empty; the clock is in seconds.

        `on_throttled` hears the first of a row of refusals, not each of them.
        """
        self._settings = settings
        self._clock = clock
        self._on_throttled = on_throttled
        self._windows: OrderedDict[tuple[str, str], _Window] = OrderedDict()

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Refuse a call for which there is no room now."""
        now = self._clock()
        for key, limit in self._limits(call, turn):
            window = self._windows.get(key)
            if window is None:
                continue
            wait = _wait(window.calls, call, limit, now)
            if wait <= 0:
                continue
            if now >= window.told_until:
                window.told_until = now + wait
                self._on_throttled(
                    Throttled(
                        connector=_connector(key),
                        limit=limit,
                        retry_after=wait,
                        decision_id=turn.decision_id,
                        caller=turn.caller,
                    )
                )
            return _refuse(key, limit, wait)
        return PASS

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Count the call in both windows, or refuse it and count it in none."""
        result = self.check(call, decision, turn)
        if result.verdict is not Verdict.ALLOW:
            return result
        now = self._clock()
        for key, limit in self._limits(call, turn):
            window = self._windows.setdefault(key, _Window(deque()))
            self._windows.move_to_end(key)
            window.calls.append((now, call))
            while len(window.calls) > max(limit, 1):
                window.calls.popleft()
        self._forget(now)
        return PASS

    def report(self, outcome: ToolOutcome) -> None:
        """Learn nothing: a call counts whatever came of it."""

    def _limits(
        self, call: ToolCall, turn: Turn
    ) -> tuple[tuple[tuple[str, str], int], ...]:
        return (
            (
                ("connector", group_of(tool_id(call))),
                self._settings().rate_limit_per_minute,
            ),
            (("session", _session(turn)), SESSION_LIMIT),
        )

    def _forget(self, now: float) -> None:
        """Drop windows in which nothing counts any more, oldest first."""
        while self._windows:
            key = next(iter(self._windows))
            last, _ = self._windows[key].calls[-1]
            if now - last < WINDOW_S and len(self._windows) <= MAX_WINDOWS:
                return
            del self._windows[key]


def _session(turn: Turn) -> str:
    caller = turn.caller
    person = caller.user_id is not None or caller.origin is Origin.VOICE
    return asker_of(caller) if person else turn.session


def _wait(
    calls: deque[tuple[float, ToolCall]], call: ToolCall, limit: int, now: float
) -> float:
    """Return in how many seconds there is room for this call; 0 if there is now."""
    if any(admitted is call for _, admitted in calls):
        return 0.0
    if limit <= 0:
        return WINDOW_S
    if len(calls) < limit:
        return 0.0
    # The call that must have left the window, for fewer than `limit` to be in it.
    return max(WINDOW_S - (now - calls[-limit][0]), 0.0)


def _connector(key: tuple[str, str]) -> str | None:
    """Return the connector that a limit is about; None for a conversation's."""
    return connector_of(key[1]) if key[0] == "connector" else None


def _refuse(key: tuple[str, str], limit: int, wait: float) -> GuardResult:
    return GuardResult(
        verdict=Verdict.DENY,
        reason=Reason(
            code=Code.RATE_LIMITED,
            values={
                key[0]: _connector(key) or "this conversation",
                "limit": str(limit),
                "seconds": str(max(round(wait), 1)),
            },
        ),
        retry_after=wait,
    )
