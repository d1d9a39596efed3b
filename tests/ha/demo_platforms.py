"""A house of Home Assistant's own demo devices, for the list of hostile inputs.

The devices are those of its integrations `demo` and `kitchen_sink`, all of their
platforms; around them stands what an owner adds: areas, groups, helpers, scenes,
scripts and automations. Everything is shared with Assist.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from unittest.mock import patch

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_fire_time_changed,
)

from custom_components.caesar.const import DOMAIN

FRONT: Final = "lock.front_door"
"""A lock outside the registry, as `demo` makes them."""
SAFE: Final = "lock.basic_lock"
"""A lock in the registry, with area, label and device."""
GARAGE: Final = "cover.garage_door"
ROOF: Final = "cover.pergola_roof"
"""A cover that can only be tilted, and that its owner calls a gate."""
VALVE: Final = "valve.orchard"
ALARM: Final = "alarm_control_panel.security"
LIGHT: Final = "light.bed_light"
OPENER: Final = "button.door_opener"
EVENT: Final = "open_sesame"
CODE: Final = "1234"
UNSHOWN: Final = "switch.power_strip_with_2_sockets_outlet_1"
"""A switch of `kitchen_sink` that is shown as a lock too."""

_OWN_EVENTS: Final = (EVENT, "demo_button_pressed", "automation_triggered")
_MANUAL: Final = "homeassistant.components.manual.alarm_control_panel"


def step(action: str, entity_id: str | list[str], **data: Any) -> dict[str, Any]:
    """Return a step of a script."""
    return {"action": action, "target": {ATTR_ENTITY_ID: entity_id}, "data": data}


UNLOCK: Final = step("lock.unlock", FRONT)
LIT: Final = step("light.turn_on", LIGHT)
SCENES: Final[list[dict[str, Any]]] = [
    {"name": "Evening", "entities": {LIGHT: "on"}},
    {"name": "Welcome", "entities": {LIGHT: "on", FRONT: "unlocked"}},
    {"name": "Leaving by car", "entities": {GARAGE: "open"}},
    {"name": "Disarmed", "entities": {ALARM: "disarmed"}},
    {"name": "Watering", "entities": {VALVE: "open"}},
]
TEMPLATED: Final = {"action": "{{ 'lock' ~ '.unlock' }}", ATTR_ENTITY_ID: FRONT}
OTHER_SCRIPTS: Final[dict[str, list[dict[str, Any]]]] = {
    "evening": [LIT],
    "let_in": [LIT, UNLOCK],
    "nested": [{"action": "script.let_in"}],
    "by_generic": [step("homeassistant.toggle", [LIGHT, FRONT])],
    "by_scene": [{"scene": "scene.welcome"}],
    "by_event": [{"event": EVENT}],
    "by_automation": [step("automation.trigger", "automation.let_in")],
    "templated_service": [TEMPLATED],
    "templated_target": [step("lock.unlock", "{{ door }}")],
    "templated_light": [step("light.turn_on", "{{ door }}")],
    "by_words": [
        {"action": "conversation.process", "data": {"text": "unlock the front door"}}
    ],
    "by_asking": [{"action": "caesar.ask", "data": {"text": "unlock the front door"}}],
    "by_command": [{"action": "shell_command.touch"}],
    "one_of_two": [
        {
            "if": [{"condition": "state", ATTR_ENTITY_ID: LIGHT, "state": "off"}],
            "then": [UNLOCK],
            "else": [LIT],
        }
    ],
    "later": [{"delay": {"seconds": 0}}, {"parallel": [{"sequence": [UNLOCK]}]}],
}
HELPERS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "Door opener": ("button", {"press": [UNLOCK]}),
    "Plain switch": ("switch", {"turn_on": [LIT], "turn_off": [LIT]}),
    "Odd switch": ("switch", {"turn_on": [UNLOCK], "turn_off": [LIT]}),
    "Odd light": (
        "light",
        {"state": "{{ false }}", "turn_on": [UNLOCK], "turn_off": [UNLOCK]},
    ),
    "Odd fan": (
        "fan",
        {"state": "{{ false }}", "turn_on": [UNLOCK], "turn_off": [UNLOCK]},
    ),
    "Odd blind": ("cover", {"open_cover": [UNLOCK], "close_cover": [UNLOCK]}),
    "Odd vacuum": ("vacuum", {"state": "{{ 'docked' }}", "start": [UNLOCK]}),
    "Odd number": (
        "number",
        {
            "state": "{{ 1 }}",
            "min": 0,
            "max": 9,
            "step": 1,
            "set_value": [step("valve.open_valve", VALVE)],
        },
    ),
    "Odd choice": (
        "select",
        {
            "state": "{{ 'a' }}",
            "options": "{{ ['a', 'b'] }}",
            "select_option": [UNLOCK],
        },
    ),
    "Made lock": (
        "lock",
        {"state": "{{ 'locked' }}", "lock": [LIT], "unlock": [UNLOCK]},
    ),
}
GROUPS: Final[dict[str, tuple[str, list[str]]]] = {
    "Doors": ("lock", [FRONT, SAFE]),
    "All covers": ("cover", ["cover.kitchen_window", GARAGE]),
    "Covers of covers": ("cover", ["cover.all_covers"]),
    "Waters": ("valve", [VALVE, "valve.front_garden"]),
    "Buttons": ("button", ["button.push", OPENER]),
    "Lamps": ("light", [LIGHT, "light.odd_light"]),
    "Good lamps": ("light", [LIGHT, "light.kitchen_lights"]),
    "Plugs": ("switch", ["switch.ac", UNSHOWN]),
}
WRITTEN_SWITCH: Final = {
    "name": "Written switch",
    "turn_on": [UNLOCK],
    "turn_off": [UNLOCK],
    "state": "{{ false }}",
}
OLD_GROUPS: Final = {
    "mixed": {"entities": [LIGHT, FRONT, GARAGE]},
    "mixed_again": {"entities": ["group.mixed"]},
}


@dataclass(slots=True, kw_only=True)
class Demo:
    """The house: where its guarded things are, and all that has happened in it.

    `area`, `floor` and `label` hold the guarded lock and garage door beside a light.
    """

    hass: HomeAssistant
    area: str
    floor: str
    label: str
    devices: dict[str, str]
    calls: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    _stop: list[Callable[[], None]] = field(default_factory=list)

    def registry_id(self, entity_id: str) -> str:
        """Return the id of an entity in the registry."""
        entry = er.async_get(self.hass).async_get(entity_id)
        assert entry is not None
        return entry.id

    def listen(self) -> None:
        """Keep from now on all service calls, changed states and events of its own."""
        registry, bus = er.async_get(self.hass), self.hass.bus

        @callback
        def called(event: Event[Any]) -> None:
            self.calls.append(f"{event.data['domain']}.{event.data['service']}")

        @callback
        def changed(event: Event[Any]) -> None:
            entry = registry.async_get(event.data[ATTR_ENTITY_ID])
            if entry is None or entry.platform != DOMAIN:
                self.moved.append(event.data[ATTR_ENTITY_ID])

        @callback
        def fired(event: Event[Any]) -> None:
            self.events.append(str(event.event_type))

        self._stop = [
            bus.async_listen("call_service", called),
            bus.async_listen("state_changed", changed),
            *(bus.async_listen(name, fired) for name in _OWN_EVENTS),
        ]

    def stop(self) -> None:
        """Listen no longer, and forget what happened."""
        while self._stop:
            self._stop.pop()()
        self.forget()

    def assert_still(self, what: object) -> None:
        """Fail if anything was called, moved or fired since the last look."""
        assert (self.calls, self.moved, self.events) == ([], [], []), what

    def forget(self) -> None:
        """Forget what happened."""
        self.calls.clear()
        self.moved.clear()
        self.events.clear()

    def states(self) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """Return all states but those of CAESAR's own entities."""
        registry = er.async_get(self.hass)
        return {
            state.entity_id: (state.state, state.attributes)
            for state in self.hass.states.async_all()
            if not (entry := registry.async_get(state.entity_id))
            or entry.platform != DOMAIN
        }


async def async_build_demo(hass: HomeAssistant) -> Demo:
    """Set everything up, share all of it with Assist, and arm the alarm."""
    # Home Assistant's own set-up is not what is tested: this halves its time.
    hass.loop.set_debug(False)
    for component in ("homeassistant", "conversation", "assist_pipeline"):
        assert await async_setup_component(hass, component, {})
    # Read once only, and the helpers from the UI are next to have their integrations.
    assert await async_setup_component(hass, "group", {"group": OLD_GROUPS})
    written = {"template": [{"switch": [WRITTEN_SWITCH]}]}
    assert await async_setup_component(hass, "template", written)
    for component in ("demo", "kitchen_sink"):
        assert await async_setup_component(hass, component, {})
    await hass.async_block_till_done()
    demo = _place(hass)
    er.async_get(hass).async_update_entity(ROOF, device_class="gate")
    for title, (kind, options) in HELPERS.items():
        kept = {"name": title, "template_type": kind, **options}
        await _help(hass, "template", title, kept, 1)
    for title, (kind, entities) in GROUPS.items():
        kept = {"name": title, "group_type": kind, "entities": entities, "all": False}
        await _help(hass, "group", title, kept, 1)
    shown = {ATTR_ENTITY_ID: UNSHOWN, "target_domain": "lock", "invert": False}
    await _help(hass, "switch_as_x", "Side door", shown, 3)
    await _help(hass, "shopping_list", "Shopping", {}, 1)
    await _write(hass, demo)
    await hass.async_block_till_done()
    # None of their entities speaks.
    hass.states.async_set("tts.demo", "unknown")
    for state in hass.states.async_all():
        async_expose_entity(hass, "conversation", state.entity_id, True)
    await _arm(hass)
    hass.loop.set_debug(True)
    return demo


def _place(hass: HomeAssistant) -> Demo:
    """Put a lock, the garage door, a valve and a light into one room."""
    floor = fr.async_get(hass).async_create("Ground")
    area = ar.async_get(hass).async_create("Entrance", floor_id=floor.floor_id)
    label = lr.async_get(hass).async_create("Outside")
    registry, devices = er.async_get(hass), dr.async_get(hass)
    found: dict[str, er.RegistryEntry] = {}
    for entity_id in (SAFE, GARAGE, VALVE, ALARM, LIGHT, UNSHOWN):
        entry = registry.async_get(entity_id)
        assert entry is not None
        found[entity_id] = entry
        registry.async_update_entity(entity_id, labels={label.label_id})
        if entry.device_id is None:
            registry.async_update_entity(entity_id, area_id=area.id)
        else:
            device = devices.async_get(entry.device_id)
            # An outlet takes the room of its power strip.
            above = getattr(device, "parent_device_id", entry.device_id)
            devices.async_update_device(above, area_id=area.id)
    strip = found[UNSHOWN].device_id
    registry.async_update_entity(SAFE, device_id=strip)
    return Demo(
        hass=hass,
        area=area.id,
        floor=floor.floor_id,
        label=label.label_id,
        devices={
            SAFE: str(strip),
            GARAGE: str(found[GARAGE].device_id),
            VALVE: str(found[VALVE].device_id),
        },
    )


async def _help(
    hass: HomeAssistant,
    domain: str,
    title: str,
    options: dict[str, Any],
    minor: int,
) -> None:
    """Make a helper as the UI leaves it."""
    entry = MockConfigEntry(
        domain=domain, title=title, options=options, minor_version=minor
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id), title


async def _write(hass: HomeAssistant, demo: Demo) -> None:
    """Set up scenes, scripts, automations and helpers as YAML has them."""
    by_device = {
        "device_id": demo.devices[GARAGE],
        "domain": "cover",
        "type": "open",
        ATTR_ENTITY_ID: demo.registry_id(GARAGE),
    }
    scripts = {**OTHER_SCRIPTS, "by_device": [by_device]}
    automations = [
        {
            "alias": "Let in",
            "triggers": [{"trigger": "event", "event_type": EVENT}],
            "actions": [UNLOCK],
        },
        {
            "alias": "Car comes",
            "triggers": [{"trigger": "event", "event_type": "car"}],
            "actions": [by_device],
        },
    ]
    for component, configuration in (
        ("scene", [{"platform": "homeassistant", "states": [*SCENES]}]),
        ("script", {name: {"sequence": found} for name, found in scripts.items()}),
        ("automation", automations),
    ):
        made = {component: configuration}
        assert await async_setup_component(hass, component, made), component


async def _arm(hass: HomeAssistant) -> None:
    """Arm the alarm, so that there is something to disarm."""
    data = {ATTR_ENTITY_ID: ALARM, "code": CODE}
    now = dt_util.utcnow()
    long_ago = now - timedelta(minutes=1)
    # It takes five seconds; none of them shall run out in the middle of a test.
    with patch(f"{_MANUAL}.dt_util.utcnow", return_value=long_ago):
        await hass.services.async_call(
            "alarm_control_panel", "alarm_arm_home", data, blocking=True
        )
    async_fire_time_changed(hass, now)
    await hass.async_block_till_done()
    state = hass.states.get(ALARM)
    assert state is not None
    assert state.state == "armed_home"
