"""Who is asked when a call needs a person's yes."""

from ..policy.call import ToolCall
from ..policy.decision import PolicyDecision
from ..policy.reason import Code, Reason
from ..turn import ApprovalResult, ApprovalState, Turn


class NobodyToAsk:
    """The approver of a house in which no way to reach a person is set up."""

    async def request(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> ApprovalResult:
        """Deny at once: a question that nobody hears is a no."""
        return ApprovalResult(
            state=ApprovalState.NO_APPROVER, reason=Reason(code=Code.NO_APPROVER)
        )
