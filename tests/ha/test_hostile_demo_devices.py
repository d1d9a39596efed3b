"""Devices below other devices, which Home Assistant has since 2026.9.

An outlet of the power strip of `kitchen_sink` has the strip's room, and an action on
the strip, or on its label, reaches it.
"""

from typing import Final

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    label_registry as lr,
)
import pytest

from custom_components.caesar.adapters.callers import async_build_caller
from custom_components.caesar.policy.caller import Origin
from tests.ha.demo_platforms import Demo, async_build_demo
from tests.ha.house import async_move_in
from tests.ha.test_hostile import call
from tests.ha.test_hostile_demo import another_policy

OUTLET: Final = "switch.power_strip_with_2_sockets_outlet_2"
# Of many rules only those are asked that can concern an entity.
OTHERS: Final = "".join(
    f"  - {{service: switch.toggle, target: {{entity_id: [switch.none_{number}]}}}}\n"
    for number in range(12)
)
BY_AREA: Final = "{area_id: [entrance]}"
BY_FLOOR: Final = "{floor_id: [ground]}"
BY_LABEL: Final = "{label_id: [strips]}"
BY_DEVICE: Final = "{device_id: [STRIP]}"


@pytest.fixture
async def demo(hass: HomeAssistant) -> Demo:
    """Return the house, its power strip with a label."""
    demo = await async_build_demo(hass)
    label = lr.async_get(hass).async_create("Strips")
    devices = dr.async_get(hass)
    devices.async_update_device(strip(hass), labels={label.label_id})
    return demo


def outlet(hass: HomeAssistant) -> dr.ChildDeviceEntry:
    """Return the outlet's device."""
    entry = er.async_get(hass).async_get(OUTLET)
    assert entry is not None
    device = dr.async_get(hass).async_get(entry.device_id or "")
    assert isinstance(device, dr.ChildDeviceEntry)
    return device


def strip(hass: HomeAssistant) -> str:
    """Return the id of the power strip."""
    return outlet(hass).parent_device_id


async def test_a_rule_for_what_is_above(
    hass: HomeAssistant, demo: Demo, hass_admin_user: User
) -> None:
    """A rule covers what Home Assistant means by its target, however many there are."""
    house = await async_move_in(hass, hass_admin_user.id)
    for target in (BY_AREA, BY_FLOOR, BY_LABEL, BY_DEVICE):
        named = target.replace("STRIP", strip(hass))
        rule = f"  - {{service: switch.toggle, target: {named}}}\n"
        await another_policy(house, f"version: 1\nallowed_services:\n{OTHERS}{rule}")
        before = house.state(OUTLET)
        report = await house.obey(*call("switch.toggle", {"entity_id": OUTLET}))
        assert report.calls[0]["outcome"] == "ok", (target, report.calls)
        assert house.state(OUTLET) != before, target
        elsewhere = await house.obey(*call("switch.toggle", {"entity_id": "switch.ac"}))
        assert elsewhere.calls[0]["code"] == "target_not_covered", target


async def test_the_room_is_known(
    hass: HomeAssistant, demo: Demo, hass_admin_user: User
) -> None:
    """What is found in a room, and the room of a satellite that is part of a device."""
    house = await async_move_in(hass, hass_admin_user.id)
    home = house.entry.runtime_data.home
    facts = home.entity(OUTLET)
    assert facts is not None
    assert (facts.area_id, facts.floor_id) == (demo.area, demo.floor)
    satellite = er.async_get(hass).async_get_or_create(
        "assist_satellite", "kitchen_sink", "ear", device_id=outlet(hass).id
    )
    caller = await async_build_caller(
        hass,
        house.entry.runtime_data.users,
        Context(),
        agent_id="agent",
        conversation_id=None,
        satellite_id=satellite.entity_id,
    )
    assert caller.origin is Origin.VOICE
    assert (caller.area_id, caller.floor_id) == (demo.area, demo.floor)
