"""The end of the set-up: the voice assistants are given, and sentences offered to try."""

from collections.abc import Sequence

from homeassistant.config_entries import ConfigEntryState, ConfigFlowResult
from homeassistant.core import HomeAssistant

from ..adapters.pipelines import (
    VoiceAssistant,
    async_assistants,
    async_give,
    async_promise,
    first_agent_id,
)
from ..const import CONF_ASSISTANTS
from ..wording import one_line, plain
from .first_words import as_list, async_first_words
from .steps import user_id_at_form

# The descriptions of the result, keys of the translations' `config.create_entry`.
NOT_STARTED = "not_started"
TALK = "talk"
TALK_AND_TRY = "talk_and_try"
TRY = "try"


async def async_welcome(
    hass: HomeAssistant, result: ConfigFlowResult
) -> ConfigFlowResult:
    """Give the chosen assistants to the new entry's agent; tell what one can say now.

    Where the entry did not start, nobody would answer: they are given once it does.
    """
    entry = result["result"]
    agent_id = first_agent_id(hass, entry)
    if entry.state is not ConfigEntryState.LOADED or agent_id is None:
        async_promise(hass, entry)
        return _described(result, NOT_STARTED)
    await async_give(hass, entry.options.get(CONF_ASSISTANTS, {}), agent_id)
    assistants = async_assistants(hass)
    ours = [each for each in assistants if each.ours]
    sentences = await async_first_words(
        hass, entry.runtime_data, _language(hass, ours or assistants), user_id_at_form()
    )
    if not (ours or sentences):
        return result
    names = plain(", ".join(one_line(each.name) for each in ours))
    key = (TALK_AND_TRY if sentences else TALK) if ours else TRY
    return _described(result, key, assistants=names, sentences=as_list(sentences))


def _language(hass: HomeAssistant, assistants: Sequence[VoiceAssistant]) -> str:
    """Return the language in which the first of these assistants listens."""
    return assistants[0].language if assistants else hass.config.language


def _described(
    result: ConfigFlowResult, key: str, **placeholders: str
) -> ConfigFlowResult:
    result["description"] = key
    result["description_placeholders"] = placeholders
    return result
