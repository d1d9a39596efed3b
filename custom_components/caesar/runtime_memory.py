"""Builds what the house remembers with, and what it forgets with."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
import logging
from typing import Any

from homeassistant.auth import EVENT_USER_REMOVED
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import Event, HomeAssistant

from .adapters.audit_log import HouseAuditLog
from .adapters.forgetting import Forgetting, ForgetWaiting, forget_tool
from .adapters.guards import settings_of
from .adapters.late import Endings
from .adapters.memory import HouseMemory
from .adapters.memory_rows import Scope
from .adapters.policy_file import PolicyFile
from .audit.event import AuditUnavailable
from .runtime_house import HouseTools
from .tool import Tool

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryParts:
    """The memory, what writes it when a turn is over, and what erases it."""

    memory: HouseMemory
    endings: Endings
    forgetting: Forgetting

    @property
    def tool(self) -> Tool:
        """Return the tool by which a person has their conversation forgotten."""
        return forget_tool(self.forgetting)

    async def async_stop(self) -> None:
        """Write what is still to be written; before the trail is closed."""
        await self.endings.async_stop()
        await self.memory.async_stop()


def build_memory(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    waiting: ForgetWaiting,
    house_tools: HouseTools,
) -> MemoryParts:
    """Return the started memory.

    `waiting` erases what waits for people; commands for later are among `house_tools`.
    """

    def spawn(coro: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        return entry.async_create_task(hass, coro, name, eager_start=False)

    memory = HouseMemory(
        hass, audit, lambda: settings_of(policy_file.policy).context_window
    )
    memory.async_start()
    forgetting = Forgetting(
        memory,
        audit,
        lambda: policy_file.policy.revision,
        waiting,
        house_tools.planned.forget,
    )

    async def forget_user(event: Event[Any]) -> None:
        try:
            await forgetting.forget(Scope(user_id=event.data["user_id"]), None, "")
        except AuditUnavailable as err:
            _LOGGER.warning("What a removed user has said is still kept: %s", err)

    entry.async_on_unload(hass.bus.async_listen(EVENT_USER_REMOVED, forget_user))
    return MemoryParts(memory=memory, endings=Endings(spawn), forgetting=forgetting)
