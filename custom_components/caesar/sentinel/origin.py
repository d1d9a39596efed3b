"""What an automation may ask for: reads, and nothing that changes the house."""

from ..policy.call import ToolCall
from ..policy.caller import Origin
from ..policy.decision import PolicyDecision, Verdict
from ..policy.impact import Impact
from ..policy.reason import Code, Reason
from ..turn import GuardResult, ToolOutcome, Turn
from .capability import PASS


class OriginGuard:
    """Keeps turns without a person to reads (ADR-0004).

    An automation's text may come from anywhere, and nobody is there to be asked.
    """

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Refuse calls that change something when an automation asks."""
        if turn.caller.origin is Origin.AUTOMATION and decision.impact > Impact.READ:
            return GuardResult(
                verdict=Verdict.DENY,
                reason=Reason(
                    code=Code.CALLER_NOT_COVERED,
                    values={"origin": turn.caller.origin.value},
                ),
            )
        return PASS

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Count nothing."""
        return PASS

    def report(self, outcome: ToolOutcome) -> None:
        """Learn nothing: the rule does not depend on what came of a call."""
