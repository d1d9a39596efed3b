"""What the assistant and the user may reach at all."""

from typing import Any

import pytest

from custom_components.caesar.policy.call import GenericToolCall, ToolCall, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.home import StaticHome
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel.capability import PASS, CapabilityGuard
from custom_components.caesar.turn import ToolOutcome, Turn
from tests.fakes.parts import FakePermissions, facts

HOME = StaticHome(
    facts={
        entity.entity_id: entity
        for entity in (
            facts("light.kitchen"),
            facts("light.group", members=("light.hidden",)),
            facts("light.hidden", exposed=False),
            facts("script.bedtime", exposed=False),
            facts("script.shared"),
        )
    }
)


def turn(user_id: str | None = "user-1", origin: Origin = Origin.CHAT) -> Turn:
    """Return a turn of a user, or of nobody."""
    caller = Caller(
        origin=origin, user_id=user_id, agent_id="agent", context_id="context"
    )
    return Turn(decision_id="d", caller=caller, language="en", deadline=1)


def decision(**more: Any) -> PolicyDecision:
    """Return a decision that allows."""
    return PolicyDecision(
        verdict=Verdict.ALLOW, reason=Reason(code=Code.ALLOWED), policy_rev="r", **more
    )


def light(**more: Any) -> ToolCall:
    """Return a call of `light.turn_on`."""
    return service_call("light", "turn_on", None, more)


@pytest.fixture
def permissions() -> FakePermissions:
    """Return permissions that allow everything."""
    return FakePermissions()


@pytest.fixture
def guard(permissions: FakePermissions) -> CapabilityGuard:
    """Return the guard over the small house."""
    return CapabilityGuard(HOME, permissions)


def refusal(
    guard: CapabilityGuard, call: ToolCall, given: PolicyDecision, turn_: Turn
) -> tuple[str, str] | None:
    """Return why the guard refuses, and what; None if it lets the call pass."""
    result = guard.check(call, given, turn_)
    if result == PASS:
        return None
    assert result.verdict is Verdict.DENY
    assert result.reason.code is Code.CAPABILITY_DENIED
    return result.reason.values["why"], result.reason.values["entity"]


def test_a_service_must_exist(
    guard: CapabilityGuard, permissions: FakePermissions
) -> None:
    """What Home Assistant doesn't know can't be called."""
    permissions.missing.add("light.turn_on")
    assert refusal(guard, light(), decision(), turn()) == (
        "no_service",
        "light.turn_on",
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"pinned": ("light.kitchen",)}, None),
        ({"pinned": ("light.group",), "touched": ("light.hidden",)}, None),
        ({"pinned": ("light.hidden",)}, ("not_exposed", "light.hidden")),
        (
            {"pinned": ("light.kitchen", "light.gone")},
            ("not_exposed", "light.gone"),
        ),
        ({"named_in_data": ("light.kitchen",)}, None),
        (
            {"pinned": ("light.kitchen",), "named_in_data": ("light.hidden",)},
            ("not_exposed", "light.hidden"),
        ),
    ],
)
def test_sharing_is_asked_of_what_was_named(
    guard: CapabilityGuard, given: dict[str, Any], expected: tuple[str, str] | None
) -> None:
    """A group covers its members; ids in the data are named too."""
    assert refusal(guard, light(), decision(**given), turn()) == expected


def test_a_script_by_its_own_service_must_be_shared(guard: CapabilityGuard) -> None:
    """`script.bedtime` is the entity of that name."""
    hidden = service_call("script", "bedtime", None, None)
    shared = service_call("script", "shared", None, None)
    assert refusal(guard, hidden, decision(), turn()) == (
        "not_exposed",
        "script.bedtime",
    )
    assert refusal(guard, shared, decision(), turn()) is None


@pytest.mark.parametrize(
    ("given", "forbidden"),
    [
        ({"pinned": ("light.kitchen",)}, "light.kitchen"),
        (
            {"pinned": ("light.group",), "touched": ("light.group", "light.hidden")},
            "light.hidden",
        ),
        ({"named_in_data": ("light.kitchen",)}, "light.kitchen"),
    ],
)
def test_permission_is_asked_of_everything(
    guard: CapabilityGuard,
    permissions: FakePermissions,
    given: dict[str, Any],
    forbidden: str,
) -> None:
    """A user may do through CAESAR what Home Assistant lets that user do, no more."""
    permissions.forbidden.add(("user-1", forbidden))
    given_decision = decision(impact=Impact.REVERSIBLE, **given)
    assert refusal(guard, light(), given_decision, turn()) == (
        "no_permission",
        forbidden,
    )
    assert refusal(guard, light(), given_decision, turn("user-2")) is None
    nobody = turn(None, Origin.VOICE)
    assert refusal(guard, light(), given_decision, nobody) is None


class ReadOnly(FakePermissions):
    """A user who may read everything and control nothing."""

    def may_control(self, user_id: str, entity_id: str) -> bool:
        """Refuse."""
        return False


def test_a_read_asks_for_reading_only_of_what_it_tells() -> None:
    """`recorder.get_statistics` of a sensor is no control over it."""
    guard = CapabilityGuard(HOME, ReadOnly())
    named: dict[str, Any] = {"named_in_data": ("light.kitchen",)}
    reads = decision(impact=Impact.READ, **named)
    changes = decision(impact=Impact.REVERSIBLE, **named)
    assert refusal(guard, light(), reads, turn()) is None
    assert refusal(guard, light(), changes, turn()) == (
        "no_permission",
        "light.kitchen",
    )


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["light.kitchen"], None),
        ("light.kitchen", None),
        (["light.gone"], None),
        # Behind what nobody knows there may be what nobody may read.
        (["light.gone", "light.hidden"], ("not_exposed", "light.hidden")),
        (None, None),
        (7, None),
        (["light.kitchen", "light.hidden", 7], ("not_exposed", "light.hidden")),
    ],
)
def test_reads(
    guard: CapabilityGuard, ids: Any, expected: tuple[str, str] | None
) -> None:
    """A read of an unshared entity by its id is refused by name."""
    call = GenericToolCall(tool="get_state", input={"entity_id": ids} if ids else {})
    assert refusal(guard, call, decision(), turn()) == expected


def test_a_read_asks_the_users_permission(
    guard: CapabilityGuard, permissions: FakePermissions
) -> None:
    """What a user may not read is not read for them."""
    permissions.forbidden.add(("user-1", "light.kitchen"))
    call = GenericToolCall(tool="get_state", input={"entity_id": ["light.kitchen"]})
    assert refusal(guard, call, decision(), turn()) == (
        "no_permission",
        "light.kitchen",
    )
    assert refusal(guard, call, decision(), turn(None, Origin.VOICE)) is None


def test_reports_change_nothing(guard: CapabilityGuard) -> None:
    """A failure does not make the next call less capable."""
    given = decision(pinned=("light.kitchen",))
    guard.report(ToolOutcome(request_id="r", tool="light.turn_on"))
    assert refusal(guard, light(), given, turn()) is None
