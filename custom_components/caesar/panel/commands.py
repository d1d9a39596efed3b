"""The page's commands, registered once for the run of Home Assistant."""

from homeassistant.components import websocket_api
from homeassistant.core import HomeAssistant, callback

from . import house, policy, refused, trail, unshared, waiting


@callback
def async_register_commands(hass: HomeAssistant) -> None:
    """Register all of them; each says so itself while no house is loaded."""
    for each in (
        waiting.ws_waiting,
        waiting.ws_answer,
        waiting.ws_watch,
        trail.ws_trail,
        refused.ws_refused,
        refused.ws_rule,
        refused.ws_once,
        unshared.ws_unshared,
        unshared.ws_share,
        policy.ws_policy,
        policy.ws_check,
        policy.ws_simulate,
        policy.ws_save,
        policy.ws_undo,
        policy.ws_explain,
        house.ws_house,
    ):
        websocket_api.async_register_command(hass, each)
