"""A small house of make-believe devices, for trying things out and for tests."""

import os

from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType

from .actions import async_register_actions
from .const import (
    CONF_EFFECTS,
    CONF_FURNISHED,
    CONF_GENERATED,
    DOMAIN,
    ENV_EFFECTS,
    PLATFORMS,
)
from .effects import effect_log
from .furnish import async_create_groups, async_furnish
from .plans import demo_plan, generated_plan
from .runtime import DemoHouseConfigEntry, House

CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register the actions."""
    async_register_actions(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: DemoHouseConfigEntry) -> bool:
    """Build the house; the first time, also name, place and share its things."""
    generated = entry.data.get(CONF_GENERATED)
    plan = generated_plan(generated) if generated else demo_plan()
    where = entry.data.get(CONF_EFFECTS) or os.environ.get(ENV_EFFECTS)
    entry.runtime_data = House(plan=plan, effects=effect_log(hass, where))
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    if not entry.data.get(CONF_FURNISHED):
        async_furnish(hass, plan)
        await async_create_groups(hass, plan.groups)
        hass.config_entries.async_update_entry(
            entry, data={**entry.data, CONF_FURNISHED: True}
        )
    return True


async def async_unload_entry(hass: HomeAssistant, entry: DemoHouseConfigEntry) -> bool:
    """Take the house down."""
    return await hass.config_entries.async_unload_platforms(entry, PLATFORMS)
