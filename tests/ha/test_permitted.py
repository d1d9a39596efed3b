"""What may I do here: what the gate would say, without keeping the loop."""

import asyncio
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import Context, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters.permitted import MAX_JUDGED
from house.in_hass import async_build_house
from tests.ha.approvals import listen_with_caesar, say, speech, tell_satellite
from tests.ha.house import CaesarHouse, async_move_in

POLICY: Final = """
version: 1
allowed_services:
  - light.turn_on
  - service: cover.open_cover
    for: {admin: true}
  - service: climate.set_temperature
    data:
      temperature: {min: 16, max: 24}
  - service: lock.unlock
    approval: always
"""


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    hass.loop.set_debug(False)
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, POLICY)


async def may(
    house: CaesarHouse, context: Context | None = None, **given: Any
) -> dict[str, Any]:
    """Return what a model is told."""
    report = await house.obey("what_may_i", given, context)
    data = report.outcomes[0].data
    assert isinstance(data, dict), report.outcomes[0].error
    return dict(data)


async def test_a_room(house: CaesarHouse) -> None:
    """By its id or its name: what is allowed, what asks, what is not."""
    kitchen = await may(house, area_id="kitchen")
    assert kitchen["say"] == (
        "For Kitchen: Allowed: turn on Kitchen light and Counter light. "
        "Not allowed: turn on Coffee machine and Kettle."
    )
    assert await may(house, area_id="Kitchen") == kitchen
    spoken = speech(await say(house, "what may I do in the kitchen?"))
    assert spoken.startswith(kitchen["say"])
    nowhere = await may(house, area_id="cellar of my neighbour")
    assert nowhere == {"say": "I don't know anything of that name that you may see."}


async def test_the_whole_house(house: CaesarHouse) -> None:
    """Short enough to be spoken; names stand in the lines."""
    said = await may(house)
    assert said["say"].startswith("For the whole house: Allowed: turn on 12 lights; ")
    asks = "I ask first: open Evening covers; open Garage door; unlock 3 locks. "
    assert asks in said["say"]
    assert len(said["say"]) < 600
    assert "I ask first: unlock Front door, Shed and Outside locks." in said["lines"]
    # Of a thermostat a value is judged that it could really be set to.
    allowed = [each for each in said["lines"] if each.startswith("Allowed")]
    assert any("set the temperature of" in each for each in allowed)
    # Nothing of it is done, and no question is put to anybody.
    assert not house.entry.runtime_data.approvals.desk.pending()


async def test_somebody_else(house: CaesarHouse, hass: HomeAssistant) -> None:
    """The policy's `for` and Home Assistant's permissions both count."""
    kid = MockUser(name="Kid").add_to_hass(hass)
    kid.mock_policy(
        {
            "entities": {
                "entity_ids": {
                    "light.bedroom_lamp": {"read": True},
                    "light.reading_light": True,
                    "cover.bedroom_blind": True,
                }
            }
        }
    )
    said = await may(house, Context(user_id=kid.id))
    assert said["say"] == (
        "For the whole house: Allowed: turn on Reading light. "
        "Not allowed: turn on Bedroom lamp; open Bedroom blind."
    )
    adult = await may(house)
    assert any("open" in each for each in adult["lines"] if each.startswith("Allowed"))


async def test_here_is_where_the_satellite_is(house: CaesarHouse) -> None:
    """And what it hears fits into a breath: no lists."""
    await listen_with_caesar(house)
    said = await tell_satellite(house, "what may I do here?")
    assert said == (
        "For Children's room: Allowed: turn on Children's room light and Night light. "
        "Not allowed: open Children's room blind; play something on Music box."
    )


async def test_what_is_not_shared_is_not_there(
    house: CaesarHouse, hass: HomeAssistant
) -> None:
    """Not even as something that is not allowed."""
    async_expose_entity(hass, "conversation", "light.counter_light", False)
    said = await may(house, area_id="kitchen")
    assert "Counter" not in str(said)


async def test_a_thousand_entities(house: CaesarHouse, hass: HomeAssistant) -> None:
    """The loop goes on meanwhile, and what is too much is said to be so."""
    for number in range(MAX_JUDGED + 100):
        entity_id = f"light.l{number}"
        async_expose_entity(hass, "conversation", entity_id, True)
        hass.states.async_set(entity_id, "off")
    await hass.async_block_till_done()
    turns = 0

    async def watch() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    watcher = hass.async_create_background_task(watch(), "watch the loop")
    said = await may(house)
    watcher.cancel()
    assert "I looked at the first 1000 things only" in said["say"]
    assert "more." in said["lines"][0]
    # Never more than five judged at a time.
    assert turns >= MAX_JUDGED // 5
