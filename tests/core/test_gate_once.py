"""What an admin lets through once: that call of that asker, after every guard."""

import asyncio
from typing import Any

import pytest

from custom_components.caesar.policy.call import service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.allowances import (
    ALLOWANCE_S,
    MAX_ALLOWANCES,
    Allowances,
)
from tests.fakes.clock import FakeClock
from tests.fakes.parts import POLICY, GateUnderTest, facts

from .test_gate import FRONT_DOOR, KITCHEN
from .test_gate_admission import YES


def once(policy: str = POLICY) -> tuple[GateUnderTest, Allowances]:
    """Return a gate and what is allowed once in it."""
    clock = FakeClock()
    allowances = Allowances(clock)
    return GateUnderTest(policy, clock=clock, allowances=allowances), allowances


OFF = service_call("light", "turn_off", KITCHEN, None)


async def test_allowed_once_is_once() -> None:
    """The call that was refused passes, one time, and the trail says by what."""
    gate, allowances = once()
    caller = gate.turn().caller
    refused = await gate.service("light.turn_off", KITCHEN)
    assert allowances.add(OFF, caller)
    allowed = await gate.service("light.turn_off", KITCHEN)
    again = await gate.service("light.turn_off", KITCHEN)
    assert refused.error is not None
    assert allowed.error is None
    assert allowed.decision is not None
    assert allowed.decision.policy.rule is not None
    assert allowed.decision.policy.rule.name == "allowed once"
    assert again.error is not None
    assert again.error.code is Code.NOT_LISTED
    assert len(gate.executor.done) == 1


async def test_allowed_once_at_the_same_moment() -> None:
    """Two turns with the same call: one of them has it."""
    gate, allowances = once()
    allowances.add(OFF, gate.turn().caller)
    outcomes = await asyncio.gather(
        *(gate.service("light.turn_off", KITCHEN) for _ in range(3))
    )
    assert sum(outcome.error is None for outcome in outcomes) == 1
    assert len(gate.executor.done) == 1


async def test_allowed_once_for_five_minutes() -> None:
    """Then it is as if nobody had said so."""
    gate, allowances = once()
    allowances.add(OFF, gate.turn().caller)
    gate.clock.advance(ALLOWANCE_S)
    outcome = await gate.service("light.turn_off", KITCHEN)
    assert outcome.error is not None
    assert outcome.error.code is Code.NOT_LISTED
    assert not allowances.take(OFF, gate.turn().caller)


@pytest.mark.parametrize(
    ("target", "data", "user_id"),
    [
        ({"entity_id": "light.hall"}, None, "user-1"),
        (KITCHEN, {"transition": 1}, "user-1"),
        (KITCHEN, None, "user-2"),
    ],
    ids=["another light", "other data", "another user"],
)
async def test_allowed_once_is_for_this_call_of_this_user(
    target: dict[str, Any], data: dict[str, Any] | None, user_id: str
) -> None:
    """Nothing near it passes."""
    gate, allowances = once()
    allowances.add(OFF, gate.turn().caller)
    turn = gate.turn(user_id=user_id)
    outcome = await gate.service("light.turn_off", target, data, turn=turn)
    assert outcome.error is not None
    assert gate.executor.done == []


async def test_allowed_once_still_passes_every_guard() -> None:
    """What isn't shared, or may not be controlled by this user, stays out of reach."""
    gate, allowances = once()
    attic = service_call("light", "turn_off", {"entity_id": "light.attic"}, None)
    caller = gate.turn().caller
    allowances.add(attic, caller)
    allowances.add(OFF, caller)
    gate.permissions.forbidden.add(("user-1", "light.kitchen"))
    for entity_id in ("light.attic", "light.kitchen"):
        outcome = await gate.service("light.turn_off", {"entity_id": entity_id})
        assert outcome.error is not None
        assert outcome.error.code is Code.CAPABILITY_DENIED
    assert gate.executor.done == []


async def test_allowed_once_automations_stay_with_reads() -> None:
    """An automation that may only read gains nothing by it."""
    gate, allowances = once()
    turn = gate.turn(user_id=None, origin=Origin.AUTOMATION)
    allowances.add(OFF, turn.caller)
    outcome = await gate.service("light.turn_off", KITCHEN, turn=turn)
    assert outcome.error is not None
    assert gate.executor.done == []


async def test_allowed_once_a_lock_still_asks() -> None:
    """The admin lets it be asked; somebody must say yes to it all the same."""
    gate, allowances = once("version: 1\nallowed_services: []\n")
    unlock = service_call("lock", "unlock", FRONT_DOOR, None)
    allowances.add(unlock, gate.turn().caller)
    nobody = await gate.service("lock.unlock", FRONT_DOOR)
    assert nobody.error is not None
    assert nobody.error.code is Code.NO_APPROVER
    gate.approver.result = YES
    asked = await gate.service("lock.unlock", FRONT_DOOR)
    assert asked.error is None
    assert gate.approver.claimed == ["approval-1"]
    again = await gate.service("lock.unlock", FRONT_DOOR)
    assert again.error is not None
    assert again.error.code is Code.NOT_LISTED


@pytest.mark.parametrize(
    ("service", "target"),
    [
        ("notify.everybody", {}),
        ("cover.stop_cover", {"entity_id": "cover.garage"}),
    ],
    ids=["can't be taken back", "a garage, though harmless"],
)
async def test_allowed_once_asks_for_either_reason(
    service: str, target: dict[str, Any]
) -> None:
    """What can't be taken back asks, and whatever reaches a door does."""
    gate, allowances = once()
    gate.home.facts["cover.garage"] = facts("cover.garage", device_class="garage")
    domain, _, name = service.partition(".")
    call = service_call(domain, name, target or None, None)
    allowances.add(call, gate.turn().caller)
    outcome = await gate.service(service, target or None)
    assert outcome.error is not None
    assert outcome.error.code is Code.NO_APPROVER


@pytest.mark.parametrize(
    ("policy", "service", "target"),
    [
        (
            "version: 1\nallowed_services: []\n",
            "shell_command.reboot",
            {},
        ),
        ("version: 1\nallowed_services: []\n", "caesar.approve", {}),
        ("version: 1\nallowed_services: []\n", "homeassistant.restart", {}),
        (
            "version: 1\nallowed_services: [light.turn_on]\n"
            "bot: {tool_policy: {deny: [light__turn_off]}}\n",
            "light.turn_off",
            KITCHEN,
        ),
        (POLICY, "light.turn_off", {"entity_id": "light.gone"}),
        (POLICY, "light.turn_off", {"area_id": "nowhere"}),
    ],
    ids=["locked", "never", "never too", "deny", "missing", "nothing behind"],
)
async def test_allowed_once_never_lifts(
    policy: str, service: str, target: dict[str, Any]
) -> None:
    """Classes that no rule can grant, deny globs, and what is no call."""
    gate, allowances = once(policy)
    domain, _, name = service.partition(".")
    call = service_call(domain, name, target or None, None)
    allowances.add(call, gate.turn().caller)
    gate.approver.result = YES
    outcome = await gate.service(service, target or None)
    assert outcome.error is not None
    assert gate.executor.done == []
    assert gate.approver.asked == []
    assert allowances.take(call, gate.turn().caller)


def test_allowances_are_few() -> None:
    """Fifty open ones are enough; the same one twice is one, what is over is none."""
    clock = FakeClock()
    allowances = Allowances(clock)
    callers = [
        Caller(origin=Origin.CHAT, user_id=f"u{number}", agent_id="a", context_id="c")
        for number in range(MAX_ALLOWANCES + 1)
    ]
    for caller in callers[:-1]:
        assert allowances.add(OFF, caller)
    assert allowances.add(OFF, callers[0])
    assert not allowances.add(OFF, callers[-1])
    assert allowances.take(OFF, callers[0])
    assert not allowances.take(OFF, callers[0])
    clock.advance(ALLOWANCE_S)
    assert allowances.add(OFF, callers[-1])
