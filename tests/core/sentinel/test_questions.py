"""How a call becomes a question, how it stands, and how many are too many."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.call import args_hash, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import (
    ApprovalTerms,
    PolicyDecision,
    RuleRef,
    Verdict,
    decision_digest,
)
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing, Via
from custom_components.caesar.sentinel.guard import ApprovalRequest
from custom_components.caesar.sentinel.questions import (
    draft,
    refused,
    result_of,
    too_many,
)
from custom_components.caesar.turn import (
    ApprovalResult,
    ApprovalState,
    GuardResult,
    ToolRequest,
    Turn,
)
from tests.fakes.parts import small_home

from .test_answering import CHILD, SATELLITE, question

NAMED = ("light.kitchen", "light.hall", "lock.shed")
CALL = service_call("homeassistant", "turn_on", {"entity_id": list(NAMED)}, None)
DECISION = PolicyDecision(
    verdict=Verdict.ASK,
    reason=Reason(code=Code.APPROVAL_NEEDED, values={"tool": "homeassistant.turn_on"}),
    rule=RuleRef(name="doors", line=7),
    impact=Impact.REVERSIBLE,
    pinned=NAMED,
    touched=(*NAMED, "light.attic", "lock.front_door"),
    named_in_data=("light.hall",),
    approval=ApprovalTerms(approvers=("adult",), pin="front"),
    policy_rev="r",
)
ADMIN = replace(CHILD, user_id="admin", is_admin=True)


def drafted(
    decision: PolicyDecision = DECISION,
    guard: GuardResult | None = None,
    **more: Any,
) -> PendingApproval:
    """Return the question that the call becomes."""
    turn = Turn(
        decision_id="turn-1",
        caller=CHILD,
        language="de",
        deadline=1,
        session=more.get("session", "session-1"),
    )
    asked = ApprovalRequest(
        request=ToolRequest(id="request-9", name="call_service", arguments={}),
        call=CALL,
        decision=decision,
        guard=guard,
        turn=turn,
    )
    return draft(
        asked,
        small_home(),
        new_id="approval-1",
        now=100.0,
        ttl_s=more.get("ttl_s", 900),
    )


def test_a_question_is_the_whole_call() -> None:
    """All facts of it; what opens the house is told first, the rest by its name."""
    assert drafted() == PendingApproval(
        id="approval-1",
        decision_id="turn-1",
        request_id="request-9",
        call=CALL,
        args_hash=args_hash(CALL),
        digest=decision_digest(DECISION),
        impact=Impact.REVERSIBLE,
        entry=True,
        entities=("lock.shed", "light.hall", "light.kitchen"),
        inside=("lock.front_door", "light.attic"),
        terms=ApprovalTerms(approvers=("adult",), pin="front"),
        rule=RuleRef(name="doors", line=7),
        why=DECISION.reason,
        caller=CHILD,
        session="session-1",
        language="de",
        created_at=100.0,
        expires_at=1000.0,
    )


def test_a_question_of_a_light_opens_nothing() -> None:
    """And without terms of a rule it is every admin's."""
    light = replace(
        DECISION, pinned=("light.hall",), touched=("light.hall",), approval=None
    )
    pending = drafted(light, session="")
    assert not pending.entry
    assert (pending.entities, pending.inside) == (("light.hall",), ())
    assert pending.terms == ApprovalTerms()
    assert pending.session == "turn-1"


def test_a_question_without_a_target_names_what_stands_in_its_data() -> None:
    """Nothing else would tell a person what it is about."""
    bare = replace(DECISION, pinned=(), touched=(), named_in_data=("light.hall",))
    assert drafted(bare).entities == ("light.hall",)


@pytest.mark.parametrize(("ttl_s", "lives"), [(1, 30), (31, 31), (90_000, 86_400)])
def test_a_question_lives_neither_too_short_nor_too_long(
    ttl_s: float, lives: float
) -> None:
    """From half a minute to a day."""
    assert drafted(ttl_s=ttl_s).expires_at == 100.0 + lives


def test_a_rule_that_asks_is_the_reason_also_where_a_guard_asks() -> None:
    """Only where the policy alone would allow it, the guard is."""
    tainted = Reason(code=Code.TAINTED)
    guard = GuardResult(verdict=Verdict.ASK, reason=tainted)
    assert drafted(guard=guard).why == DECISION.reason
    assert drafted(replace(DECISION, verdict=Verdict.ALLOW), guard).why == tainted


@pytest.mark.parametrize(
    ("standing", "state", "code"),
    [
        (Standing.WAITING, ApprovalState.PARKED, Code.APPROVAL_NEEDED),
        (Standing.APPROVED, ApprovalState.APPROVED, Code.ALLOWED),
        (Standing.DENIED, ApprovalState.DENIED, Code.APPROVAL_DENIED),
        (Standing.EXPIRED, ApprovalState.EXPIRED, Code.APPROVAL_EXPIRED),
        # Used up by another turn, whatever came of it there.
        (Standing.EXECUTING, ApprovalState.DENIED, Code.ALREADY_DECIDED),
        (Standing.DONE, ApprovalState.DENIED, Code.ALREADY_DECIDED),
        (Standing.FAILED, ApprovalState.DENIED, Code.ALREADY_DECIDED),
        (Standing.INTERRUPTED, ApprovalState.DENIED, Code.ALREADY_DECIDED),
    ],
)
def test_how_a_question_stands(
    standing: Standing, state: ApprovalState, code: Code
) -> None:
    """With the tool, who decided, and by which way."""
    pending = question(standing=standing, decided_by="admin", via=Via.PHONE)
    assert result_of(pending) == ApprovalResult(
        state=state,
        reason=Reason(code=code, values={"tool": "light.turn_on"}),
        decided_by="admin",
        via="phone",
        approval_id="approval-1",
    )
    assert result_of(replace(pending, via=None)).via is None


@pytest.mark.parametrize(
    ("code", "state"),
    [
        (Code.NO_APPROVER, ApprovalState.NO_APPROVER),
        (Code.RATE_LIMITED, ApprovalState.DENIED),
        (Code.AUDIT_UNAVAILABLE, ApprovalState.DENIED),
    ],
)
def test_a_no_that_no_person_gave(code: Code, state: ApprovalState) -> None:
    """It names the tool, and no question."""
    assert refused(code, "light.turn_on") == ApprovalResult(
        state=state, reason=Reason(code=code, values={"tool": "light.turn_on"})
    )


def asked(
    number: int, caller: Caller, standing: Standing, session: str
) -> list[PendingApproval]:
    """Return so many questions of a caller, none of the last hour's first second."""
    one = question(
        caller=caller, standing=standing, session=session, created_at=1.0, entry=True
    )
    return [one] * number


ELSEWHERE = "session-2"
HERE = "session-1"
AUTOMATION = replace(CHILD, user_id=None, origin=Origin.AUTOMATION)
GUEST = replace(CHILD, user_id="guest")


@pytest.mark.parametrize(
    ("caller", "of", "session", "waiting", "hourly"),
    [
        # Who answers their own questions disturbs nobody else.
        (ADMIN, ADMIN, ELSEWHERE, 10, 20),
        (ADMIN, ADMIN, HERE, 3, 6),
        (CHILD, CHILD, ELSEWHERE, 3, 6),
        (CHILD, CHILD, HERE, 3, 6),
        (SATELLITE, SATELLITE, ELSEWHERE, 3, 6),
        (AUTOMATION, AUTOMATION, ELSEWHERE, 3, 6),
        # Of others only the house as a whole counts.
        (CHILD, GUEST, HERE, 20, None),
        (ADMIN, GUEST, ELSEWHERE, 20, None),
    ],
)
def test_how_many_questions_are_too_many(
    caller: Caller, of: Caller, session: str, waiting: int, hourly: int | None
) -> None:
    """Those that wait, and those of the last hour, answered or not."""
    new = question(caller=caller, session=HERE, created_at=3600.0)
    assert too_many(asked(waiting, of, Standing.WAITING, session), new)
    assert not too_many(asked(waiting - 1, of, Standing.WAITING, session), new)
    decided = asked(hourly or 100, of, Standing.DENIED, session)
    assert too_many(decided, new) is (hourly is not None)
    assert not too_many(decided[: (hourly or 100) - 1], new)
    assert not too_many(decided, replace(new, created_at=3601.0))


def test_a_rule_that_names_others_makes_an_admin_like_all_else() -> None:
    """They don't answer that question themselves."""
    terms = ApprovalTerms(approvers=("adult",))
    new = question(caller=ADMIN, session=HERE, created_at=3600.0, terms=terms)
    assert too_many(asked(3, ADMIN, Standing.WAITING, ELSEWHERE), new)
