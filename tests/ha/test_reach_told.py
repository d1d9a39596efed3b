"""What a model, a limited user and a browser get to know, and who counts as whom."""

from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.util.ulid import ulid_now
import orjson
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.adapters.callers import async_build_caller
from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider, Step
from tests.ha.house import CaesarHouse
from tests.ha.test_chat_log import CALLS, END, SATELLITE, converse, house
from tests.ha.test_hostile import call

__all__ = ["house"]

HALL: Final = "light.hall_light"
KITCHEN: Final = "light.kitchen_light"
HALF: Final = "\ud800"


@pytest.fixture
def guest(hass: HomeAssistant) -> MockUser:
    """Return a user who may see two lights and control one of them."""
    user = MockUser(id="guest", name="Guest").add_to_hass(hass)
    user.mock_policy(
        {
            "entities": {
                "entity_ids": {
                    HALL: {POLICY_READ: True, POLICY_CONTROL: True},
                    KITCHEN: {POLICY_READ: True},
                }
            }
        }
    )
    return user


async def test_reads_tell_of_shared_things_only(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Neither states nor names nor rooms of what isn't shared."""
    cellar = er.async_get(hass).async_get("lock.cellar_door")
    assert cellar is not None
    areas = ar.async_get(hass)
    vault = areas.async_create("Vault")
    assert cellar.device_id is not None
    dr.async_get(hass).async_update_device(cellar.device_id, area_id=vault.id)
    reads: list[tuple[str, dict[str, Any]]] = [
        ("get_state", {ATTR_ENTITY_ID: [cellar.id]}),
        ("get_state", {ATTR_ENTITY_ID: [HALL, " LOCK.cellar_door"]}),
        ("get_state", {"domain": "lock", "area_id": vault.id}),
        ("get_state", {"area_id": vault.id}),
        ("get_state", {"state": "locked"}),
        ("find_entities", {"name": "CELLAR"}),
        ("find_entities", {"name": "door", "domain": "lock"}),
        ("list_areas", {}),
    ]
    for name, arguments in reads:
        report = await house.obey(name, arguments)
        told = str(report.outcomes[0].data)
        assert "cellar" not in told.lower(), (name, arguments)
        assert "vault" not in told.lower(), (name, arguments)
    async_expose_entity(hass, "conversation", "lock.cellar_door", True)
    report = await house.obey("list_areas", {})
    assert "Vault" in str(report.outcomes[0].data)


async def test_a_limited_user_is_told_and_may_what_that_user_may(
    hass: HomeAssistant, house: CaesarHouse, guest: MockUser
) -> None:
    """Home Assistant's permissions hold for reads, calls, rooms and the prompt."""
    context = Context(user_id=guest.id)

    async def code(name: str, arguments: dict[str, Any]) -> str:
        report = await house.obey(name, arguments, context)
        return str(report.calls[0]["code"])

    assert await code(*call("light.turn_off", {ATTR_ENTITY_ID: HALL})) == "allowed"
    for target in (
        {ATTR_ENTITY_ID: KITCHEN},
        {ATTR_ENTITY_ID: [HALL, KITCHEN]},
        {"area_id": "kitchen"},
        {"area_id": "hall", "label_id": "cosy"},
        {ATTR_ENTITY_ID: "light.living_room_lights"},
    ):
        refused = await code(*call("light.turn_on", target))
        assert refused == "capability_denied", target
    joined = call("media_player.join", {ATTR_ENTITY_ID: HALL}, group_members=[KITCHEN])
    assert await code(*joined) != "allowed"
    assert house.state(KITCHEN) == "off"

    seen = await house.obey("find_entities", {}, context)
    entities: Any = seen.outcomes[0].data
    assert {each["entity_id"] for each in entities["entities"]} == {HALL, KITCHEN}
    rooms = await house.obey("list_areas", {}, context)
    areas: Any = rooms.outcomes[0].data
    assert {each["name"] for each in areas["areas"]} == {"Hall", "Kitchen"}

    model = ScriptedProvider([[TextDelta(text="Hi."), Completed(stop=StopReason.END)]])
    own = house.assistant
    for user_id, knows in ((guest.id, False), (house.user_id, True)):
        await Assistant(own._house, own.settings, [model]).async_ask(
            "hello",
            Context(user_id=user_id),
            language="en",
            conversation_id=ulid_now(),
        )
        prompt = "".join(block.text for block in model.requests[-1].system)
        assert HALL in prompt
        assert ("lock.front_door" in prompt) == knows


async def test_what_caesar_started_is_never_a_person(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A script may wait longer than CAESAR remembers; its user is no person then."""
    users = house.entry.runtime_data.users
    for origin in (Origin.VOICE, Origin.AUTOMATION):
        own = users.acting_id(origin, None)
        for satellite in (None, SATELLITE):
            caller = await async_build_caller(
                hass,
                users,
                Context(user_id=own),
                agent_id="a",
                conversation_id=None,
                satellite_id=satellite,
            )
            assert (caller.origin, caller.user_id) == (Origin.AUTOMATION, None)
            assert not caller.is_admin
        asked = await house.ask(
            "turn on the bedroom lamp", context=Context(user_id=own)
        )
        assert asked["calls"][0]["code"] == "caller_not_covered"
    assert house.state("light.bedroom_lamp") == "off"


async def test_a_removed_user_may_nothing(
    hass: HomeAssistant, house: CaesarHouse, hass_read_only_user: User
) -> None:
    """What was known of a user is forgotten with the user."""
    users = house.entry.runtime_data.users
    await users.async_learn(hass_read_only_user.id)
    assert users.may_read(hass_read_only_user.id, HALL)
    await hass.auth.async_remove_user(hass_read_only_user)
    assert await users.async_learn(hass_read_only_user.id) is None
    assert not users.may_read(hass_read_only_user.id, HALL)


async def test_broken_text_of_a_model_reaches_browsers_as_text(
    house: CaesarHouse,
) -> None:
    """Half a character in a name, in arguments or in an answer breaks no socket."""
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    requests = [
        ToolRequest(id="a", name=HALF, arguments={}),
        ToolRequest(id="a", name="get_state", arguments={HALF: [HALF]}),
        ToolRequest(id="", name="get_state", arguments={"name": float("nan")}),
        ToolRequest(id="b", name="get_state", arguments={"x": deep}),
        ToolRequest(id="c", name="get_state", arguments=None, raw=HALF),
    ]
    steps: list[Step] = [[*requests, CALLS], [TextDelta(text=f"Done {HALF}."), END]]
    for more in ({}, {"satellite_id": SATELLITE}):
        context = Context(user_id=None if more else house.user_id)
        result, added = await converse(house, steps, context, **more)
        assert result.response.speech["plain"]["speech"].startswith("Done")
        assert orjson.dumps(result.as_dict())
        for content in added:
            assert orjson.dumps(content, default=lambda value: value.tool_args)
        results = [each for each in added if each["role"] == "tool_result"]
        assert len(results) == len(requests)
