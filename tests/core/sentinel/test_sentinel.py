"""The guards' order, and a house with nobody to ask."""

from custom_components.caesar.policy.call import service_call
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.sentinel.guard import ApprovalRequest
from custom_components.caesar.sentinel.nobody import NobodyToAsk
from custom_components.caesar.sentinel.sentinel import Sentinel
from custom_components.caesar.turn import (
    ApprovalState,
    GuardResult,
    ToolOutcome,
    ToolRequest,
    Turn,
)

from .test_capability import decision, turn

CALL = service_call("light", "turn_on", None, None)
OUTCOME = ToolOutcome(request_id="r", tool="light.turn_on")


class Says:
    """A guard that always gives the same answer and keeps what it is asked."""

    def __init__(self, verdict: Verdict, code: Code = Code.ALLOWED) -> None:
        """Answer with this verdict and reason."""
        self.answer = GuardResult(verdict=verdict, reason=Reason(code=code))
        self.asked = 0
        self.admitted = 0
        self.heard: list[ToolOutcome] = []

    def check(self, call: object, decision: PolicyDecision, turn: Turn) -> GuardResult:
        """Answer."""
        self.asked += 1
        return self.answer

    def admit(self, call: object, decision: PolicyDecision, turn: Turn) -> GuardResult:
        """Answer likewise, and keep that it was counted."""
        self.admitted += 1
        return self.answer

    def report(self, outcome: ToolOutcome) -> None:
        """Keep it."""
        self.heard.append(outcome)


def test_no_guard_and_passing_guards_pass() -> None:
    """Nobody objects."""
    assert Sentinel([]).check(CALL, decision(), turn()) == PASS
    guards = [Says(Verdict.ALLOW), Says(Verdict.ALLOW)]
    assert Sentinel(guards).check(CALL, decision(), turn()) == PASS
    assert [guard.asked for guard in guards] == [1, 1]


def test_the_first_refusal_wins() -> None:
    """A refusal ends the round, also after one that would ask."""
    asks = Says(Verdict.ASK, Code.TAINTED)
    first = Says(Verdict.DENY, Code.CIRCUIT_OPEN)
    second = Says(Verdict.DENY, Code.RATE_LIMITED)
    result = Sentinel([asks, first, second]).check(CALL, decision(), turn())
    assert result == first.answer
    assert second.asked == 0


def test_the_first_that_asks_wins_over_passes() -> None:
    """Asking is stricter than passing, and the first reason is told."""
    first = Says(Verdict.ASK, Code.TAINTED)
    second = Says(Verdict.ASK, Code.TOO_MANY_ENTITIES)
    guards = [Says(Verdict.ALLOW), first, second, Says(Verdict.ALLOW)]
    assert Sentinel(guards).check(CALL, decision(), turn()) == first.answer


def test_admission_ends_at_the_first_without_room() -> None:
    """A guard behind one that refuses counts nothing."""
    guards = [Says(Verdict.ALLOW), Says(Verdict.DENY, Code.RATE_LIMITED)]
    last = Says(Verdict.ALLOW)
    result = Sentinel([*guards, last]).admit(CALL, decision(), turn())
    assert result == guards[1].answer
    assert [guard.admitted for guard in (*guards, last)] == [1, 1, 0]
    assert Sentinel([last]).admit(CALL, decision(), turn()) == PASS


def test_every_guard_hears_the_outcome() -> None:
    """Also one that did not object."""
    guards = [Says(Verdict.ALLOW), Says(Verdict.DENY)]
    Sentinel(guards).report(OUTCOME)
    assert [guard.heard for guard in guards] == [[OUTCOME], [OUTCOME]]


async def test_nobody_to_ask_is_a_no() -> None:
    """A question that nobody hears is denied at once."""
    nobody = NobodyToAsk()
    result = await nobody.request(
        ApprovalRequest(
            request=ToolRequest(id="r", name="light__turn_on", arguments={}),
            call=CALL,
            decision=decision(),
            guard=None,
            turn=turn(),
        )
    )
    caller = turn().caller
    assert not await nobody.claim("any", args_hash="", digest="", caller=caller)
    assert result.state is ApprovalState.NO_APPROVER
    assert result.reason.code is Code.NO_APPROVER
    assert result.decided_by is None
