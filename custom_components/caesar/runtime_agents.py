"""Puts the agents into the house: who thinks for each, and how it speaks."""

from collections.abc import Mapping, MutableMapping
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .adapters.agent_house import AgentSettings, House
from .adapters.agent_tools import AGENT_ID, AgentTools
from .adapters.assistant import Assistant
from .adapters.model_sdk import SdkUnavailable
from .brain.prompt import Persona
from .brain.provider import Provider, ProviderError
from .const import (
    AGENT_DEFAULTS,
    CONF_API_KEY,
    CONF_BRAIN,
    CONF_MAX_ITERATIONS,
    CONF_MAX_TOKENS,
    CONF_MODEL,
    CONF_PERSONA_NAME,
    CONF_PERSONA_TONE,
    CONF_PROMPT,
    CONF_PROVIDER,
    DOMAIN,
    SUBENTRY_CONVERSATION,
    Brain,
    ProviderKind,
)
from .providers.builtin import BuiltinProvider
from .providers.direct import DirectProvider, as_text
from .runtime_models import async_claude, async_server_model

_LOGGER = logging.getLogger(__name__)

ISSUE_MODEL: Final = "model_unavailable"


def let_in_others(house: House, agents: MutableMapping[str, Assistant]) -> AgentTools:
    """Return what makes calls for agents of other integrations; put it with `agents`.

    Their calls that wait for a person go on by it, after a restart too.
    """
    tools = AgentTools(house, DirectProvider(), as_text)
    agents[AGENT_ID] = tools.assistant
    return tools


async def async_move_in(
    entry: ConfigEntry[Any],
    house: House,
    builtin: BuiltinProvider,
    assistants: dict[str, Assistant],
) -> list[Provider]:
    """Put the agents into the house; return the models that they brought."""
    direct = DirectProvider()
    models: list[Provider] = []
    for subentry in entry.get_subentries_of_type(SUBENTRY_CONVERSATION):
        brain = _brain(entry, subentry)
        own: list[Provider] = [builtin]
        if brain is not Brain.BUILTIN:
            model = await _model(house.hass, entry, subentry)
            if model is not None:
                models.append(model)
                own = [model] if brain is Brain.MODEL else [builtin, model]
        assistants[subentry.subentry_id] = Assistant(
            house, _settings(subentry), own, direct
        )
    return models


def _brain(entry: ConfigEntry[Any], subentry: ConfigSubentry) -> Brain:
    """Return who answers for an agent; without a model, the built-in brain."""
    if entry.data[CONF_PROVIDER] == ProviderKind.BUILTIN.value:
        return Brain.BUILTIN
    return Brain(_agent(subentry)[CONF_BRAIN])


async def _model(
    hass: HomeAssistant, entry: ConfigEntry[Any], subentry: ConfigSubentry
) -> Provider | None:
    """Return an agent's model; None, with a repair, if its software is missing."""
    try:
        model = await _provider(hass, entry.data, str(_agent(subentry)[CONF_MODEL]))
    except (SdkUnavailable, ProviderError) as err:
        _LOGGER.error("The model can't be used: %s", err)
        ir.async_create_issue(
            hass,
            DOMAIN,
            ISSUE_MODEL,
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key=ISSUE_MODEL,
        )
        return None
    ir.async_delete_issue(hass, DOMAIN, ISSUE_MODEL)
    return model


async def _provider(
    hass: HomeAssistant, data: Mapping[str, Any], model: str
) -> Provider:
    """Return a model of the house's kind.

    Raises SdkUnavailable, and ProviderError for an address that can't be one.
    """
    kind = ProviderKind(data[CONF_PROVIDER])
    if kind is ProviderKind.ANTHROPIC:
        return await async_claude(hass, data[CONF_API_KEY], model)
    return await async_server_model(hass, kind, data, model)


def _settings(subentry: ConfigSubentry) -> AgentSettings:
    data = _agent(subentry)
    return AgentSettings(
        agent_id=subentry.subentry_id,
        title=subentry.title,
        persona=Persona(
            name=str(data[CONF_PERSONA_NAME]) or subentry.title,
            tone=str(data[CONF_PERSONA_TONE]),
        ),
        instructions=str(data[CONF_PROMPT]),
        max_iterations=int(data[CONF_MAX_ITERATIONS]),
        max_tokens=int(data[CONF_MAX_TOKENS]),
    )


def _agent(subentry: ConfigSubentry) -> dict[str, Any]:
    return {**AGENT_DEFAULTS, **subentry.data}
