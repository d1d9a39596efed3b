"""The values that go in and out of a policy, as the trail keeps them."""

import pytest

from custom_components.caesar.policy.call import (
    CallError,
    Target,
    args_hash,
    arguments,
    service_call,
)
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.deny_all import DenyAllPolicy
from custom_components.caesar.policy.engine import evaluate_bare
from custom_components.caesar.policy.home import NoConditions

from .house import decide, demo_house, service, tool


def test_one_call_has_one_hash_however_it_is_written() -> None:
    """Approvals and loop detection compare what Home Assistant would do."""
    plain = service("light.turn_on", "light.a", {"x": 1})
    assert args_hash(plain) == args_hash(
        service("LIGHT.turn_on", None, {"entity_id": [" Light.A "], "x": 1})
    )
    others = [
        service("light.turn_on", "light.a", {"x": 2}),
        service("light.turn_on", "light.b", {"x": 1}),
        service("light.turn_off", "light.a", {"x": 1}),
        tool("light", x=1),
    ]
    assert len({args_hash(call) for call in (plain, *others)}) == 5
    assert arguments(plain) == {"target": {"entity_id": ["light.a"]}, "data": {"x": 1}}


def test_comma_list_is_two_entities() -> None:
    """A text with a comma means what Home Assistant takes it for."""
    call = service_call("light", "turn_on", {"entity_id": "light.a, LIGHT.B ,none"}, {})
    assert call.target == Target(entity_id=("light.a", "light.b"))


@pytest.mark.parametrize("ids", ["", "light.a,,light.b", 5, None, {"a": 1}, [["x"]]])
def test_ids_that_are_none(ids: object) -> None:
    """What is no list of ids is no call."""
    with pytest.raises(CallError):
        service("light.turn_on", {"entity_id": ids})  # type: ignore[dict-item]  # what models send


def test_decision_as_the_trail_holds_it() -> None:
    """The trail keeps verdict, code, rule, line and impact."""
    policy = "allowed_services: [{service: lock.unlock, name: doors}]"
    decision = decide(policy, service("lock.unlock", "lock.shed"))
    kept = decision.as_json()
    assert kept == {
        "allowed": False,
        "verdict": "ask",
        "code": "approval_needed",
        "values": {"tool": "lock.unlock", "entities": "lock.shed"},
        "rule": "doors",
        "line": 2,
        "impact": "destructive",
        "policy_rev": decision.policy_rev,
    }


def test_caller_as_the_trail_holds_it() -> None:
    """The trail keeps the whole caller."""
    caller = Caller(origin=Origin.VOICE, agent_id="a", context_id="c", area_id="hall")
    assert caller.as_json()["area_id"] == "hall"
    assert caller.as_json()["origin"] == "voice"


def test_unreadable_policy_denies_reads_too() -> None:
    """With a bad file nothing is granted, and the reason says so."""
    policy = DenyAllPolicy(problem="line 3: no.")
    decision = evaluate_bare(policy, tool("get_state"), demo_house())
    assert decision.verdict is Verdict.DENY
    assert decision.reason.values["problem"] == "line 3: no."
    assert not policy.may_grant("get_state")


def test_no_conditions_are_ever_met() -> None:
    """A condition that was not compiled does not hold, and says why."""
    result = NoConditions().check("evening")
    assert not result.met
    assert result.problem == "unknown condition evening"
