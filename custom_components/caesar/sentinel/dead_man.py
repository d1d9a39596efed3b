"""Stops an automation that changes the house again and again with nobody about."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..policy.call import ToolCall
from ..policy.caller import Caller, Origin
from ..policy.decision import PolicyDecision, Verdict
from ..policy.impact import Impact
from ..policy.reason import Code, Reason
from ..turn import GuardResult, ToolOutcome, Turn
from .capability import PASS

MAX_ACTIONS: Final = 20
# An automation that lets the house rest for so long is no runaway.
REST_S: Final = 600.0
MAX_SESSIONS: Final = 1_000


@dataclass(slots=True)
class _Run:
    """The actions of a session since a person spoke in it, the last one, and when."""

    actions: int = 0
    last: float = 0.0
    call: ToolCall | None = None


class DeadManGuard:
    """At most 20 changes in a row by an automation's session (SPEC D-17).

    The row ends when a person speaks in that conversation, or when nothing was
    changed in it for ten minutes: an automation that runs every hour is none.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Start with nothing counted; the clock is in seconds."""
        self._clock = clock
        self._runs: OrderedDict[tuple[str, str | None], _Run] = OrderedDict()

    def heard(self, caller: Caller) -> None:
        """Begin anew, if it is a person who speaks in this conversation."""
        if caller.origin not in (Origin.AUTOMATION, Origin.AGENT):
            self._runs.pop(_key(caller), None)

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Refuse the change after the last that is allowed."""
        run = self._run(decision, turn)
        if run is None or run.actions < MAX_ACTIONS or run.call is call:
            return PASS
        wait = run.last + REST_S - self._clock()
        return GuardResult(
            verdict=Verdict.DENY,
            reason=Reason(
                code=Code.RATE_LIMITED,
                values={
                    "why": "dead_man",
                    "limit": str(MAX_ACTIONS),
                    "seconds": str(max(round(wait), 1)),
                },
            ),
            retry_after=wait,
        )

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Count a change; take note of a person."""
        self.heard(turn.caller)
        result = self.check(call, decision, turn)
        if result.verdict is not Verdict.ALLOW or not _counts(decision, turn):
            return result
        key = _key(turn.caller)
        run = self._run(decision, turn) or _Run()
        run.actions += 1
        run.last, run.call = self._clock(), call
        self._runs[key] = run
        self._runs.move_to_end(key)
        while len(self._runs) > MAX_SESSIONS:
            self._runs.popitem(last=False)
        return PASS

    def report(self, outcome: ToolOutcome) -> None:
        """Learn nothing: a change counts whatever came of it."""

    def _run(self, decision: PolicyDecision, turn: Turn) -> _Run | None:
        """Return the row that a change belongs to, if there is one that goes on."""
        run = self._runs.get(_key(turn.caller)) if _counts(decision, turn) else None
        over = run is not None and self._clock() - run.last >= REST_S
        return None if over else run


def _counts(decision: PolicyDecision, turn: Turn) -> bool:
    return turn.caller.unattended and decision.impact > Impact.READ


def _key(caller: Caller) -> tuple[str, str | None]:
    """Return the conversation, whoever speaks in it."""
    return caller.agent_id, caller.conversation_id
