"""The actions that CAESAR registers; one file each in `actions/`."""

from homeassistant.core import HomeAssistant, callback

from .actions import ask, audit, policy


@callback
def async_register_actions(hass: HomeAssistant) -> None:
    """Register all actions, once for the run of Home Assistant."""
    ask.async_register(hass)
    audit.async_register(hass)
    policy.async_register(hass)
