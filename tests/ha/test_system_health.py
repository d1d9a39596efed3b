"""What the system report says of CAESAR."""

from pathlib import Path

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import get_system_health_info

from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import async_move_in


async def test_the_report(hass: HomeAssistant, hass_admin_user: User) -> None:
    """A house that is well; one whose policy is broken; one that isn't loaded."""
    await async_build_house(hass)
    house = await async_move_in(hass, hass_admin_user.id)
    assert await async_setup_component(hass, "system_health", {})
    await hass.async_block_till_done()
    assert await get_system_health_info(hass, DOMAIN) == {
        "version": "0.1.0",
        "agents": 1,
        "policy": "ok",
        "trail": "ok",
        "workers": "0/0",
        "waiting": 0,
    }

    policy = Path(hass.config.path("caesar", "policy.yaml"))
    await hass.async_add_executor_job(policy.write_text, "version: 2")
    await hass.config_entries.async_reload(house.entry.entry_id)
    report = await get_system_health_info(hass, DOMAIN)
    assert report["policy"] == "denies_all"

    await hass.config_entries.async_unload(house.entry.entry_id)
    assert await get_system_health_info(hass, DOMAIN) == {"version": "0.1.0"}
