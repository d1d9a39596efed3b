"""When a turn changed nothing though it tried, and when nobody may say so."""

from dataclasses import replace

import pytest

from custom_components.caesar.brain.expected import expected_states
from custom_components.caesar.brain.honesty import nothing_changed
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.turn import ToolDecision, ToolError, ToolOutcome


def outcome(
    tool: str = "light.turn_on",
    code: Code | None = Code.NOT_LISTED,
    *,
    executed: bool = False,
    impact: Impact = Impact.REVERSIBLE,
) -> ToolOutcome:
    """Return what came of a call."""
    reason = Reason(code=code or Code.ALLOWED)
    verdict = Verdict.DENY
    return ToolOutcome(
        request_id="r",
        tool=tool,
        error=ToolError(code=code, message="no") if code else None,
        executed=executed,
        decision=ToolDecision(
            policy=PolicyDecision(
                verdict=verdict, reason=reason, impact=impact, policy_rev="r"
            ),
            verdict=verdict,
        ),
    )


REFUSED = outcome()
DONE = outcome(code=None, executed=True)
READ = outcome("get_state", impact=Impact.READ)


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        ((), False),
        ((REFUSED,), True),
        ((REFUSED, READ), True),
        ((outcome("timer_start"), outcome("intent__Party")), True),
        ((outcome(code=Code.TOOL_ERROR),), True),
        ((REFUSED, DONE), False),
        ((DONE,), False),
        ((READ,), False),
        ((REFUSED, outcome(code=Code.TOOL_ERROR, executed=True)), False),
        ((outcome(code=Code.TIMEOUT),), False),
        ((outcome(code=Code.STILL_RUNNING),), False),
        ((replace(REFUSED, parked="approval"),), False),
        ((replace(REFUSED, decision=None),), False),
        ((outcome("bus_times", impact=Impact.DESTRUCTIVE),), False),
        ((REFUSED, outcome("bin_day", None, executed=True)), False),
    ],
)
def test_nothing_changed(outcomes: tuple[ToolOutcome, ...], told: bool) -> None:
    """Only if every change was refused or failed for certain, and one was tried."""
    assert nothing_changed(outcomes) is told


@pytest.mark.parametrize(
    ("service", "data", "states"),
    [
        ("light.turn_on", {}, ("on",)),
        ("light.turn_on", {"brightness_pct": 40}, ("on",)),
        ("light.turn_on", {"brightness_pct": 0}, ()),
        ("fan.turn_on", {"percentage": 0}, ()),
        ("light.turn_off", {"transition": 30}, ()),
        ("light.turn_on", {"brightness_step_pct": -20}, ()),
        ("cover.close_cover", {}, ("closed", "closing")),
        ("climate.turn_on", {}, ()),
        ("scene.turn_on", {}, ()),
    ],
)
def test_expected_states(
    service: str, data: dict[str, Json], states: tuple[str, ...]
) -> None:
    """Nothing is expected where a device that works could report something else."""
    domain, _, name = service.partition(".")
    assert expected_states(domain, name, data) == states
