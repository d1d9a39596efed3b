"""`caesar.ask`: a question from an automation, a script or the REST API."""

from typing import Final

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.util.ulid import ulid_now
import probatio

from ..const import (
    ACTION_ASK,
    ATTR_AGENT,
    ATTR_CONVERSATION_ID,
    ATTR_LANGUAGE,
    ATTR_TEXT,
    ATTR_TOOLS,
    ATTR_TRUSTED,
    DOMAIN,
)
from ..turn import ToolScope
from .agents import agent_of, language_of
from .common import loaded_runtime, refused, time_of

MAX_TEXT: Final = 10_000

SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(ATTR_TEXT): str,
        probatio.Optional(ATTR_AGENT): str,
        probatio.Optional(ATTR_CONVERSATION_ID): str,
        probatio.Optional(ATTR_LANGUAGE): str,
        probatio.Optional(ATTR_TOOLS): probatio.In(
            [scope.value for scope in ToolScope]
        ),
        probatio.Optional(ATTR_TRUSTED): bool,
    }
)


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register the action."""
    hass.services.async_register(
        DOMAIN,
        ACTION_ASK,
        _async_ask,
        schema=SCHEMA,
        supports_response=SupportsResponse.OPTIONAL,
    )


async def _async_ask(call: ServiceCall) -> ServiceResponse:
    hass = call.hass
    runtime = loaded_runtime(hass)
    text = call.data[ATTR_TEXT].strip()
    if not text:
        raise refused("text_empty")
    if len(text) > MAX_TEXT:
        raise refused("text_too_long", limit=str(MAX_TEXT), length=str(len(text)))
    report = await agent_of(hass, runtime, call.data.get(ATTR_AGENT)).async_ask(
        text,
        call.context,
        language=language_of(hass, call.data.get(ATTR_LANGUAGE)),
        conversation_id=call.data.get(ATTR_CONVERSATION_ID) or ulid_now(),
        tools=ToolScope(call.data.get(ATTR_TOOLS, ToolScope.POLICY)),
        trusted=call.data.get(ATTR_TRUSTED, False),
    )
    return {
        "answer": report.shown,
        "decision_id": report.decision_id,
        "conversation_id": report.conversation_id,
        "calls": [dict(made) for made in report.calls],
        "parked": report.parked is not None,
        "expires_at": time_of(report.expires_at),
    }
