"""Puts the task entities into the house: who thinks for each, and what it may be lent."""

from collections.abc import MutableMapping
from dataclasses import dataclass, replace
from typing import Any

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.helpers import llm

from .adapters.agent_house import House
from .adapters.ai_tasks import Lent, TaskRunner, TaskSettings
from .adapters.llm_tools import LentTools
from .brain.chain import Link
from .brain.loop import Gate
from .const import (
    CONF_MAX_TOKENS,
    CONF_MODEL,
    CONF_MODEL_ID,
    DEFAULT_TASK_TOKENS,
    SUBENTRY_AI_TASK,
)
from .gate import ToolGate
from .gate_parts import GateParts
from .legion.spec import Annotations
from .runtime_brains import Brains
from .sentinel.nobody import NobodyToAsk
from .sentinel.sentinel import Sentinel
from .sentinel.taint import TaintGuard
from .tool import Toolbox


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTools:
    """Implements `Lent` with the house's own tools: CAESAR's own LLM API."""

    prompt: str
    behind: Gate

    def gate(self) -> Gate:
        """Return the gate that they are behind."""
        return self.behind


class TaskGates:
    """Makes the gates of tasks, which are the house's but for one: nobody is asked."""

    def __init__(self, parts: GateParts, house: House) -> None:
        """Stand on what the house's own gate stands on."""
        self._parts = replace(parts, approver=NobodyToAsk())
        self._house = house

    def own(self, prompt: str) -> Lent:
        """Return the house's own tools."""
        return OwnTools(prompt=prompt, behind=ToolGate(self._parts))

    def lent(self, api: llm.APIInstance) -> Lent:
        """Return the tools of another API."""
        return LentTools(api, self._house.users, self._house.contexts, self._gate_of)

    def _gate_of(self, toolbox: Toolbox) -> Gate:
        """Return a gate before these tools alone, with the house's guards.

        The one that asks what a tool says of itself must ask of these: among the
        house's, a name with two underscores is a service.
        """

        def annotations(tool: str) -> Annotations | None:
            known = toolbox.get(tool)
            return None if known is None else known.spec.annotations

        guards = [
            TaintGuard(annotations) if isinstance(guard, TaintGuard) else guard
            for guard in self._parts.sentinel.guards
        ]
        return ToolGate(
            replace(self._parts, toolbox=toolbox, sentinel=Sentinel(guards))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseTasks:
    """What carries out tasks, by subentry, and what makes their gates."""

    runners: MutableMapping[str, TaskRunner]
    gates: TaskGates


async def async_take_on(
    entry: ConfigEntry[Any], house: House, brains: Brains, tasks: HouseTasks
) -> None:
    """Add what carries out the tasks of each entity."""
    for subentry in entry.get_subentries_of_type(SUBENTRY_AI_TASK):
        settings = TaskSettings(
            agent_id=subentry.subentry_id,
            title=subentry.title,
            max_tokens=int(subentry.data.get(CONF_MAX_TOKENS, DEFAULT_TASK_TOKENS)),
        )
        model = await _model(brains, subentry)
        tasks.runners[subentry.subentry_id] = TaskRunner(house, settings, model)


async def _model(brains: Brains, subentry: ConfigSubentry) -> Link | None:
    """Return who thinks: a further model by its id, or one of the house's provider."""
    if model_id := subentry.data.get(CONF_MODEL_ID):
        return brains.further(str(model_id))
    return await brains.async_own(str(subentry.data.get(CONF_MODEL, "")))
