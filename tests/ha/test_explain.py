"""`caesar.explain`, `caesar.simulate` and `caesar.call_tool` in the demo house."""

import asyncio
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest

from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse, async_move_in

POLICY = """version: 1
allowed_services:
  - service: light.turn_on
    target: {area_id: [kitchen]}
  - service: light.turn_off
    for: {origin: [voice]}
  - service: lock.unlock
    target: {entity_id: [lock.front_door]}
"""
NARROWER = """version: 1
allowed_services:
  - service: light.turn_on
    target: {area_id: [kitchen]}
    approval: always
"""
KITCHEN = {"entity_id": "light.kitchen_light"}


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, POLICY)


async def call(
    house: CaesarHouse, action: str, context: Context | None = None, **data: Any
) -> Any:
    """Call one of CAESAR's actions."""
    with loop_guard():
        return await house.hass.services.async_call(
            DOMAIN,
            action,
            data,
            blocking=True,
            context=context or Context(user_id=house.user_id),
            return_response=True,
        )


async def test_explain_names_rule_line_and_entities(house: CaesarHouse) -> None:
    """The decision, why, and what would be touched; nothing happens."""
    before = house.state("light.kitchen_light")
    answer = await call(
        house, "explain", tool="light.turn_on", arguments={"area_id": "kitchen"}
    )
    assert answer["verdict"] == "allow"
    assert answer["line"] == 3
    assert answer["rule"] == "light.turn_on#1"
    assert "light.kitchen_light" in answer["entities"]
    assert house.state("light.kitchen_light") == before


async def test_explain_says_ask_and_deny(house: CaesarHouse) -> None:
    """A lock asks; what isn't listed is refused, with the sentence a person hears."""
    asks = await call(
        house, "explain", tool="lock.unlock", arguments={"entity_id": "lock.front_door"}
    )
    assert (asks["verdict"], asks["impact"]) == ("ask", "destructive")
    refused = await call(house, "explain", tool="switch.turn_on", arguments={})
    assert (refused["verdict"], refused["code"]) == ("deny", "not_listed")
    assert "policy" in refused["reason"]


async def test_explain_knows_the_guards(house: CaesarHouse) -> None:
    """What isn't shared with Assist is refused after the policy said yes."""
    answer = await call(
        house,
        "explain",
        tool="nonsense",
        arguments={"entity_id": "light.kitchen_light"},
    )
    assert answer["code"] == "unknown_tool"
    automation = await call(
        house, "explain", tool="light.turn_on", arguments=KITCHEN, automation=True
    )
    assert (automation["verdict"], automation["decided_by"]) == ("deny", "guard")


async def test_explain_for_somebody_else(house: CaesarHouse) -> None:
    """A satellite meets a rule for voices, the owner does not."""
    given: dict[str, Any] = {"tool": "light.turn_off", "arguments": KITCHEN}
    mine = await call(house, "explain", **given)
    assert (mine["verdict"], mine["code"]) == ("deny", "caller_not_covered")
    [satellite] = house.hass.states.async_entity_ids("assist_satellite")
    voice = await call(house, "explain", satellite=satellite, **given)
    assert voice["verdict"] == "allow"


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"user": "nobody at all"}, "unknown_user"),
        ({"satellite": "light.kitchen_light"}, "unknown_satellite"),
        ({"automation": True, "user": "x"}, "one_caller_only"),
        ({"agent": "conversation.nobody"}, "unknown_agent"),
    ],
)
async def test_explain_refuses_bad_input(
    house: CaesarHouse, data: dict[str, Any], key: str
) -> None:
    """A translated error names the field."""
    with pytest.raises(ServiceValidationError) as caught:
        await call(house, "explain", tool="light.turn_on", **data)
    assert caught.value.translation_key == key


async def test_only_admins_explain_and_simulate(
    house: CaesarHouse, hass_read_only_user: User
) -> None:
    """Neither a user, nor an automation, nor a script of an admin's."""
    contexts = [
        Context(user_id=hass_read_only_user.id),
        Context(),
        Context(user_id=house.user_id, parent_id="01"),
    ]
    for context in contexts:
        for action, data in (
            ("explain", {"tool": "light.turn_on"}),
            ("simulate", {"policy": POLICY}),
        ):
            with pytest.raises(ServiceValidationError) as caught:
                await call(house, action, context, **data)
            assert caught.value.translation_key == "admin_required"


async def test_simulate_tells_what_would_differ(house: CaesarHouse) -> None:
    """One call of three is decided differently by the draft."""
    await house.obey("light__turn_on", {"entity_id": "light.kitchen_light"})
    await house.obey("light__turn_on", {"entity_id": "light.bedroom_lamp"})
    await house.obey("get_state", {"entity_id": ["light.kitchen_light"]})
    same = await call(house, "simulate", policy=POLICY)
    assert (same["calls"], same["changed"], same["differs_from_record"]) == (3, [], 0)

    answer = await call(house, "simulate", policy=NARROWER, days=1)
    [change] = answer["changed"]
    assert change["tool"] == "light.turn_on"
    assert change["entities"] == ["light.kitchen_light"]
    assert (change["was"], change["before"], change["after"]) == (
        "allow",
        "allow",
        "ask",
    )
    assert change["line"] == 3


async def test_simulate_refuses_a_bad_draft(house: CaesarHouse) -> None:
    """The line is named; nothing of the draft is taken."""
    with pytest.raises(ServiceValidationError) as caught:
        await call(house, "simulate", policy="version: 1\nallowed_services: 5\n")
    placeholders = caught.value.translation_placeholders
    assert placeholders is not None
    assert placeholders["line"] == "2"


async def test_call_tool_takes_the_same_path(house: CaesarHouse) -> None:
    """Allowed: done and on record. Refused: an error, and on record."""
    done = await call(house, "call_tool", tool="light.turn_on", arguments=KITCHEN)
    assert done["ok"]
    assert done["call"]["verdict"] == "allow"
    [row] = await house.trail(done["decision_id"])
    assert (row["action"], row["result"]) == ("turn_on", "ok")
    assert house.state("light.kitchen_light") == "on"

    refused = await call(
        house,
        "call_tool",
        tool="light.turn_on",
        arguments={"entity_id": "light.hall_light"},
    )
    assert not refused["ok"]
    assert refused["error"]["code"] == "target_not_covered"
    [row] = await house.trail(refused["decision_id"])
    assert row["verdict"] == "deny"


async def test_call_tool_waits_for_a_person(house: CaesarHouse) -> None:
    """It is carried out when somebody says yes, once, and on the same record."""
    asked = await call(
        house,
        "call_tool",
        tool="lock.unlock",
        arguments={"entity_id": "lock.front_door"},
    )
    code = asked["error"]["code"]
    assert (asked["ok"], asked["parked"], code) == (False, True, "approval_needed")
    assert house.state("lock.front_door") == "locked"

    [pending] = (await call(house, "pending"))["approvals"]
    await house.hass.services.async_call(
        DOMAIN,
        "approve",
        {"approval_id": pending["approval_id"]},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    async with asyncio.timeout(10):
        while len(rows := await house.trail(asked["decision_id"])) < 2 or (
            rows[1]["result"] == "running"
        ):
            await asyncio.sleep(0.05)
    assert house.state("lock.front_door") == "unlocked"
    assert [row["result"] for row in rows] == ["none", "ok"]


async def test_call_tool_from_an_automation_only_reads(house: CaesarHouse) -> None:
    """As `caesar.ask` from there."""
    refused = await call(
        house, "call_tool", Context(), tool="light.turn_on", arguments=KITCHEN
    )
    assert refused["error"]["code"] == "caller_not_covered"
    read = await call(
        house,
        "call_tool",
        Context(),
        tool="get_state",
        arguments={"entity_id": ["light.kitchen_light"]},
    )
    assert read["ok"]
    assert read["data"]


async def test_call_tool_refuses_what_is_no_data(house: CaesarHouse) -> None:
    """An object of Python's, or a book, is not passed on."""
    with pytest.raises(ServiceValidationError) as caught:
        await call(house, "call_tool", tool="get_state", arguments={"x": object()})
    assert caught.value.translation_key == "arguments_not_json"
    with pytest.raises(ServiceValidationError) as caught:
        await call(house, "call_tool", tool="get_state", arguments={"x": "y" * 17_000})
    assert caught.value.translation_key == "arguments_too_long"
