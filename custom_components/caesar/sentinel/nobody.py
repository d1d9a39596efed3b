"""The approver of a house in which no way to reach a person is set up."""

from ..policy.caller import Caller
from ..policy.reason import Code, Reason
from ..turn import ApprovalResult, ApprovalState, ToolOutcome
from .guard import ApprovalRequest


class NobodyToAsk:
    """Implements `Approver`: a question that nobody hears is a no."""

    async def request(self, asked: ApprovalRequest) -> ApprovalResult:
        """Deny at once."""
        return ApprovalResult(
            state=ApprovalState.NO_APPROVER, reason=Reason(code=Code.NO_APPROVER)
        )

    async def claim(
        self, approval_id: str, *, args_hash: str, digest: str, caller: Caller
    ) -> bool:
        """Return that there is none."""
        return False

    async def close(self, approval_id: str, outcome: ToolOutcome) -> None:
        """Have nothing to note."""
