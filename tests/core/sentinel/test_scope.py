"""How far a turn's tools go: never further than the policy, the option and the call."""

import pytest

from custom_components.caesar.policy.call import service_call
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.sentinel.scope import ScopeGuard, narrowest
from custom_components.caesar.turn import ToolOutcome, ToolScope

from .test_capability import decision, turn

CALL = service_call("light", "turn_on", None, None)
WIDTH = {ToolScope.NONE: 0, ToolScope.READ: 1, ToolScope.POLICY: 2}


@pytest.mark.parametrize("origin", list(Origin))
@pytest.mark.parametrize("impact", list(Impact))
@pytest.mark.parametrize("asked", list(ToolScope))
@pytest.mark.parametrize("option", list(ToolScope))
def test_the_narrowest_holds(
    origin: Origin, impact: Impact, asked: ToolScope, option: ToolScope
) -> None:
    """The option is for callers without a person; who asks for less gets less."""
    own = turn(None, origin)
    own.tools = asked
    guard = ScopeGuard(lambda: option)
    width = WIDTH[asked]
    if origin in (Origin.AUTOMATION, Origin.AGENT, Origin.AI_TASK):
        width = min(width, WIDTH[option])
    passes = width == 2 or (width == 1 and impact is Impact.READ)
    for result in (
        guard.check(CALL, decision(impact=impact), own),
        guard.check(CALL, decision(impact=impact), own),
    ):
        assert (result == PASS) == passes
        if not passes:
            assert result.verdict is Verdict.DENY
            assert result.reason.code is Code.CALLER_NOT_COVERED
            assert result.reason.values == {
                "origin": origin.value,
                "scope": {0: "none", 1: "read"}[width],
            }


def test_the_option_of_the_moment_holds() -> None:
    """It is asked anew for every call."""
    chosen = [ToolScope.READ]
    guard = ScopeGuard(lambda: chosen[0])
    own = turn(None, Origin.AUTOMATION)
    change = decision(impact=Impact.REVERSIBLE)
    assert guard.check(CALL, change, own).verdict is Verdict.DENY
    chosen[0] = ToolScope.POLICY
    assert guard.check(CALL, change, own) == PASS


@pytest.mark.parametrize("origin", [Origin.AGENT, Origin.AI_TASK])
@pytest.mark.parametrize("user_id", [None, "user-1"])
def test_an_agent_is_held_unless_it_names_a_user(
    user_id: str | None, origin: Origin
) -> None:
    """Without one nobody is known to be there, as with an automation."""
    guard = ScopeGuard(lambda: ToolScope.READ)
    own = turn(user_id, origin)
    change = guard.check(CALL, decision(impact=Impact.REVERSIBLE), own)
    assert (change == PASS) == (user_id is not None)
    assert guard.check(CALL, decision(impact=Impact.READ), own) == PASS


def test_it_counts_and_learns_nothing() -> None:
    """What came of a call does not change who asks."""
    guard = ScopeGuard(lambda: ToolScope.READ)
    own = turn(None, Origin.AUTOMATION)
    assert guard.admit(CALL, decision(impact=Impact.REVERSIBLE), own) == PASS
    guard.report(ToolOutcome(request_id="r", tool="light.turn_on"))
    assert guard.check(CALL, decision(impact=Impact.READ), own) == PASS


def test_narrowest() -> None:
    """None is narrower than read, read than policy."""
    assert narrowest(*ToolScope) is ToolScope.NONE
    assert narrowest(ToolScope.POLICY, ToolScope.READ) is ToolScope.READ
    assert narrowest(ToolScope.POLICY) is ToolScope.POLICY
