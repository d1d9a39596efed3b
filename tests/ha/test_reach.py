"""What a call could reach in a roundabout way, tried in a real house."""

from dataclasses import dataclass, field
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import (
    Event,
    HomeAssistant,
    ServiceCall,
    SupportsResponse,
    callback,
)
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_hostile import Arguments, call

# As generous as an owner can be by mistake: no approval, no bounds.
GENEROUS: Final = """
version: 1
allowed_services:
  - {service: scene.apply, approval: never}
  - {service: scene.create, approval: never}
  - {service: group.set, approval: never}
  - {service: notify.phone, approval: never}
  - {service: media_player.join, approval: never}
  - {service: media_player.play_media, approval: never}
  - {service: homeassistant.turn_on, approval: never}
  - recorder.get_statistics
  - light.turn_on
  - switch.turn_on
"""
# Each target leaves out what the attack names.
NARROW: Final = """
version: 1
allowed_services:
  - service: lock.unlock
    target: {entity_id: [lock.shed]}
    approval: never
  - service: switch.turn_on
    target: {area_id: [kitchen]}
    approval: never
  - service: light.turn_on
    target: {label_id: [cosy]}
    approval: never
"""
# The admin who asks is asked back, and says nothing.
ASKED: Final = "approval_needed"
CELLAR: Final = "lock.cellar_door"


@dataclass(slots=True, kw_only=True)
class Attacked:
    """A house under attack, and every service call that was made in it."""

    house: CaesarHouse
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def hass(self) -> HomeAssistant:
        """Return Home Assistant."""
        return self.house.hass

    def listen(self) -> None:
        """Keep all service calls from now on."""

        @callback
        def keep(event: Event) -> None:
            data = event.data
            self.calls.append(
                (f"{data['domain']}.{data['service']}", data["service_data"])
            )

        self.hass.bus.async_listen("call_service", keep)

    async def code(self, name: str, arguments: Arguments) -> str:
        """Let the model make this call, and return the code of what came of it."""
        self.calls.clear()
        report = await self.house.obey(name, arguments)
        await self.hass.async_block_till_done()
        [made] = report.calls
        [row] = await self.house.trail(report.decision_id)
        assert row["verdict_reason"], (arguments, row)
        if made["verdict"] != "allow":
            assert made["outcome"] == "none", (arguments, made)
            assert self.calls == [], (arguments, made)
        return str(made["code"])

    async def shown_as(self, source: str, domain: str, name: str) -> str:
        """Show a switch as something else too, and share that with Assist."""
        entry = MockConfigEntry(
            domain="switch_as_x",
            title=name,
            options={ATTR_ENTITY_ID: source, "target_domain": domain, "invert": False},
            minor_version=3,
        )
        entry.add_to_hass(self.hass)
        assert await self.hass.config_entries.async_setup(entry.entry_id)
        await self.hass.async_block_till_done()
        [registered] = er.async_entries_for_config_entry(
            er.async_get(self.hass), entry.entry_id
        )
        shown = registered.entity_id
        assert shown.startswith(f"{domain}.")
        async_expose_entity(self.hass, "conversation", shown, True)
        async_expose_entity(self.hass, "conversation", source, True)
        return shown


@pytest.fixture
async def attacked(
    hass: HomeAssistant, hass_admin_user: User, request: pytest.FixtureRequest
) -> Attacked:
    """Return CAESAR in the demo house, asked by an admin."""
    return await _async_attack(hass, hass_admin_user, getattr(request, "param", None))


async def _async_attack(
    hass: HomeAssistant, user: User, policy: str | None = None
) -> Attacked:
    await async_build_house(hass)
    found = Attacked(house=await async_move_in(hass, user.id, policy))
    found.listen()
    return found


def _stub(hass: HomeAssistant, service: str) -> None:
    """Register a service that this test instance has no integration for."""

    async def answer(_: ServiceCall) -> dict[str, Any]:
        return {"answer": "something private"}

    domain, _, name = service.partition(".")
    hass.services.async_register(
        domain, name, answer, supports_response=SupportsResponse.OPTIONAL
    )


@pytest.mark.parametrize("attacked", [GENEROUS], ids=["generous"], indirect=True)
async def test_no_field_reaches_what_is_not_shared(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Sharing is asked of ids in any field, whatever the policy grants."""
    for service in ("recorder.get_statistics", "notify.phone", "group.set"):
        _stub(hass, service)
    speaker = {ATTR_ENTITY_ID: "media_player.television"}
    camera = "media-source://camera/lock.cellar%5Fdoor"
    tries = {
        "inline scene": call("scene.apply", None, entities={CELLAR: "unlocked"}),
        "upper case key": call(
            "scene.apply", None, entities={" LOCK.Cellar_Door ": {"state": "unlocked"}}
        ),
        "snapshot": call(
            "scene.create", None, scene_id="mine", snapshot_entities=[CELLAR]
        ),
        "new group": call(
            "group.set", None, object_id="x", entities=f"light.hall_light, {CELLAR}"
        ),
        "statistics": call(
            "recorder.get_statistics",
            None,
            statistic_ids=["sensor.outdoor_temperature", CELLAR],
        ),
        "nested": call(
            "notify.phone", None, message="hi", data={"push": [{"entity_id": CELLAR}]}
        ),
        "media source": call(
            "media_player.play_media",
            speaker,
            media_content_id=camera,
            media_content_type="video",
        ),
        "joined": call("media_player.join", speaker, group_members=[CELLAR]),
    }
    for name, attempt in tries.items():
        assert await attacked.code(*attempt) == "capability_denied", name
    bill = call("recorder.get_statistics", None, statistic_ids=["energy:bill"])
    assert await attacked.code(*bill) == "invalid_input"
    assert attacked.house.state(CELLAR) == "locked"
    shared = call("scene.apply", None, entities={"light.hall_light": "off"})
    assert await attacked.code(*shared) == "allowed"
    assert attacked.house.state("light.hall_light") == "off"


async def test_a_switch_that_is_also_a_lock(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Switching what is shown as a lock too is unlocking, in whatever disguise."""
    lock = await attacked.shown_as("switch.garden_pump", "lock", "Back door")
    hass.states.async_set("switch.unregistered", "on")
    await attacked.shown_as("switch.unregistered", "lock", "Side door")
    light = await attacked.shown_as("switch.garden_pump", "light", "Lamp of the door")
    for name, members in (
        ("inner", [light]),
        ("outer", ["group.inner", "group.outer"]),
    ):
        await hass.services.async_call(
            "group", "set", {"object_id": name, "entities": members}, blocking=True
        )
    for group in ("group.inner", "group.outer"):
        async_expose_entity(hass, "conversation", group, True)
    tries = {
        "the switch": call("switch.turn_off", {ATTR_ENTITY_ID: "switch.garden_pump"}),
        "toggled": call("switch.toggle", {ATTR_ENTITY_ID: "switch.garden_pump"}),
        "one outside the registry": call(
            "switch.turn_off", {ATTR_ENTITY_ID: "switch.unregistered"}
        ),
        "the lock": call("lock.unlock", {ATTR_ENTITY_ID: lock}),
        "as a light": call("light.turn_off", {ATTR_ENTITY_ID: light}),
        "in a group of groups": call("light.turn_off", {ATTR_ENTITY_ID: "group.outer"}),
        "by the generic service": call(
            "homeassistant.turn_off", {ATTR_ENTITY_ID: "group.outer"}
        ),
    }
    for name, attempt in tries.items():
        code = await attacked.code(*attempt)
        assert code in (ASKED, "target_not_covered"), (name, code)


@pytest.mark.parametrize("attacked", [NARROW], ids=["narrow"], indirect=True)
async def test_a_forwarder_is_not_covered_by_standing_for_itself(
    attacked: Attacked,
) -> None:
    """Two entities that stand for each other are no group that a rule covers."""
    lock = await attacked.shown_as("switch.garden_pump", "lock", "Back door")
    light = await attacked.shown_as("switch.fountain", "light", "Fountain lamp")
    mine = await attacked.shown_as("switch.kettle", "light", "Kettle lamp")
    tries = {
        "another lock": call("lock.unlock", {ATTR_ENTITY_ID: lock}),
        "its switch": call("switch.turn_on", {ATTR_ENTITY_ID: "switch.garden_pump"}),
        "a light without the label": call("light.turn_on", {ATTR_ENTITY_ID: light}),
        "a light of the kitchen's": call("light.turn_on", {ATTR_ENTITY_ID: mine}),
    }
    for name, attempt in tries.items():
        assert await attacked.code(*attempt) == "target_not_covered", name
    granted = call("switch.turn_on", {ATTR_ENTITY_ID: "switch.kettle"})
    assert await attacked.code(*granted) == "allowed"


async def test_what_is_made_of_scripts_needs_a_person(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """A template's action can be anything, so it counts as destructive."""
    action = [{"action": "lock.unlock", "target": {"entity_id": "lock.front_door"}}]
    player = {
        "platform": "universal",
        "name": "Opener",
        "commands": {"turn_on": action[0]},
    }
    assert await async_setup_component(hass, "media_player", {"media_player": [player]})
    attacked = await _async_attack(hass, hass_admin_user)
    assert await async_setup_component(
        hass,
        "template",
        {
            "template": [
                {
                    "switch": [
                        {
                            "name": "Opener",
                            "state": "{{ false }}",
                            "turn_on": action,
                            "turn_off": action,
                        }
                    ]
                }
            ]
        },
    )
    await hass.async_block_till_done()
    for entity_id in ("switch.opener", "media_player.opener"):
        async_expose_entity(hass, "conversation", entity_id, True)
        for service in (f"{entity_id.partition('.')[0]}.turn_on", "switch.turn_on"):
            attempt = call(service, {ATTR_ENTITY_ID: entity_id})
            code = await attacked.code(*attempt)
            assert code in (ASKED, "target_not_covered"), (entity_id, code)
    assert attacked.house.state("lock.front_door") == "locked"
