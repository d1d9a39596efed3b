"""Steps 2 to 4 of the gate: what the policy, the sentinel and a person say."""

from typing import Final

from .flight import Flight, failure
from .gate_parts import GateParts
from .policy.call import ToolCall, args_hash, tool_id
from .policy.decision import ApprovalTerms, PolicyDecision, Verdict, decision_digest
from .policy.reason import Code, Reason
from .sentinel.guard import ApprovalRequest
from .tool import Tool
from .turn import (
    ApprovalResult,
    ApprovalState,
    ApprovedCall,
    GuardResult,
    ToolDecision,
    ToolRequest,
    Turn,
)

# A call whose meaning changes under each question is not asked about for ever.
MAX_QUESTIONS: Final = 3


class Judge:
    """Judges calls, again and again if need be; nothing here has an effect."""

    def __init__(self, parts: GateParts) -> None:
        """Stand on these parts."""
        self._parts = parts

    def _decide(self, call: ToolCall, turn: Turn) -> PolicyDecision:
        """Step 2: what the policy says of what would really be touched."""
        parts = self._parts
        decision = parts.policy().evaluate(
            call, turn.caller, parts.home, parts.conditions
        )
        if parts.allowances is None:
            return decision
        return parts.allowances.apply(decision, call, turn.caller, parts.home)

    def _guard(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult | None:
        """Step 3: the sentinel, which may only be stricter."""
        if decision.verdict is Verdict.DENY:
            return None
        return self._parts.sentinel.check(call, decision, turn)

    async def _approve(
        self, asked: ApprovalRequest, yes: ApprovedCall | None
    ) -> ApprovalResult | None:
        """Step 4: a person's answer, if policy or sentinel want one; None: not needed.

        `yes` is one that was given before. It counts for the very same arguments, and
        for what they resolve to now; for anything else a person is asked anew.
        """
        decision, guard = asked.decision, asked.guard
        verdicts = {decision.verdict, guard.verdict if guard else Verdict.DENY}
        if Verdict.DENY in verdicts:
            return None
        if yes is not None:
            if yes.args_hash != args_hash(asked.call):
                return _refused(asked.call, Code.APPROVAL_DENIED)
            if yes.digest == decision_digest(decision) and _still_counts(
                yes, decision.approval
            ):
                return _held(yes)
        if Verdict.ASK not in verdicts:
            return None
        if yes is not None:
            reason = Reason(code=Code.APPROVAL_NEEDED)
            await self._parts.approver.close(
                yes.approval_id, failure(asked.request, reason)
            )
        answer = await self._parts.approver.request(asked)
        if answer.state is ApprovalState.APPROVED and not answer.approval_id:
            # Nothing could be claimed for it.
            return _refused(asked.call, Code.UNKNOWN_APPROVAL)
        return answer

    async def judge(
        self,
        request: ToolRequest,
        tool: Tool,
        call: ToolCall,
        turn: Turn,
        yes: ApprovedCall | None = None,
    ) -> Flight:
        """Take a call through all three, and again after each new yes.

        A person takes a while; what was decided before is not what holds now.
        """
        for _ in range(MAX_QUESTIONS):
            flight = self.look(request, tool, call, turn)
            policy, guard = flight.decision.policy, flight.decision.guard
            asked = ApprovalRequest(
                request=request, call=call, decision=policy, guard=guard, turn=turn
            )
            approval = await self._approve(asked, yes)
            new = _new_yes(approval, yes, call, policy)
            if new is None:
                return flight.judged(_verdict(policy, guard, approval), approval, yes)
            yes = new
        denied = _refused(call, Code.APPROVAL_DENIED)
        return flight.judged(Verdict.DENY, denied, yes)

    def look(
        self, request: ToolRequest, tool: Tool, call: ToolCall, turn: Turn
    ) -> Flight:
        """Judge without asking anybody: policy and sentinel as they are now."""
        seen = self.revisions()
        policy = self._decide(call, turn)
        guard = self._guard(call, policy, turn)
        return Flight(
            request=request,
            tool=tool,
            call=call,
            decision=ToolDecision(
                policy=policy, guard=guard, verdict=_verdict(policy, guard, None)
            ),
            turn=turn,
            context_id=self._parts.new_context_id(),
            seen=seen,
        )

    def stands(self, flight: Flight) -> bool:
        """Return whether policy and sentinel would say now what they said."""
        policy = self._decide(flight.call, flight.turn)
        return (
            policy == flight.decision.policy
            and self._guard(flight.call, policy, flight.turn) == flight.decision.guard
        )

    def revisions(self) -> tuple[str, int]:
        """Return the numbers of the policy and the house that a decision is for."""
        return self._parts.policy().revision, self._parts.home.revision


def _verdict(
    policy: PolicyDecision, guard: GuardResult | None, approval: ApprovalResult | None
) -> Verdict:
    if approval is not None:
        if approval.state is ApprovalState.APPROVED:
            return Verdict.ALLOW
        if approval.state is ApprovalState.PARKED and approval.approval_id:
            return Verdict.ASK
        return Verdict.DENY
    if policy.verdict is Verdict.ALLOW and guard is not None:
        return Verdict.ALLOW if guard.verdict is Verdict.ALLOW else Verdict.DENY
    return Verdict.DENY


def _new_yes(
    approval: ApprovalResult | None,
    yes: ApprovedCall | None,
    call: ToolCall,
    policy: PolicyDecision,
) -> ApprovedCall | None:
    """Return the yes that has just been given; None if there is no new one."""
    if approval is None or approval.state is not ApprovalState.APPROVED:
        return None
    digest = decision_digest(policy)
    if approval.approval_id is None or (
        yes is not None
        and (approval.approval_id, digest) == (yes.approval_id, yes.digest)
    ):
        return None
    return ApprovedCall(
        approval_id=approval.approval_id,
        args_hash=args_hash(call),
        digest=digest,
        decided_by=approval.decided_by,
        via=approval.via,
        terms=policy.approval or ApprovalTerms(),
    )


def _still_counts(yes: ApprovedCall, terms: ApprovalTerms | None) -> bool:
    """Return whether the policy of now would take an answer of whoever gave it.

    A spoken one, whose PIN nobody has any more, counts for the same terms only.
    """
    now = terms or ApprovalTerms()
    if now == yes.terms:
        return True
    if yes.decided_by is None:
        return False
    if now.approvers:
        return yes.decided_by in now.approvers
    # Without names it was an admin's, and admins are asked.
    return not yes.terms.approvers


def _held(yes: ApprovedCall) -> ApprovalResult:
    return ApprovalResult(
        state=ApprovalState.APPROVED,
        reason=Reason(code=Code.ALLOWED),
        decided_by=yes.decided_by,
        via=yes.via,
        approval_id=yes.approval_id,
    )


def _refused(call: ToolCall, code: Code) -> ApprovalResult:
    return ApprovalResult(
        state=ApprovalState.DENIED,
        reason=Reason(code=code, values={"tool": tool_id(call)}),
    )
