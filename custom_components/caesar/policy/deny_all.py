"""The policy that holds while no file can be read: everything is denied."""

from dataclasses import dataclass

from .call import ToolCall
from .caller import Caller
from .decision import PolicyDecision, Verdict
from .home import ConditionChecker, HomeView
from .reason import Code, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class DenyAllPolicy:
    """Denies every call, reads too, and says where the file is wrong."""

    problem: str
    revision: str = "unreadable"

    def evaluate(
        self,
        call: ToolCall,
        caller: Caller,
        home: HomeView,
        conditions: ConditionChecker,
    ) -> PolicyDecision:
        """Deny."""
        return PolicyDecision(
            verdict=Verdict.DENY,
            reason=Reason(
                code=Code.POLICY_DENIED,
                values={"why": "unreadable_policy", "problem": self.problem},
            ),
            policy_rev=self.revision,
        )

    def may_grant(self, tool: str) -> bool:
        """Return False: nothing can be granted."""
        return False

    def may_list(self, tool: str) -> bool:
        """Return False: nothing can be granted."""
        return False
