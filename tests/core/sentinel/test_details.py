"""Small things of the sentinel that nothing else would notice (found by mutation)."""

from collections.abc import Iterator
from dataclasses import replace
import time

import pytest

from custom_components.caesar.policy.call import args_hash, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import ApprovalTerms, RuleRef, Verdict
from custom_components.caesar.policy.home import NoConditions
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.allowances import ALLOWED_ONCE, Allowances
from custom_components.caesar.sentinel.answering import may_refuse
from custom_components.caesar.sentinel.approvals import Answerer, Standing, Via
from custom_components.caesar.sentinel.budget import Budget, Quota
from custom_components.caesar.sentinel.dead_man import MAX_ACTIONS, DeadManGuard
from custom_components.caesar.sentinel.desk_parts import DeskEvent
from custom_components.caesar.sentinel.written import from_json, to_json
from custom_components.caesar.turn import Turn
from tests.fakes.clock import FakeClock
from tests.fakes.desk import ADMIN, CHILD, DeskUnderTest
from tests.fakes.parts import small_home

from .test_answering import question
from .test_budget import NOON
from .test_capability import decision

DAY = "2026-11-30"


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the machine's own day begin fourteen hours before UTC's."""
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_east")
def test_the_day_is_utcs_wherever_the_machine_is() -> None:
    """At noon in UTC it is tomorrow there."""
    budget = Budget(lambda _: 100, FakeClock(NOON), lambda _: None)
    assert budget.day() == DAY


def test_a_budget_counts_from_nothing() -> None:
    """Unused is 0, and what was loaded is exactly that."""
    budget = Budget(lambda _: 100, FakeClock(NOON), lambda _: None)
    assert budget.used("a", DAY) == 0
    budget.load(DAY, {"a": 40})
    assert budget.used("a", DAY) == 40


def test_used_up_is_told_once_though_more_is_spent() -> None:
    """A call that was under way may still cost something."""
    told: list[Quota] = []
    budget = Budget(lambda _: 100, FakeClock(NOON), told.append)
    for _ in range(3):
        budget.spend("a", DAY, 100)
        assert budget.room("a") is None
    assert len(told) == 1


def test_dead_man_says_why_and_how_long() -> None:
    """A model gets the limit and the seconds to wait."""
    clock = FakeClock()
    guard = DeadManGuard(clock)
    change = decision(impact=Impact.REVERSIBLE)
    caller = Caller(origin=Origin.AUTOMATION, agent_id="a", context_id="c")
    turn = Turn(decision_id="d", caller=caller, language="en", deadline=9e9)
    for _ in range(MAX_ACTIONS):
        guard.admit(service_call("light", "turn_on", None, None), change, turn)
    clock.advance(99.6)
    refused = guard.check(service_call("light", "turn_on", None, None), change, turn)
    assert refused.reason.code is Code.RATE_LIMITED
    assert dict(refused.reason.values) == {
        "why": "dead_man",
        "limit": "20",
        "seconds": "500",
    }
    assert refused.retry_after == pytest.approx(500.4)
    clock.advance(500.3)
    refused = guard.check(service_call("light", "turn_on", None, None), change, turn)
    assert refused.reason.values["seconds"] == "1"


def test_a_named_approvers_no_counts() -> None:
    """Also where he neither asked nor is an admin."""
    pending = question(terms=ApprovalTerms(approvers=("child",)))
    by = Answerer(via=Via.PHONE, user_id="child", is_admin=False)
    assert may_refuse(pending, by, own_users=())
    assert not may_refuse(pending, replace(by, user_id="guest"), own_users=())


def test_a_question_is_read_as_it_was_written() -> None:
    """Every field, whether it is set or not."""
    plain = question()
    whole = replace(
        plain,
        call=service_call(
            "light", "turn_on", {"entity_id": ["light.a"], "area_id": ["b"]}, {"x": 1}
        ),
        impact=Impact.DESTRUCTIVE,
        entry=True,
        inside=("lock.shed", "light.a"),
        terms=ApprovalTerms(approvers=("owner",), pin="front"),
        rule=RuleRef(name="doors", line=7),
        standing=Standing.APPROVED,
        decided_by="owner",
        via=Via.PHONE,
        decided_at=12.5,
    )
    for pending in (plain, whole):
        asked = replace(pending, args_hash=args_hash(pending.call))
        assert from_json(to_json(asked)) == asked


async def test_what_is_decided_can_not_be_withdrawn(house: DeskUnderTest) -> None:
    """A no stays a no; and what nobody knows is no fault."""
    approval_id = await house.park()
    assert (await house.desk.answer(approval_id, False, ADMIN)).ok
    await house.desk.withdraw(approval_id)
    await house.desk.withdraw("unknown")
    assert house.store.standing(approval_id) == "denied"
    assert house.trail.types() == ["requested", "decided"]


async def test_withdrawing_is_on_record(house: DeskUnderTest) -> None:
    """With the question, and why it ended."""
    approval_id = await house.park()
    await house.desk.withdraw(approval_id)
    event, pending, facts = house.trail.rows[-1]
    assert event is DeskEvent.DECIDED
    assert pending is not None
    assert pending.id == approval_id
    assert (facts["why"], facts["approval_id"]) == ("cancelled", approval_id)


async def test_unheard_is_on_record(house: DeskUnderTest) -> None:
    """A question that reached nobody is a no, with its row."""
    house.channel.people = ()
    result = await house.desk.request(house.asks())
    assert result.reason.code is Code.NO_APPROVER
    event, pending, facts = house.trail.rows[-1]
    assert (event, facts["why"]) == (DeskEvent.DECIDED, "no_approver")
    assert pending is not None
    assert pending.decision_id == "turn-1"


async def test_allowing_once_is_on_record(house: DeskUnderTest) -> None:
    """Who let which call of whom through, by which way; and who tried to."""
    call = service_call("lock", "unlock", {"entity_id": "lock.shed"}, None)
    caller = house.turn().caller
    for by, event, verdict, why in (
        (ADMIN, DeskEvent.DECIDED, "allowed_once", "allowed"),
        (CHILD, DeskEvent.REJECTED, "refused", "caller_not_covered"),
    ):
        answer = await house.desk.allow_once(call, caller, by)
        assert (answer.ok, answer.code.value) == (why == "allowed", why)
        assert house.trail.rows[-1] == (
            event,
            None,
            {
                "verdict": verdict,
                "why": why,
                "tool": "lock.unlock",
                "for": caller.as_json(),
                "decided_by": by.user_id,
                "via": "action",
            },
        )


def test_what_is_allowed_once_is_a_decision_of_its_own() -> None:
    """Allowed, or asked about where the class wants it; shown, and named so."""
    home = small_home()
    allowances = Allowances(FakeClock())
    caller = Caller(origin=Origin.CHAT, user_id="child", agent_id="a", context_id="c")
    policy = load_policy("version: 1\nallowed_services: []\n")
    for name, verdict, code, terms in (
        ("light.turn_on light.hall", Verdict.ALLOW, Code.ALLOWED, None),
        (
            "lock.unlock lock.shed",
            Verdict.ASK,
            Code.APPROVAL_NEEDED,
            ApprovalTerms(),
        ),
    ):
        tool, entity_id = name.split()
        domain, _, service = tool.partition(".")
        call = service_call(domain, service, {"entity_id": entity_id}, None)
        before = policy.evaluate(call, caller, home, NoConditions())
        assert allowances.add(call, caller)
        after = allowances.apply(before, call, caller, home)
        assert (after.verdict, after.reason.code) == (verdict, code)
        assert (after.visible, after.approval) == (True, terms)
        assert after.rule == ALLOWED_ONCE
        if verdict is Verdict.ASK:
            assert after.reason.values == {"tool": tool}


@pytest.mark.parametrize(("seconds", "counts"), [(0, True), (25, True), (26, False)])
async def test_a_spoken_yes_belongs_to_what_was_just_said(
    house: DeskUnderTest, seconds: int, counts: bool
) -> None:
    """At the desk itself: the seconds since it asked in that conversation."""
    turn = house.turn(
        origin=Origin.VOICE, satellite_id="assist_satellite.hall", seconds=0
    )
    approval_id = await house.park(
        turn, service="light.turn_on", entity_id="light.hall"
    )
    pending = house.desk.find(approval_id)
    assert pending is not None
    house.clock.advance(seconds)
    yes = Answerer(via=Via.VOICE, user_id=None, is_admin=False, session="session-1")
    assert house.desk.may_answer(pending, yes) is counts
