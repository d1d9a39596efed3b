"""Calls that an admin lets through once, although no rule grants them.

An allowance runs nothing by itself. It turns one refusal of the policy, for exactly
this call of this asker, into a yes (or a question, where the class wants one); every
guard still stands after it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from ..policy.call import ServiceCall, ToolCall, args_hash, tool_id
from ..policy.caller import Caller
from ..policy.decision import ApprovalTerms, PolicyDecision, RuleRef, Verdict
from ..policy.home import HomeView
from ..policy.impact import Impact
from ..policy.reason import Code, Reason
from .answering import is_entry, same_asker

ALLOWANCE_S: Final = 300.0
MAX_ALLOWANCES: Final = 50
ALLOWED_ONCE: Final = RuleRef(name="allowed once", line=0)

# What a rule could have granted. Deny globs, `never` and what is no call are not here.
_MENDABLE: Final = frozenset(
    {
        Code.NOT_LISTED,
        Code.TARGET_REQUIRED,
        Code.TARGET_NOT_COVERED,
        Code.DATA_NOT_ALLOWED,
        Code.INPUT_NOT_ALLOWED,
        Code.DOMAIN_NOT_ALLOWED,
        Code.CALLER_NOT_COVERED,
        Code.CONDITION_NOT_MET,
        Code.TOO_MANY_ENTITIES,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """One call of one asker; `until` in seconds of the injected clock."""

    args_hash: str
    caller: Caller
    until: float

    def covers(self, hashed: str, caller: Caller) -> bool:
        """Return whether it is this call of this asker."""
        return self.args_hash == hashed and same_asker(self.caller, caller)


def can_be_allowed(call: ToolCall, decision: PolicyDecision) -> bool:
    """Return whether a refusal is of the kind that an admin may lift once."""
    if decision.verdict is not Verdict.DENY or decision.impact >= Impact.LOCKED:
        return False
    if decision.reason.code not in _MENDABLE:
        return False
    # A selector with nothing behind it is no call that anybody could have meant.
    return not (
        isinstance(call, ServiceCall) and bool(call.target) and not decision.pinned
    )


class Allowances:
    """What was allowed once in the last five minutes; forgotten with a restart."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Measure with this clock, in seconds."""
        self._clock = clock
        self._kept: list[Allowance] = []

    def add(self, call: ToolCall, caller: Caller) -> bool:
        """Let a call through once; False if too many are open already."""
        hashed = args_hash(call)
        self._kept = [kept for kept in self._valid() if not kept.covers(hashed, caller)]
        if len(self._kept) >= MAX_ALLOWANCES:
            return False
        self._kept.append(
            Allowance(
                args_hash=hashed, caller=caller, until=self._clock() + ALLOWANCE_S
            )
        )
        return True

    def apply(
        self, decision: PolicyDecision, call: ToolCall, caller: Caller, home: HomeView
    ) -> PolicyDecision:
        """Return the decision, lifted if it is a refusal that was allowed once."""
        if not self._kept or not can_be_allowed(call, decision):
            return decision
        if self._find(call, caller) is None:
            return decision
        if decision.impact < Impact.DESTRUCTIVE and not is_entry(call, decision, home):
            return replace(
                decision,
                verdict=Verdict.ALLOW,
                reason=Reason(code=Code.ALLOWED),
                rule=ALLOWED_ONCE,
                visible=True,
            )
        return replace(
            decision,
            verdict=Verdict.ASK,
            reason=Reason(code=Code.APPROVAL_NEEDED, values={"tool": tool_id(call)}),
            rule=ALLOWED_ONCE,
            approval=decision.approval or ApprovalTerms(),
            visible=True,
        )

    def take(self, call: ToolCall, caller: Caller) -> bool:
        """Use an allowance up; False if there is none any more."""
        found = self._find(call, caller)
        if found is None:
            return False
        self._kept.remove(found)
        return True

    def _find(self, call: ToolCall, caller: Caller) -> Allowance | None:
        hashed = args_hash(call)
        return next(
            (kept for kept in self._valid() if kept.covers(hashed, caller)), None
        )

    def _valid(self) -> list[Allowance]:
        now = self._clock()
        return [kept for kept in self._kept if kept.until > now]
