"""`caesar.call_tool`: one tool call, through the same gate as everybody's."""

from typing import Any, Final, cast

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.util.ulid import ulid_now
import probatio

from ..adapters.turns import MAX_CALL_BYTES
from ..const import ACTION_CALL_TOOL, ATTR_AGENT, ATTR_ARGUMENTS, ATTR_TOOL, DOMAIN
from ..legion.canonical import canonical_json
from ..providers.direct import as_text
from ..turn import ToolOutcome
from .agents import agent_of
from .common import loaded_runtime, refused

SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(ATTR_TOOL): str,
        probatio.Optional(ATTR_ARGUMENTS, default=dict): dict,
        probatio.Optional(ATTR_AGENT): str,
    }
)


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register the action."""
    hass.services.async_register(
        DOMAIN,
        ACTION_CALL_TOOL,
        _async_call_tool,
        schema=SCHEMA,
        supports_response=SupportsResponse.OPTIONAL,
    )


async def _async_call_tool(call: ServiceCall) -> ServiceResponse:
    hass = call.hass
    runtime = loaded_runtime(hass)
    tool, arguments = call.data[ATTR_TOOL].strip(), call.data[ATTR_ARGUMENTS]
    try:
        size = len(canonical_json(arguments).encode())
    except (TypeError, ValueError, RecursionError) as err:
        raise refused("arguments_not_json", problem=str(err)[:100]) from err
    if size > MAX_CALL_BYTES:
        raise refused("arguments_too_long", limit=str(MAX_CALL_BYTES), length=str(size))
    report = await agent_of(hass, runtime, call.data.get(ATTR_AGENT)).async_ask(
        as_text(tool.replace(".", "__", 1), arguments),
        call.context,
        language=hass.config.language,
        conversation_id=ulid_now(),
        direct=True,
    )
    [outcome] = report.outcomes
    return {
        "ok": outcome.error is None,
        "data": cast(Any, outcome.data),
        "error": _error(outcome),
        "decision_id": report.decision_id,
        "call": dict(report.calls[0]),
        "parked": report.parked is not None,
    }


def _error(outcome: ToolOutcome) -> dict[str, Any] | None:
    if (error := outcome.error) is None:
        return None
    return {
        "code": error.code.value,
        "message": error.message,
        "retryable": error.retryable,
        "retry_after": error.retry_after,
    }
