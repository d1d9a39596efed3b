"""Home Assistant's own identity towards workers, kept in `.storage`."""

from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store

from ..legion.keys import Identity

_KEY: Final = "caesar.legion"
_VERSION: Final = 1


async def async_load_identity(hass: HomeAssistant) -> Identity:
    """Return the identity that workers know this house by, made at the first call.

    Raises KeyTextError if the file was changed by hand: a new key would lock out every
    worker without a word.
    """
    store = _store(hass)
    if (data := await store.async_load()) is not None:
        return await hass.async_add_executor_job(Identity.from_seed, data["seed"])
    identity = await hass.async_add_executor_job(Identity.generate)
    await store.async_save({"seed": identity.seed})
    return identity


async def async_remove_identity(hass: HomeAssistant) -> None:
    """Remove the file, when CAESAR's entry is removed."""
    await _store(hass).async_remove()


def _store(hass: HomeAssistant) -> Store[dict[str, Any]]:
    return Store(hass, _VERSION, _KEY, private=True, atomic_writes=True)
