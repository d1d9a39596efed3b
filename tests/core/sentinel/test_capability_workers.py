"""The first guard, about tools of workers."""

import pytest

from custom_components.caesar.policy.call import GenericToolCall
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.home import StaticHome
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.policy.wording import model_text
from custom_components.caesar.sentinel.capability import CapabilityGuard, ToolStanding
from custom_components.caesar.turn import GuardResult, Turn
from tests.fakes.parts import FakePermissions


class _Workers:
    def __init__(self, tool: str, standing: ToolStanding) -> None:
        self._standing = {tool: standing}

    def standing(self, tool: str) -> ToolStanding:
        """Return what the test wants of its tool."""
        return self._standing.get(tool, ToolStanding.UNKNOWN)


def judged(
    standing: ToolStanding,
    verdict: Verdict = Verdict.ALLOW,
    tool: str = "bin_days",
) -> GuardResult:
    """Return the guard's answer about a call of a tool."""
    workers = _Workers(tool, standing)
    guard = CapabilityGuard(StaticHome(facts={}), FakePermissions(), workers)
    decision = PolicyDecision(
        verdict=verdict, reason=Reason(code=Code.ALLOWED), policy_rev="r"
    )
    caller = Caller(
        origin=Origin.CHAT, user_id="user-1", agent_id="agent", context_id="context"
    )
    turn = Turn(decision_id="d", caller=caller, language="en", deadline=1)
    return guard.check(GenericToolCall(tool=tool), decision, turn)


@pytest.mark.parametrize(
    ("standing", "why"),
    [
        (ToolStanding.CHANGED, "tool_changed"),
        (ToolStanding.REFUSED, "tool_refused"),
    ],
)
def test_what_no_worker_may_serve_is_refused(standing: ToolStanding, why: str) -> None:
    """With a reason that has a sentence of its own."""
    result = judged(standing)
    assert result.verdict is Verdict.DENY
    assert result.reason == Reason(
        code=Code.CAPABILITY_DENIED, values={"why": why, "entity": "bin_days"}
    )
    assert "bin_days" in model_text(result.reason)
    assert model_text(result.reason) != model_text(
        Reason(code=Code.CAPABILITY_DENIED, values={"entity": "bin_days"})
    )


@pytest.mark.parametrize("standing", [ToolStanding.SERVED, ToolStanding.UNKNOWN])
def test_what_is_served_or_no_workers_passes(standing: ToolStanding) -> None:
    """Whether there is such a tool at all is the toolbox's to say."""
    assert judged(standing, Verdict.ASK).verdict is Verdict.ALLOW


def test_one_that_is_away_may_be_tried_but_nobody_is_asked_about_it() -> None:
    """The circuit breaker hears of the try; a person would have said yes to nothing."""
    assert judged(ToolStanding.AWAY).verdict is Verdict.ALLOW
    asked = judged(ToolStanding.AWAY, Verdict.ASK)
    assert asked.verdict is Verdict.DENY
    assert asked.reason == Reason(code=Code.NO_WORKER, values={"tool": "bin_days"})


def test_reads_of_the_house_are_no_workers() -> None:
    """A worker can't take them, nor take them away."""
    assert judged(ToolStanding.REFUSED, tool="get_state").verdict is Verdict.ALLOW
