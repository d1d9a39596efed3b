"""Calls of the past, read back from what the trail holds and judged again."""

from typing import Any

import pytest

from custom_components.caesar.policy.call import (
    GenericToolCall,
    ServiceCall,
    Target,
    arguments,
    tool_id,
)
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision, RuleRef, Verdict
from custom_components.caesar.policy.home import ConditionChecker, HomeView, StaticHome
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.policy.replay import UNKNOWN, call_of, caller_of, judge

HOME = StaticHome(facts={})
CALLER = Caller(
    origin=Origin.CHAT,
    user_id="user-1",
    is_admin=True,
    agent_id="agent",
    conversation_id="talk",
    context_id="context",
)
LIGHT = ServiceCall(
    domain="light",
    service="turn_on",
    target=Target(entity_id=("light.kitchen",), area_id=("hall",)),
    data={"brightness_pct": 30},
)
READ = GenericToolCall(tool="get_state", input={"entity_id": ["light.kitchen"]})


@pytest.mark.parametrize("call", [LIGHT, READ])
def test_a_row_gives_the_call_back(call: ServiceCall | GenericToolCall) -> None:
    """What the trail holds of a call is the call."""
    assert call_of(tool_id(call), arguments(call)) == call


def test_a_row_gives_the_caller_back() -> None:
    """All of it, so that `for:` is judged as it was."""
    assert caller_of(CALLER.as_json()) == CALLER
    assert caller_of({**CALLER.as_json(), "later": 1}) == CALLER


@pytest.mark.parametrize(
    "said",
    [{}, {"origin": "pigeon"}, {"origin": "chat"}, {"origin": 3, "agent_id": "a"}],
)
def test_half_a_caller_is_none(said: dict[str, Any]) -> None:
    """Nobody is made up."""
    assert caller_of(said) is None


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("", {}),
        ("lock.unlock", {"target": {"entity_id": ["lock.a"]}, "data": {"code": "***"}}),
        ("lock.unlock", {"target": {}, "data": {"deep": [{"pin": "***"}]}}),
        ("get_state", {"token": "***"}),
        ("light.turn_on", {"target": "[cut]", "data": {}}),
        ("light.turn_on", {"target": {}}),
        ("light.turn_on", {"target": {"entity_id": 5}, "data": {}}),
    ],
)
def test_what_is_not_all_there_is_no_call(tool: str, given: dict[str, Any]) -> None:
    """Starred or cut, it can't be judged again."""
    assert call_of(tool, given) is None


class _OneRule:
    """A policy with one rule, which holds only while its condition does."""

    revision = "r"

    def __init__(self, condition: bool) -> None:
        self._condition = condition

    def evaluate(
        self,
        call: ServiceCall | GenericToolCall,
        caller: Caller,
        home: HomeView,
        conditions: ConditionChecker,
    ) -> PolicyDecision:
        """Allow if there is no condition, or if it is met."""
        met = not self._condition or conditions.check("when").met
        return PolicyDecision(
            verdict=Verdict.ALLOW if met else Verdict.DENY,
            reason=Reason(code=Code.ALLOWED if met else Code.CONDITION_NOT_MET),
            rule=RuleRef(name="rule", line=7),
            policy_rev="r",
        )

    def may_grant(self, tool: str) -> bool:
        """Return that it may."""
        return True

    def may_list(self, tool: str) -> bool:
        """Return that it may not."""
        return False


def test_a_condition_of_the_past_is_not_guessed() -> None:
    """Where `when` decides the answer is that it depends."""
    known = judge(_OneRule(condition=False), LIGHT, CALLER, HOME)
    assert (known.word, known.rule, known.line) == ("allow", "rule", 7)
    assert judge(_OneRule(condition=True), LIGHT, CALLER, HOME).word == UNKNOWN
