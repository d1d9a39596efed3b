"""`caesar.reload_policy`: take the file on disk into force."""

from homeassistant.core import HomeAssistant, ServiceCall, callback
import probatio

from ..const import ACTION_RELOAD_POLICY, DOMAIN
from .common import async_check_admin, loaded_runtime


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register the action."""
    hass.services.async_register(
        DOMAIN, ACTION_RELOAD_POLICY, _async_reload, schema=probatio.Schema({})
    )


async def _async_reload(call: ServiceCall) -> None:
    runtime = loaded_runtime(call.hass)
    await async_check_admin(runtime, call, from_automation=True)
    await runtime.policy_file.async_reload(by=call.context.user_id)
