"""What a model is sent before the conversation: bounded, and the same to the byte."""

from typing import Any

from homeassistant.auth.models import User
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from benches.turn_parts.cache import before_the_conversation
from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.brain.lean import lean
from custom_components.caesar.brain.provider import (
    Completed,
    CompletionRequest,
    StopReason,
    TextDelta,
)
from custom_components.caesar.legion.tools.calculator.offer import SPEC as CALCULATOR
from custom_components.caesar.providers.anthropic_dialect import dialect_of
from custom_components.caesar.providers.anthropic_messages import build_request
from custom_components.caesar.providers.anthropic_tools import build_tools
from custom_components.caesar.providers.thinking import Think
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider, Step
from tests.ha.house import CaesarHouse, async_move_in

CEILING = "light.kitchen_ceiling"
STEPS: list[Step] = [
    [
        ToolRequest(
            id="a",
            name="call_service",
            arguments={
                "domain": "light",
                "service": "turn_on",
                "target": {ATTR_ENTITY_ID: [CEILING]},
            },
        ),
        Completed(stop=StopReason.TOOL_USE),
    ],
    [TextDelta(text="Done."), Completed(stop=StopReason.END)],
]
KINDS = (
    *("Ceiling", "Counter", "Reading Lamp", "Floor Lamp", "Spotlight"),
    *("Strip", "Window Lamp", "Shelf", "Nightlight", "Pendant"),
)
ROOMS = ("Kitchen", "Living Room", "Bedroom", "Bathroom", "Hallway")


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Move into a house of a hundred lights."""
    for component in ("homeassistant", "conversation", "light"):
        assert await async_setup_component(hass, component, {})
    furnish(hass, 0, 100)
    house = await async_move_in(hass, hass_admin_user.id)
    await hass.async_block_till_done()
    return house


def furnish(hass: HomeAssistant, first: int, count: int) -> None:
    """Add lights, ten to an area."""
    areas, entities = ar.async_get(hass), er.async_get(hass)
    for number in range(first, count):
        room, kind = divmod(number, len(KINDS))
        floor, room = divmod(room, len(ROOMS))
        area = areas.async_get_or_create(
            ROOMS[room] + (f" {floor + 1}" if floor else "")
        )
        name = f"{area.name} {KINDS[kind]}"
        entry = entities.async_get_or_create(
            "light",
            "test",
            f"lamp-{number}",
            suggested_object_id=name.lower().replace(" ", "_"),
            original_name=name,
        )
        entities.async_update_entity(entry.entity_id, area_id=area.id)
        hass.states.async_set(entry.entity_id, "off", {"friendly_name": name})


async def asked(
    house: CaesarHouse,
    text: str,
    user_id: str | None = None,
    device_id: str | None = None,
) -> list[CompletionRequest]:
    """Return the requests of a turn that acts once."""
    model = ScriptedProvider(STEPS)
    own = house.assistant
    await Assistant(own._house, own.settings, [model]).async_ask(
        text,
        Context(user_id=user_id or house.user_id),
        language="en",
        conversation_id="one",
        device_id=device_id,
    )
    return model.requests


def body(request: CompletionRequest) -> dict[str, Any]:
    """Return a request as it is sent, with the local worker's tool."""
    dialect = dialect_of("claude-sonnet-4-5", Think.OFF, "5m")
    tools = build_tools([*request.tools, lean(CALCULATOR)], dialect.cache)
    return dict(build_request(request, tools, dialect))


def prefix(request: CompletionRequest) -> tuple[object, ...]:
    """Return what a cache keeps between turns."""
    sent = body(request)
    stable = [block for block in request.system if block.stable]
    assert [block.stable for block in request.system[: len(stable)]] == [True] * len(
        stable
    )
    return (sent["tools"], sent["system"][: len(stable)])


async def test_a_thousand_entities_cost_hardly_more_than_a_hundred(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """At most 3,000 tokens, and 1.2 times those of a home with a hundred (DESIGN 10)."""
    text = "turn on the kitchen light"
    small = before_the_conversation(body((await asked(house, text))[0]))
    furnish(hass, 100, 1_000)
    await hass.async_block_till_done()
    first, second = await asked(house, text)
    large = before_the_conversation(body(first))
    assert large <= 3_000
    assert large <= 1.2 * small
    # What it takes to act at once is there all the same.
    assert CEILING in first.system[-1].text
    assert "; kitchen; " in first.system[-2].text

    # Between rounds all stays; between turns, whatever happens in the house, too.
    assert first.system == second.system
    assert first.tools == second.tools
    hass.states.async_set(CEILING, "on", {"friendly_name": "Kitchen Ceiling"})
    hass.states.async_set("sensor.not_shared", "5")
    await hass.async_block_till_done()
    hass.states.async_set("sensor.not_shared", "6")
    other, _ = await asked(house, "is the bedroom shelf on?")
    assert prefix(other) == prefix(first)
    assert other.system[-1] != first.system[-1]
    assert "light.bedroom_shelf" in other.system[-1].text
    # A room that somebody speaks in is told last.
    config = MockConfigEntry()
    config.add_to_hass(hass)
    devices, areas = dr.async_get(hass), ar.async_get(hass)
    speaker = devices.async_get_or_create(
        config_entry_id=config.entry_id, identifiers={("test", "speaker")}
    )
    bath = areas.async_get_area_by_name("Bathroom 3")
    assert bath is not None
    await hass.async_block_till_done()
    devices.async_update_device(speaker.id, area_id=bath.id)
    await hass.async_block_till_done()
    there, _ = await asked(house, "turn on the light", device_id=speaker.id)
    assert prefix(there) == prefix(first)
    assert there.system[-1].text.startswith("The person speaks in the area bathroom_3.")
    assert there.system[-1].text.count("light.bathroom_3_") >= 7
    # "It" is what the turn before was about.
    again, _ = await asked(house, "and now turn it off")
    assert "bathroom" not in again.system[-1].text
    assert CEILING in again.system[-1].text


async def test_people_share_what_they_can_and_see_no_more_than_they_may(
    hass: HomeAssistant, house: CaesarHouse, hass_read_only_user: User
) -> None:
    """Who may read all shares each byte; what is taken away is gone at once."""
    text = "turn on the kitchen ceiling"
    mine, _ = await asked(house, text)
    assert CEILING in mine.system[2].text
    reader, _ = await asked(house, text, hass_read_only_user.id)
    assert prefix(reader) == prefix(mine)
    hass_read_only_user.mock_policy({"entities": {"entity_ids": {CEILING: True}}})  # type: ignore[attr-defined]  # of the mocked user
    reader, _ = await asked(house, text, hass_read_only_user.id)
    assert body(reader)["tools"] == body(mine)["tools"]
    assert reader.system[:2] == mine.system[:2]
    assert reader.system[2].text.count("light.") == 1

    async_expose_entity(hass, "conversation", CEILING, False)
    for user_id in (house.user_id, hass_read_only_user.id):
        request, _ = await asked(house, text, user_id)
        assert CEILING not in "".join(block.text for block in request.system)
    assert (await asked(house, text))[0].system[2].text.count("light.") == 99


async def test_a_page_at_a_time(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Searching is by words of name, area, other names and kind, best first."""
    entities = er.async_get(hass)
    entities.async_update_entity("light.hallway_strip", aliases=["Runway"])
    await hass.async_block_till_done()

    async def found(**arguments: Any) -> dict[str, Any]:
        report = await house.obey("find_entities", arguments)
        data: Any = report.outcomes[0].data
        return dict(data)

    one = await found(name="ceiling kitchen")
    assert [each["entity_id"] for each in one["entities"]][0] == CEILING
    assert one["entities"][0] == {
        "entity_id": CEILING,
        "name": "Kitchen Ceiling",
        "state": "off",
        "area": "Kitchen",
    }
    [runway] = (await found(name="RUNWAY"))["entities"]
    assert runway["entity_id"] == "light.hallway_strip"
    page = await found(domain="light")
    assert (page["count"], len(page["entities"]), page["next_offset"]) == (100, 40, 40)
    last = await found(domain="light", offset=80)
    assert len(last["entities"]) == 20
    assert "next_offset" not in last
    assert (await found(name="!?"))["count"] == 0
    guessed = await house.obey("light__turn_on", {ATTR_ENTITY_ID: "light.kitchen_lamp"})
    error = guessed.outcomes[0].error
    assert error is not None
    assert "find_entities and list_areas tell ids" in error.message
    states = await house.obey("get_state", {"state": "off"})
    data: Any = states.outcomes[0].data
    assert data["next_offset"] == 40
