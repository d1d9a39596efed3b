"""Who may answer: every way, every kind of question."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.call import GenericToolCall, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import (
    ApprovalTerms,
    PolicyDecision,
    Verdict,
)
from custom_components.caesar.policy.home import StaticHome
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel.answering import (
    VOICE_ANSWER_S,
    asker_may_answer,
    asker_of,
    is_entry,
    may_approve,
    may_refuse,
)
from custom_components.caesar.sentinel.approvals import Answerer, PendingApproval, Via
from tests.fakes.parts import facts, small_home

OWN = frozenset({"caesar-voice"})
SATELLITE = Caller(
    origin=Origin.VOICE,
    satellite_id="assist_satellite.kitchen",
    device_id="device-1",
    agent_id="agent-1",
    context_id="context-1",
)
CHILD = Caller(
    origin=Origin.CHAT, user_id="child", agent_id="agent-1", context_id="context-1"
)
YES = Answerer(via=Via.VOICE, user_id=None, is_admin=False, session="session-1")


def question(**changes: Any) -> PendingApproval:
    """Return a question of the kitchen's satellite about a light."""
    known: dict[str, Any] = {
        "id": "approval-1",
        "decision_id": "turn-1",
        "request_id": "request-1",
        "call": service_call("light", "turn_on", {"entity_id": "light.hall"}, None),
        "args_hash": "a",
        "digest": "d",
        "impact": Impact.REVERSIBLE,
        "entry": False,
        "entities": ("light.hall",),
        "terms": ApprovalTerms(),
        "rule": None,
        "why": Reason(code=Code.APPROVAL_NEEDED),
        "caller": SATELLITE,
        "session": "session-1",
        "language": "en",
        "created_at": 0.0,
        "expires_at": 900.0,
    }
    return PendingApproval(**{**known, **changes})


def approves(
    pending: PendingApproval, answerer: Answerer, said_ago: float | None = 3.0
) -> bool:
    """Return whether this yes counts."""
    return may_approve(pending, answerer, own_users=OWN, said_ago=said_ago)


def test_a_bare_spoken_yes() -> None:
    """Only for what can be taken back, of the session that asked, right after."""
    assert approves(question(), YES)
    assert approves(question(), YES, VOICE_ANSWER_S)
    assert not approves(question(), YES, VOICE_ANSWER_S + 0.1)
    assert not approves(question(), YES, None)
    assert not approves(question(), replace(YES, session="session-2"))
    assert not approves(question(), replace(YES, session=None))
    # However the two conversations came to the same name.
    assert not approves(question(caller=CHILD), YES)
    assert not approves(question(entry=True), YES)
    for impact in set(Impact) - {Impact.REVERSIBLE}:
        assert not approves(question(impact=impact), YES)
    assert not approves(question(terms=ApprovalTerms(approvers=("adult",))), YES)


def test_a_rules_pin_stands_for_a_user() -> None:
    """That very PIN, said in the session that asked; a bare yes is none then."""
    terms = ApprovalTerms(pin="front")
    lock = question(impact=Impact.DESTRUCTIVE, entry=True, terms=terms)
    proved = replace(YES, pin="front")
    assert approves(lock, proved)
    assert approves(lock, proved, None)
    assert not approves(lock, YES)
    assert not approves(question(terms=terms), YES)
    assert not approves(lock, replace(YES, pin="garage"))
    assert not approves(lock, replace(proved, session="session-2"))
    assert not approves(replace(lock, terms=ApprovalTerms()), proved)
    for via in set(Via) - {Via.VOICE}:
        assert not approves(lock, replace(proved, via=via))


@pytest.mark.parametrize("via", list(Via))
def test_a_user_is_an_approver_or_not(via: Via) -> None:
    """By the rule's list if it has one, else by being an admin; whatever the way."""
    adult = Answerer(via=via, user_id="adult", is_admin=False, session="session-1")
    admin = replace(adult, user_id="admin", is_admin=True)
    for impact in (Impact.REVERSIBLE, Impact.DESTRUCTIVE, Impact.LOCKED):
        pending = question(impact=impact, entry=True)
        assert approves(pending, admin)
        assert not approves(pending, adult)
        named = replace(pending, terms=ApprovalTerms(approvers=("adult",)))
        assert approves(named, adult)
        assert not approves(named, admin)
        assert not approves(replace(pending, terms=ApprovalTerms(pin="x")), adult)


@pytest.mark.parametrize("via", list(Via))
def test_caesars_own_users_answer_nothing(via: Via) -> None:
    """Not even where a rule names them, and no no either."""
    own = Answerer(
        via=via, user_id="caesar-voice", is_admin=True, session="session-1", pin="x"
    )
    terms = ApprovalTerms(approvers=("caesar-voice",), pin="x")
    assert not approves(question(terms=terms), own)
    assert not may_refuse(question(), own, own_users=OWN)


@pytest.mark.parametrize("via", sorted(set(Via) - {Via.VOICE}))
def test_nobody_is_no_user(via: Via) -> None:
    """Only a satellite speaks without a user."""
    nobody = Answerer(via=via, user_id=None, is_admin=True, session="session-1")
    assert not approves(question(), nobody)


def test_a_chat_answers_its_own_questions_only() -> None:
    """An approver's yes in another conversation is about something else."""
    admin = Answerer(via=Via.CHAT, user_id="admin", is_admin=True, session="session-2")
    assert not approves(question(), admin)
    assert not may_refuse(question(), admin, own_users=OWN)
    assert approves(question(), replace(admin, session="session-1"))


def test_a_no_counts_from_more_people() -> None:
    """Whoever asked may take it back, by voice too; a stranger may not."""
    pending = question(caller=CHILD, impact=Impact.DESTRUCTIVE)
    no = Answerer(via=Via.ACTION, user_id="child", is_admin=False)
    assert may_refuse(pending, no, own_users=OWN)
    assert not may_refuse(pending, replace(no, user_id="guest"), own_users=OWN)
    assert not may_refuse(pending, replace(no, user_id=None), own_users=OWN)
    assert may_refuse(
        pending, replace(no, user_id="admin", is_admin=True), own_users=OWN
    )
    assert may_refuse(question(entry=True), YES, own_users=OWN)


@pytest.mark.parametrize(
    ("changes", "may"),
    [
        ({}, True),
        ({"entry": True}, False),
        ({"impact": Impact.DESTRUCTIVE}, False),
        ({"impact": Impact.DESTRUCTIVE, "terms": ApprovalTerms(pin="front")}, True),
        ({"terms": ApprovalTerms(approvers=("adult",))}, False),
        ({"caller": CHILD}, False),
        ({"caller": replace(CHILD, is_admin=True)}, True),
        ({"caller": CHILD, "terms": ApprovalTerms(approvers=("child",))}, True),
        (
            {
                "caller": replace(CHILD, is_admin=True),
                "terms": ApprovalTerms(approvers=("adult",)),
            },
            False,
        ),
        ({"caller": replace(CHILD, user_id="caesar-voice", is_admin=True)}, False),
        ({"caller": replace(CHILD, user_id=None, is_admin=True)}, False),
        ({"caller": replace(SATELLITE, user_id="child")}, False),
        ({"caller": replace(SATELLITE, origin=Origin.AUTOMATION)}, False),
        ({"caller": replace(SATELLITE, origin=Origin.AI_TASK)}, False),
        *(
            ({"caller": replace(CHILD, origin=origin, is_admin=True)}, False)
            for origin in (Origin.AUTOMATION, Origin.AI_TASK, Origin.AGENT)
        ),
    ],
)
def test_who_asks_may_answer(changes: dict[str, Any], may: bool) -> None:
    """Then the question is the turn's last word; else somebody else is asked."""
    assert asker_may_answer(question(**changes), own_users=OWN) is may


@pytest.mark.parametrize(
    ("service", "entity_id", "entry"),
    [
        ("light.turn_on", "light.hall", False),
        ("cover.open_cover", "cover.blind", False),
        ("cover.open_cover", "cover.garage", True),
        ("homeassistant.turn_on", "cover.gate", True),
        ("homeassistant.turn_on", "lock.shed", True),
        ("homeassistant.turn_on", "alarm_control_panel.house", True),
        ("light.turn_on", "light.unheard_of", True),
        ("lock.unlock", "light.hall", True),
        ("alarm_control_panel.alarm_disarm", "light.hall", True),
    ],
)
def test_what_opens_the_house(service: str, entity_id: str, entry: bool) -> None:
    """Locks, alarms, doors, gates and garages, and whatever isn't known."""
    domain, _, name = service.partition(".")
    call = service_call(domain, name, {"entity_id": entity_id}, None)
    home = _home()
    for field in ("pinned", "touched", "named_in_data"):
        decision = _decision(**{field: (entity_id,)})
        assert is_entry(call, decision, home) is entry


def test_what_reaches_nothing_opens_nothing_unless_it_has_a_target() -> None:
    """A target whose meaning is not known is taken for the worst."""
    home, nothing = _home(), _decision()
    assert not is_entry(GenericToolCall(tool="web_search"), nothing, home)
    assert not is_entry(service_call("notify", "all", None, None), nothing, home)
    area = service_call("light", "turn_on", {"area_id": "hall"}, None)
    assert is_entry(area, nothing, home)


@pytest.mark.parametrize("name", ["lock", "valve", "alarm_control_panel"])
def test_a_tool_that_calls_itself_a_lock_is_taken_at_its_word(name: str) -> None:
    """Nobody knows what it opens."""
    assert is_entry(GenericToolCall(tool=name), _decision(), _home())
    assert not is_entry(GenericToolCall(tool=f"{name}_prices"), _decision(), _home())


@pytest.mark.parametrize(
    ("caller", "asker"),
    [
        (CHILD, "user|child"),
        (replace(CHILD, agent_id="agent-2", conversation_id="c"), "user|child"),
        (replace(CHILD, user_id="guest"), "user|guest"),
        (replace(SATELLITE, user_id="child"), "user|child"),
        (SATELLITE, "satellite|assist_satellite.kitchen"),
        (
            replace(SATELLITE, agent_id="agent-2", conversation_id="c"),
            "satellite|assist_satellite.kitchen",
        ),
        (replace(SATELLITE, origin=Origin.AUTOMATION), "automation|agent-1"),
        (replace(CHILD, user_id=None, origin=Origin.AGENT), "agent|agent-1"),
    ],
)
def test_whose_limits_count(caller: Caller, asker: str) -> None:
    """A person's, wherever they speak; a satellite's; else an agent's of that origin."""
    assert asker_of(caller) == asker


def _home() -> StaticHome:
    home = small_home()
    for entity_id, device_class in (
        ("cover.blind", "blind"),
        ("cover.garage", "garage"),
        ("cover.gate", "gate"),
        ("alarm_control_panel.house", None),
    ):
        home.facts[entity_id] = facts(entity_id, device_class=device_class)
    return home


def _decision(**changes: Any) -> PolicyDecision:
    return PolicyDecision(
        verdict=Verdict.ASK,
        reason=Reason(code=Code.APPROVAL_NEEDED),
        policy_rev="r",
        **changes,
    )
