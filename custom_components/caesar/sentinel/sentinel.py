"""All guards in their order; the first refusal wins."""

from collections.abc import Sequence

from ..policy.call import ToolCall
from ..policy.decision import PolicyDecision, Verdict
from ..turn import GuardResult, ToolOutcome, Turn
from .capability import PASS
from .guard import Guard


class Sentinel:
    """Runs the guards; may make a decision stricter, never looser."""

    def __init__(self, guards: Sequence[Guard]) -> None:
        """Keep the guards in the order in which they are asked."""
        self.guards = tuple(guards)

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Return the first refusal, else the first that asks, else a pass."""
        asking: GuardResult | None = None
        for guard in self.guards:
            result = guard.check(call, decision, turn)
            if result.verdict is Verdict.DENY:
                return result
            if result.verdict is Verdict.ASK and asking is None:
                asking = result
        return asking or PASS

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Let every guard count the call; return the first refusal, else a pass.

        Whatever it says, `report` must follow: a guard may hold something for it.
        """
        for guard in self.guards:
            result = guard.admit(call, decision, turn)
            if result.verdict is not Verdict.ALLOW:
                return result
        return PASS

    def report(self, outcome: ToolOutcome) -> None:
        """Tell every guard what came of a call."""
        for guard in self.guards:
            guard.report(outcome)
