"""Any user may name a phone as they like; that must not change what a policy means."""

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.policy.engine import LoadedPolicy
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.approvals import SATELLITE
from tests.ha.house import async_move_in

POLICY = """
version: 1
allowed_services:
  - service: light.turn_on
    for: {device: ["NAME"]}
"""


async def test_a_phone_with_a_satellites_name(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """The file still loads after the next start, and means the satellite."""
    await async_build_house(hass)
    devices = dr.async_get(hass)
    satellite = er.async_get(hass).async_get(SATELLITE)
    assert satellite is not None
    assert satellite.device_id is not None
    device = devices.async_get(satellite.device_id)
    assert device is not None
    name = device.name_by_user or device.name
    assert name
    house = await async_move_in(hass, hass_admin_user.id, POLICY.replace("NAME", name))
    phone = MockConfigEntry(domain="mobile_app")
    phone.add_to_hass(hass)
    devices.async_get_or_create(
        config_entry_id=phone.entry_id,
        identifiers={("mobile_app", "child")},
        name=f" {name.upper()} ",
    )
    assert await hass.config_entries.async_reload(house.entry.entry_id)
    await hass.async_block_till_done()
    policy = house.entry.runtime_data.policy_file.policy
    assert isinstance(policy, LoadedPolicy), policy
    [rule] = policy.services["light.turn_on"]
    assert rule.who is not None
    assert rule.who.devices == frozenset({device.id})
