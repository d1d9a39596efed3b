"""`caesar.verify_audit` and `caesar.export_audit`: the trail, for admins."""

from typing import Final, cast

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.util.json import JsonObjectType, JsonValueType
import probatio

from ..const import ACTION_EXPORT_AUDIT, ACTION_VERIFY_AUDIT, ATTR_DECISION_ID, DOMAIN
from .common import async_check_admin, loaded_runtime, refused

EXPORT_SCHEMA: Final = probatio.Schema({probatio.Required(ATTR_DECISION_ID): str})


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register both actions."""
    hass.services.async_register(
        DOMAIN,
        ACTION_VERIFY_AUDIT,
        _async_verify,
        schema=probatio.Schema({}),
        supports_response=SupportsResponse.ONLY,
    )
    hass.services.async_register(
        DOMAIN,
        ACTION_EXPORT_AUDIT,
        _async_export,
        schema=EXPORT_SCHEMA,
        supports_response=SupportsResponse.ONLY,
    )


async def _async_verify(call: ServiceCall) -> ServiceResponse:
    runtime = loaded_runtime(call.hass)
    await async_check_admin(runtime, call)
    return cast(JsonObjectType, await runtime.audit.async_verify())


async def _async_export(call: ServiceCall) -> ServiceResponse:
    runtime = loaded_runtime(call.hass)
    await async_check_admin(runtime, call)
    decision_id = call.data[ATTR_DECISION_ID]
    rows = await runtime.audit.async_export(decision_id)
    if not rows:
        raise refused("unknown_decision", decision_id=decision_id)
    return {"rows": cast(list[JsonValueType], rows)}
