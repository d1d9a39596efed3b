"""The demo house inside Home Assistant: it reacts, and is furnished as planned."""

from collections.abc import Mapping
from typing import Any

from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
)
import pytest

from custom_components.demo_house.model import Group, Thing
from custom_components.demo_house.plans import demo_plan

pytestmark = pytest.mark.usefixtures("house")

# In this order: an action, what it is given, what then is.
REACTIONS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    (
        "light.turn_on",
        {"entity_id": "light.bedroom_lamp", "brightness_pct": 30},
        {"state": "on", "brightness": 76},
    ),
    (
        "light.turn_on",
        {"entity_id": "light.kitchen_light", "hs_color": [240, 100]},
        {"state": "on", "color_mode": "hs", "hs_color": (240, 100)},
    ),
    (
        "light.turn_on",
        {"entity_id": "light.kitchen_light", "color_temp_kelvin": 4000},
        {"color_mode": "color_temp", "color_temp_kelvin": 4000},
    ),
    ("light.turn_off", {"entity_id": "light.hall_light"}, {"state": "off"}),
    ("switch.turn_on", {"entity_id": "switch.kettle"}, {"state": "on"}),
    ("switch.turn_off", {"entity_id": "switch.kettle"}, {"state": "off"}),
    ("cover.open_cover", {"entity_id": "cover.garage_door"}, {"state": "open"}),
    ("cover.close_cover", {"entity_id": "cover.bedroom_blind"}, {"state": "closed"}),
    (
        "cover.set_cover_position",
        {"entity_id": "cover.bedroom_blind", "position": 40},
        {"state": "open", "current_position": 40},
    ),
    ("cover.stop_cover", {"entity_id": "cover.bedroom_blind"}, {"state": "open"}),
    ("lock.unlock", {"entity_id": "lock.front_door"}, {"state": "unlocked"}),
    ("lock.open", {"entity_id": "lock.shed"}, {"state": "open"}),
    ("lock.lock", {"entity_id": "lock.cellar_door"}, {"state": "locked"}),
    (
        "alarm_control_panel.alarm_arm_away",
        {"entity_id": "alarm_control_panel.home_alarm"},
        {"state": "armed_away"},
    ),
    (
        "alarm_control_panel.alarm_arm_home",
        {"entity_id": "alarm_control_panel.home_alarm"},
        {"state": "armed_home"},
    ),
    (
        "alarm_control_panel.alarm_arm_night",
        {"entity_id": "alarm_control_panel.home_alarm"},
        {"state": "armed_night"},
    ),
    (
        "alarm_control_panel.alarm_disarm",
        {"entity_id": "alarm_control_panel.home_alarm"},
        {"state": "disarmed"},
    ),
    (
        "climate.set_temperature",
        {"entity_id": "climate.bedroom_thermostat", "temperature": 17},
        {"state": "heat", "temperature": 17, "hvac_action": "idle"},
    ),
    (
        "climate.set_temperature",
        {
            "entity_id": "climate.bedroom_thermostat",
            "temperature": 22,
            "hvac_mode": "auto",
        },
        {"state": "auto", "temperature": 22, "hvac_action": "heating"},
    ),
    (
        "climate.turn_off",
        {"entity_id": "climate.bedroom_thermostat"},
        {"state": "off", "hvac_action": "off"},
    ),
    (
        "climate.turn_on",
        {"entity_id": "climate.bedroom_thermostat"},
        {"state": "heat"},
    ),
    (
        "media_player.turn_on",
        {"entity_id": "media_player.television"},
        {"state": "idle"},
    ),
    (
        "media_player.turn_off",
        {"entity_id": "media_player.music_box"},
        {"state": "off"},
    ),
    (
        "media_player.media_pause",
        {"entity_id": "media_player.living_room_speaker"},
        {"state": "paused"},
    ),
    (
        "media_player.media_stop",
        {"entity_id": "media_player.living_room_speaker"},
        {"state": "idle"},
    ),
    (
        "media_player.media_play",
        {"entity_id": "media_player.music_box"},
        {"state": "playing"},
    ),
    (
        "media_player.media_next_track",
        {"entity_id": "media_player.music_box"},
        {"state": "playing", "media_title": "Slow train"},
    ),
    (
        "media_player.media_previous_track",
        {"entity_id": "media_player.music_box"},
        {"state": "playing", "media_title": "Morning dew"},
    ),
    (
        "media_player.volume_set",
        {"entity_id": "media_player.music_box", "volume_level": 0.2},
        {"volume_level": 0.2},
    ),
    (
        "media_player.volume_mute",
        {"entity_id": "media_player.living_room_speaker", "is_volume_muted": True},
        {"is_volume_muted": True},
    ),
    (
        "media_player.play_media",
        {
            "entity_id": "media_player.music_box",
            "media_content_type": "music",
            "media_content_id": "A lullaby",
        },
        {"state": "playing", "media_title": "A lullaby"},
    ),
    ("fan.turn_on", {"entity_id": "fan.bedroom_fan"}, {"percentage": 50}),
    (
        "fan.set_percentage",
        {"entity_id": "fan.bedroom_fan", "percentage": 80},
        {"state": "on", "percentage": 80},
    ),
    ("fan.turn_off", {"entity_id": "fan.bedroom_fan"}, {"state": "off"}),
    ("vacuum.start", {"entity_id": "vacuum.robot_vacuum"}, {"state": "cleaning"}),
    ("vacuum.pause", {"entity_id": "vacuum.robot_vacuum"}, {"state": "paused"}),
    ("vacuum.stop", {"entity_id": "vacuum.robot_vacuum"}, {"state": "idle"}),
    (
        "vacuum.return_to_base",
        {"entity_id": "vacuum.robot_vacuum"},
        {"state": "docked"},
    ),
    ("vacuum.locate", {"entity_id": "vacuum.robot_vacuum"}, {"state": "docked"}),
    (
        "todo.add_item",
        {"entity_id": "todo.shopping_list", "item": "Bread"},
        {"state": "3"},
    ),
    (
        "todo.update_item",
        {"entity_id": "todo.shopping_list", "item": "Milk", "status": "completed"},
        {"state": "2"},
    ),
    (
        "todo.remove_item",
        {"entity_id": "todo.shopping_list", "item": "Apples"},
        {"state": "1"},
    ),
)


async def run(hass: HomeAssistant, action: str, data: Mapping[str, Any]) -> None:
    """Run an action to its end."""
    domain, _, service = action.partition(".")
    await hass.services.async_call(domain, service, dict(data), blocking=True)
    await hass.async_block_till_done()


def state_of(hass: HomeAssistant, entity_id: str) -> str:
    """Return the state of an entity that must be there."""
    state = hass.states.get(entity_id)
    assert state is not None, f"{entity_id} is missing"
    return state.state


async def test_it_is_a_house_of_the_size_that_was_promised(
    hass: HomeAssistant,
) -> None:
    """Two floors, six areas, at least 40 entities, and no area without one."""
    assert len(fr.async_get(hass).floors) == 2
    areas = ar.async_get(hass).areas
    assert len(areas) == 6
    assert len(hass.states.async_all()) >= 40
    devices = dr.async_get(hass).devices
    assert {device.area_id for device in devices if device.area_id} == set(areas)


async def test_everything_is_there_under_the_planned_id_and_name(
    hass: HomeAssistant,
) -> None:
    """Each thing and group has its fixed id, its plain name and its other names."""
    plan = demo_plan()
    registry = er.async_get(hass)
    planned: list[Thing | Group] = [*plan.things, *plan.groups]
    for thing in planned:
        state = hass.states.get(thing.entity_id)
        entry = registry.async_get(thing.entity_id)
        assert state is not None, thing.entity_id
        assert entry is not None
        assert state.name.casefold() == thing.name.casefold()
        assert er.async_get_entity_aliases(hass, entry) == [state.name, *thing.aliases]


async def test_sharing_is_decided_for_every_entity(hass: HomeAssistant) -> None:
    """The cellar's lock, hidden lights, the satellite, the automation: not shared."""
    registry = er.async_get(hass)
    assert all(
        "should_expose" in entry.options["conversation"]
        for entry in registry.entities.values()
    )
    kept = {
        entity_id
        for entity_id in registry.entities
        if not async_should_expose(hass, "conversation", entity_id)
    }
    assert kept == {
        "assist_satellite.childrens_room_satellite",
        "automation.ask_caesar",
        "light.path_light",
        "light.terrace_light",
        "lock.cellar_door",
    }


async def test_things_react(hass: HomeAssistant, subtests: pytest.Subtests) -> None:
    """An action changes the state at once."""
    for action, data, then in REACTIONS:
        with subtests.test(action=action, data=data):
            await run(hass, action, data)
            state = hass.states.get(data["entity_id"])
            assert state is not None
            now = {"state": state.state, **state.attributes}
            assert now | then == now


async def test_a_group_with_hidden_members_moves_them(hass: HomeAssistant) -> None:
    """The members are hidden by the group helper, and follow it."""
    members = ("light.path_light", "light.terrace_light")
    registry = er.async_get(hass)
    for member in members:
        entry = registry.async_get(member)
        assert entry is not None
        assert entry.hidden_by is er.RegistryEntryHider.INTEGRATION
    await run(hass, "light.turn_on", {"entity_id": "light.garden_lights"})
    assert [state_of(hass, member) for member in members] == ["on", "on"]


async def test_the_cover_group_holds_the_garage_door(hass: HomeAssistant) -> None:
    """The group says nothing of a garage, and yet opens one."""
    group = hass.states.get("cover.evening_covers")
    assert group is not None
    assert "device_class" not in group.attributes
    await run(hass, "cover.open_cover", {"entity_id": "cover.evening_covers"})
    assert state_of(hass, "cover.garage_door") == "open"


async def test_the_lock_group_holds_the_front_door(hass: HomeAssistant) -> None:
    """Unlocking the group unlocks the door and the shed, not the cellar."""
    await run(hass, "lock.unlock", {"entity_id": "lock.outside_locks"})
    assert state_of(hass, "lock.front_door") == "unlocked"
    assert state_of(hass, "lock.shed") == "unlocked"
    assert state_of(hass, "lock.cellar_door") == "locked"


async def test_what_scenes_and_scripts_do_to_the_front_door(
    hass: HomeAssistant, subtests: pytest.Subtests
) -> None:
    """One scene and one script are harmless; the others unlock it."""
    for action, data, door in (
        ("scene.turn_on", {"entity_id": "scene.movie_evening"}, "locked"),
        ("scene.turn_on", {"entity_id": "scene.welcome_home"}, "unlocked"),
        ("script.turn_on", {"entity_id": "script.bedtime"}, "locked"),
        ("script.turn_on", {"entity_id": "script.let_guests_in"}, "unlocked"),
        ("script.let_guests_in", {}, "unlocked"),
    ):
        with subtests.test(action=action, data=data):
            await run(hass, "lock.lock", {"entity_id": "lock.front_door"})
            await run(hass, action, data)
            assert state_of(hass, "lock.front_door") == door


async def test_the_harmless_scene_and_script_do_something(hass: HomeAssistant) -> None:
    """They dim lights."""
    await run(hass, "scene.turn_on", {"entity_id": "scene.movie_evening"})
    await run(hass, "script.bedtime", {})
    assert state_of(hass, "light.floor_lamp") == "on"
    assert state_of(hass, "cover.living_room_blind") == "closed"
    assert state_of(hass, "light.night_light") == "on"


async def test_the_calendar_knows_the_days_to_come(hass: HomeAssistant) -> None:
    """The dentist is tomorrow, whatever day it is."""
    response = await hass.services.async_call(
        "calendar",
        "get_events",
        {"entity_id": "calendar.family_calendar", "duration": {"days": 9}},
        blocking=True,
        return_response=True,
    )
    assert response is not None
    calendar: Any = response["calendar.family_calendar"]
    summaries = [event["summary"] for event in calendar["events"]]
    assert summaries[-3:] == [
        "Dentist",
        "Dinner with the neighbours",
        "Car to the garage",
    ]


async def test_what_a_person_changes_survives_a_restart(
    hass: HomeAssistant, house: ConfigEntry[Any]
) -> None:
    """The house is furnished once; reloading it changes no name and no group."""
    registry = er.async_get(hass)
    registry.async_update_entity("light.kitchen_light", aliases=["My lamp"])
    groups = len(hass.config_entries.async_entries("group"))
    assert await hass.config_entries.async_reload(house.entry_id)
    await hass.async_block_till_done()
    assert house.state is ConfigEntryState.LOADED
    entry = registry.async_get("light.kitchen_light")
    assert entry is not None
    assert entry.aliases == ["My lamp"]
    assert len(hass.config_entries.async_entries("group")) == groups
