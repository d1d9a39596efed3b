"""CAESAR: a conversation agent that does nothing its owner did not allow."""

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryError, UnsupportedStorageVersionError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.typing import ConfigType

from .adapters.pipelines import async_follow_agents, async_keep_promise
from .adapters.removal import async_dismiss_notice, async_leave
from .const import DOMAIN
from .llm_api import async_register_api
from .panel import async_hide_panel, async_show_panel
from .panel.commands import async_register_commands
from .runtime import CaesarConfigEntry, async_build
from .services import async_register_actions

PLATFORMS = [
    Platform.AI_TASK,
    Platform.BINARY_SENSOR,
    Platform.CONVERSATION,
    Platform.EVENT,
    Platform.SENSOR,
]
CONFIG_SCHEMA = cv.config_entry_only_config_schema(DOMAIN)


async def async_setup(hass: HomeAssistant, config: ConfigType) -> bool:
    """Register actions and commands, and have the voice assistants follow the agents.

    All of it stays as long as Home Assistant runs.
    """
    async_register_actions(hass)
    async_register_commands(hass)
    async_follow_agents(hass)
    return True


async def async_setup_entry(hass: HomeAssistant, entry: CaesarConfigEntry) -> bool:
    """Build the house and its agents."""
    async_dismiss_notice(hass)
    try:
        runtime = entry.runtime_data = await async_build(hass, entry)
    except UnsupportedStorageVersionError as err:
        # Home Assistant's own words would have people upgrade Home Assistant.
        raise ConfigEntryError(
            translation_domain=DOMAIN,
            translation_key="storage_newer",
            translation_placeholders={"file": f".storage/{err.storage_key}"},
        ) from err
    entry.async_on_unload(entry.add_update_listener(_async_changed))
    try:
        entry.async_on_unload(async_register_api(hass))
        await async_show_panel(hass)
        entry.async_on_unload(lambda: async_hide_panel(hass))
        await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
        await async_keep_promise(hass, entry)
    except BaseException:
        # An entry that failed or was cancelled is not unloaded: its parts would run on.
        await runtime.async_stop()
        raise
    return True


async def async_unload_entry(hass: HomeAssistant, entry: CaesarConfigEntry) -> bool:
    """Stop everything that was started."""
    if not await hass.config_entries.async_unload_platforms(entry, PLATFORMS):
        return False
    await entry.runtime_data.async_stop()
    return True


async def async_remove_entry(hass: HomeAssistant, entry: CaesarConfigEntry) -> None:
    """Give the voice assistants back and erase what is CAESAR's own.

    Policy and trail stay, for they are the owner's.
    """
    await async_leave(hass, entry)


async def _async_changed(hass: HomeAssistant, entry: CaesarConfigEntry) -> None:
    """Reload after any change of the entry or its agents."""
    hass.config_entries.async_schedule_reload(entry.entry_id)
