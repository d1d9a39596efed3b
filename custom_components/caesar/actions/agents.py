"""Which agent and which language an action means."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.util import language as language_util

from ..adapters.assistant import Assistant
from ..runtime import CaesarRuntime
from .common import refused


def agent_of(
    hass: HomeAssistant, runtime: CaesarRuntime, agent: str | None
) -> Assistant:
    """Return the agent that is meant: by entity id, by title, or the first.

    Raises ServiceValidationError if there is none.
    """
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


def language_of(hass: HomeAssistant, language: str | None) -> str:
    """Return a language's tag, by default Home Assistant's.

    Raises ServiceValidationError for what is no tag.
    """
    if language is None:
        return hass.config.language
    try:
        tag = language_util.Dialect.parse(language)
    except ValueError as err:
        raise refused("unknown_language", language=language) from err
    if not 2 <= len(tag.language) <= 3 or not tag.language.isalpha():
        raise refused("unknown_language", language=language)
    return language
