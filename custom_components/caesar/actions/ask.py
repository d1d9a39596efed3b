"""`caesar.ask`: a question from an automation, a script or the REST API."""

from typing import Final

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.helpers import entity_registry as er
from homeassistant.util import language as language_util
from homeassistant.util.ulid import ulid_now
import probatio

from ..adapters.assistant import Assistant
from ..const import (
    ACTION_ASK,
    ATTR_AGENT,
    ATTR_CONVERSATION_ID,
    ATTR_LANGUAGE,
    ATTR_TEXT,
    DOMAIN,
)
from ..runtime import CaesarRuntime
from .common import loaded_runtime, refused

MAX_TEXT: Final = 10_000

SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(ATTR_TEXT): str,
        probatio.Optional(ATTR_AGENT): str,
        probatio.Optional(ATTR_CONVERSATION_ID): str,
        probatio.Optional(ATTR_LANGUAGE): str,
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
    report = await _assistant(hass, runtime, call.data.get(ATTR_AGENT)).async_ask(
        text,
        call.context,
        language=_language(hass, call.data.get(ATTR_LANGUAGE)),
        conversation_id=call.data.get(ATTR_CONVERSATION_ID) or ulid_now(),
    )
    return {
        "answer": report.shown,
        "decision_id": report.decision_id,
        "conversation_id": report.conversation_id,
        "calls": [dict(made) for made in report.calls],
    }


def _assistant(
    hass: HomeAssistant, runtime: CaesarRuntime, agent: str | None
) -> Assistant:
    """Return the agent that is meant: by entity id, by title, or the first."""
    assistants = runtime.assistants
    if agent is None:
        if not assistants:
            raise refused("no_agent")
        return next(iter(assistants.values()))
    entry = er.async_get(hass).async_get(agent)
    if entry is not None and entry.unique_id in assistants:
        return assistants[entry.unique_id]
    for assistant in assistants.values():
        if assistant.settings.title == agent:
            return assistant
    raise refused("unknown_agent", agent=agent)


def _language(hass: HomeAssistant, language: str | None) -> str:
    if language is None:
        return hass.config.language
    try:
        tag = language_util.Dialect.parse(language)
    except ValueError as err:
        raise refused("unknown_language", language=language) from err
    if not 2 <= len(tag.language) <= 3 or not tag.language.isalpha():
        raise refused("unknown_language", language=language)
    return language
