"""The actions that CAESAR registers; one file each in `actions/`."""

from homeassistant.core import HomeAssistant, callback

from .actions import approvals, ask, audit, call_tool, explain, forget, policy


@callback
def async_register_actions(hass: HomeAssistant) -> None:
    """Register all actions, once for the run of Home Assistant."""
    approvals.async_register(hass)
    ask.async_register(hass)
    audit.async_register(hass)
    call_tool.async_register(hass)
    explain.async_register(hass)
    forget.async_register(hass)
    policy.async_register(hass)
