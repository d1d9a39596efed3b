"""How far the tools of a turn may go, whatever the policy grants (ADR-0004)."""

from collections.abc import Callable
from typing import Final

from ..policy.call import ToolCall
from ..policy.decision import PolicyDecision, Verdict
from ..policy.impact import Impact
from ..policy.reason import Code, Reason
from ..turn import GuardResult, ToolOutcome, ToolScope, Turn
from .capability import PASS

_WIDTH: Final = (ToolScope.NONE, ToolScope.READ, ToolScope.POLICY)


def narrowest(*scopes: ToolScope) -> ToolScope:
    """Return the scope that allows least."""
    return min(scopes, key=_WIDTH.index)


class ScopeGuard:
    """Holds a turn to its scope, and automations to the owner's option.

    An automation's text may come from anywhere, and nobody is there to be asked; so
    it may look things up and no more, unless the owner chose otherwise. So it is with
    another agent or a task that names no user. What the turn itself says can only be narrower.
    """

    def __init__(self, automations: Callable[[], ToolScope]) -> None:
        """Ask this for the owner's present choice."""
        self._automations = automations

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Refuse what the turn's scope does not hold."""
        scope = turn.tools
        if turn.caller.unattended:
            scope = narrowest(scope, self._automations())
        reads = decision.impact is Impact.READ
        if scope is ToolScope.POLICY or (scope is ToolScope.READ and reads):
            return PASS
        return GuardResult(
            verdict=Verdict.DENY,
            reason=Reason(
                code=Code.CALLER_NOT_COVERED,
                values={"origin": turn.caller.origin.value, "scope": scope.value},
            ),
        )

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Count nothing."""
        return PASS

    def report(self, outcome: ToolOutcome) -> None:
        """Learn nothing: the rule does not depend on what came of a call."""
