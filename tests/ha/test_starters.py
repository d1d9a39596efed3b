"""The starter policies in the demo house: what is done, asked about and refused."""

from pathlib import Path
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.config_entries import SOURCE_USER
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import area_registry as ar, issue_registry as ir
import pytest

from custom_components.caesar.const import DOMAIN, StarterPolicy
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import async_move_in
from tests.ha.test_hostile import call

STARTERS: Final = Path("custom_components/caesar/starters")


# The family's is filled in with the rooms of the house; see below.
@pytest.mark.parametrize("name", sorted(set(StarterPolicy) - {StarterPolicy.FAMILY}))
async def test_no_remarks(
    hass: HomeAssistant, hass_admin_user: User, name: StarterPolicy
) -> None:
    """Each loads, and no line of it says nothing or names what isn't there."""
    await async_build_house(hass)
    text = (STARTERS / f"{name}.yaml").read_text()
    house = await async_move_in(hass, hass_admin_user.id, text)
    assert house.entry.runtime_data.policy_file.loaded is not None
    issues = ir.async_get(hass).issues
    assert [key for key in issues if key[0] == DOMAIN] == []


@pytest.mark.parametrize(
    ("name", "service", "entity_id", "data", "code"),
    [
        ("everyday", "light.turn_on", "light.kitchen_light", {}, "done"),
        ("everyday", "scene.turn_on", "scene.movie_evening", {}, "done"),
        ("everyday", "scene.turn_on", "scene.welcome_home", {}, "approval_needed"),
        ("everyday", "script.turn_on", "script.bedtime", {}, "done"),
        ("everyday", "script.turn_on", "script.let_guests_in", {}, "approval_needed"),
        ("everyday", "lock.unlock", "lock.front_door", {}, "approval_needed"),
        ("everyday", "cover.open_cover", "cover.garage_door", {}, "approval_needed"),
        ("everyday", "cover.open_cover", "cover.living_room_blind", {}, "done"),
        (
            "everyday",
            "climate.set_temperature",
            "climate.living_room_thermostat",
            {"temperature": 30},
            "data_not_allowed",
        ),
        ("guest", "light.turn_on", "light.kitchen_light", {}, "done"),
        ("guest", "lock.unlock", "lock.front_door", {}, "not_listed"),
        ("guest", "switch.turn_on", "switch.kettle", {}, "not_listed"),
        ("guest", "cover.open_cover", "cover.garage_door", {}, "approval_needed"),
        ("read_only", "light.turn_on", "light.kitchen_light", {}, "not_listed"),
        ("empty", "light.turn_on", "light.kitchen_light", {}, "not_listed"),
        ("family", "lock.unlock", "lock.front_door", {}, "approval_needed"),
        ("family", "light.turn_on", "light.kitchen_light", {}, "done"),
        ("family", "homeassistant.turn_on", "light.kitchen_light", {}, "done"),
    ],
)
async def test_what_an_admin_may(
    hass: HomeAssistant,
    hass_admin_user: User,
    name: str,
    service: str,
    entity_id: str,
    data: dict[str, Any],
    code: str,
) -> None:
    """Asked by a model that wants it at once."""
    await async_build_house(hass)
    text = (STARTERS / f"{name}.yaml").read_text()
    house = await async_move_in(hass, hass_admin_user.id, text)
    tool, arguments = call(service, {"entity_id": entity_id}, **data)
    report = await house.obey(tool, arguments)
    error = report.outcomes[-1].error
    assert (error.code.value if error else "done") == code


@pytest.mark.parametrize("name", ["read_only", "empty", "guest"])
async def test_states_can_always_be_read(
    hass: HomeAssistant, hass_admin_user: User, name: str
) -> None:
    """By a sentence, as people ask."""
    await async_build_house(hass)
    text = (STARTERS / f"{name}.yaml").read_text()
    house = await async_move_in(hass, hass_admin_user.id, text)
    answer = await house.ask("is the kitchen light on?")
    assert answer["calls"][0]["outcome"] == "ok"


async def set_up(hass: HomeAssistant, policy: str, rooms: list[str] | None) -> str:
    """Go through the set-up; return the file that it made."""
    flow = hass.config_entries.flow
    shown = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    shown = await flow.async_configure(shown["flow_id"], {"provider": "builtin"})
    if policy in ("guest", "empty"):
        shown = await flow.async_configure(shown["flow_id"], {"policy": "more"})
        assert shown["step_id"] == "policy_more"
    shown = await flow.async_configure(shown["flow_id"], {"policy": policy})
    if rooms is not None:
        assert shown["step_id"] == "family"
        shown = await flow.async_configure(
            shown["flow_id"], {"childrens_rooms": rooms} if rooms else {}
        )
    assert shown["step_id"] == "assistants"
    shown = await flow.async_configure(shown["flow_id"], {})
    assert shown["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    entry = shown["result"]
    assert entry.data.get("childrens_rooms") == rooms
    assert entry.runtime_data.policy_file.loaded is not None
    assert [key for key in ir.async_get(hass).issues if key[0] == DOMAIN] == []
    path = Path(hass.config.path("caesar", "policy.yaml"))
    return await hass.async_add_executor_job(path.read_text)


async def test_family_with_rooms(hass: HomeAssistant) -> None:
    """The set-up asks which rooms are the children's, and fills them in."""
    await async_build_house(hass)
    areas = ar.async_get(hass)
    room = areas.async_create('Girl\'s room: "pink"').id
    text = await set_up(hass, "family", [room])
    assert f'target: {{area_id: ["{room}"]}}' in text
    others = sorted(area.id for area in areas.async_list_areas() if area.id != room)
    listed = ", ".join(f'"{each}"' for each in others)
    assert f"for: {{area: [{listed}]}}" in text
    assert "origin: [voice]" not in text


async def test_family_without_rooms(hass: HomeAssistant) -> None:
    """Nothing chosen: their rules wait as remarks."""
    await async_build_house(hass)
    text = await set_up(hass, "family", [])
    assert "  # - {service: light.turn_on, target: {area_id: [childrens_room]}}" in text
    assert "for: {origin: [voice]}" in text


@pytest.mark.parametrize("policy", ["guest", "empty"])
async def test_other_starters(hass: HomeAssistant, policy: str) -> None:
    """No further question; the file is the starter as it is."""
    await async_build_house(hass)
    text = await set_up(hass, policy, None)
    assert text == (STARTERS / f"{policy}.yaml").read_text()
