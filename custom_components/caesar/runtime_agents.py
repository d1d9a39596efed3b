"""Puts the agents into the house: who thinks for each, and how it speaks."""

from collections.abc import MutableMapping
from typing import Any

from homeassistant.config_entries import ConfigEntry, ConfigSubentry

from .adapters.agent_house import AgentSettings, House
from .adapters.agent_tools import AGENT_ID, AgentTools
from .adapters.assistant import Assistant
from .brain.prompt import Persona
from .brain.provider import Provider
from .const import (
    AGENT_DEFAULTS,
    CONF_BRAIN,
    CONF_CHAIN,
    CONF_MAX_ITERATIONS,
    CONF_MAX_TOKENS,
    CONF_MODEL,
    CONF_PATIENCE,
    CONF_PERSONA_NAME,
    CONF_PERSONA_TONE,
    CONF_PROMPT,
    CONF_SPEAKABLE,
    SUBENTRY_CONVERSATION,
    Brain,
)
from .providers.builtin import BuiltinProvider
from .providers.direct import DirectProvider, as_text
from .runtime_brains import Brains
from .runtime_tasks import HouseTasks, async_take_on


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
    tasks: HouseTasks,
) -> list[Provider]:
    """Put the agents into the house; return the models that they brought."""
    direct = DirectProvider()
    brains = Brains(house.hass, entry, builtin)
    await brains.async_build()
    for subentry in entry.get_subentries_of_type(SUBENTRY_CONVERSATION):
        data = _agent(subentry)
        own = await brains.async_chain(
            Brain(data[CONF_BRAIN]),
            str(data[CONF_MODEL]),
            data.get(CONF_CHAIN, ()),
            data.get(CONF_PATIENCE),
        )
        assistants[subentry.subentry_id] = Assistant(
            house, _settings(subentry), own, direct
        )
    await async_take_on(entry, house, brains, tasks)
    return brains.built


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
        speakable=bool(data[CONF_SPEAKABLE]),
    )


def _agent(subentry: ConfigSubentry) -> dict[str, Any]:
    return {**AGENT_DEFAULTS, **subentry.data}
