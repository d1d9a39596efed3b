"""Home Assistant's backup holds a trail that is whole (I-11)."""

from homeassistant.core import HomeAssistant

from .const import DOMAIN
from .runtime import CaesarConfigEntry


async def async_pre_backup(hass: HomeAssistant) -> None:
    """Make the file copyable; rows go on being written meanwhile."""
    for entry in _loaded(hass):
        await entry.runtime_data.audit.async_begin_backup()


async def async_post_backup(hass: HomeAssistant) -> None:
    """Go on as before."""
    for entry in _loaded(hass):
        await entry.runtime_data.audit.async_end_backup()


def _loaded(hass: HomeAssistant) -> list[CaesarConfigEntry]:
    return hass.config_entries.async_loaded_entries(DOMAIN)
