"""What would become of a request: the gate's steps 1 to 3, and nothing after them."""

from dataclasses import dataclass

from .gate import GateParts
from .policy.call import CallError, ToolCall
from .policy.decision import PolicyDecision, Verdict
from .policy.reason import Reason
from .tool import resolve
from .turn import GuardResult, ToolRequest, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A decision that nothing follows.

    Without `call` the request means none, and `reason` says why. `verdict` is the
    stricter of the policy's and the guards'.
    """

    verdict: Verdict
    reason: Reason
    call: ToolCall | None = None
    policy: PolicyDecision | None = None
    guard: GuardResult | None = None


def preview(parts: GateParts, request: ToolRequest, turn: Turn) -> Preview:
    """Return what would be decided now. Touches, counts and records nothing."""
    try:
        _, call = resolve(parts.toolbox, request)
    except CallError as err:
        return Preview(verdict=Verdict.DENY, reason=err.reason)
    policy = parts.policy().evaluate(call, turn.caller, parts.home, parts.conditions)
    guard = None
    if policy.verdict is not Verdict.DENY:
        guard = parts.sentinel.check(call, policy, turn)
    if guard is not None and guard.verdict is not Verdict.ALLOW:
        # A guard that only asks adds nothing to a policy that asks already.
        if guard.verdict is Verdict.DENY or policy.verdict is Verdict.ALLOW:
            return Preview(
                verdict=guard.verdict,
                reason=guard.reason,
                call=call,
                policy=policy,
                guard=guard,
            )
    return Preview(
        verdict=policy.verdict,
        reason=policy.reason,
        call=call,
        policy=policy,
        guard=guard,
    )
