"""The shape of a guard and of whoever asks a person."""

from typing import Protocol

from ..policy.call import ToolCall
from ..policy.decision import PolicyDecision
from ..turn import ApprovalResult, GuardResult, ToolOutcome, Turn


class Guard(Protocol):
    """One guard of the sentinel; pure, the clock is injected."""

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Judge a call that the policy has decided."""

    def report(self, outcome: ToolOutcome) -> None:
        """Learn what came of a call that was executed."""


class Approver(Protocol):
    """Asks a person about one exact call."""

    async def request(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> ApprovalResult:
        """Return the answer, or why there is none. Never raises."""
