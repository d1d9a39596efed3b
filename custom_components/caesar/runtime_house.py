"""Builds the tools that the house itself offers: timers, later commands, own intents."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant

from .adapters.approvals import Approvals
from .adapters.assistant import Assistant
from .adapters.audit_log import HouseAuditLog
from .adapters.callers import OwnContexts
from .adapters.delayed import DelayedParts, PlannedCommands
from .adapters.delayed_store import PlanStore
from .adapters.delayed_tools import delayed_tools
from .adapters.intent_calls import CustomIntents
from .adapters.policy_file import PolicyFile
from .adapters.timers import has_timers, timer_tools
from .adapters.users import Users
from .policy.caller import Caller
from .tool import Tool

_TIMER: Final = "timer_"


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseTools:
    """What the house offers beside reads: its tools, later commands, own intents."""

    tools: tuple[Tool, ...]
    planned: PlannedCommands
    intents: CustomIntents
    useful: Callable[[str], bool]


def build_house_tools(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    users: Users,
    contexts: OwnContexts,
    later: Callable[[], tuple[Mapping[str, Assistant], Approvals]],
) -> HouseTools:
    """Return them; `later` returns agents and approvals, which are built afterwards."""

    def spawn(coro: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        return entry.async_create_background_task(hass, coro, name)

    async def tell(
        caller: Caller, session: str, text: str, parked: str | None = None
    ) -> None:
        await later()[1].async_tell(caller, session, text, parked)

    planned = PlannedCommands(
        DelayedParts(
            hass=hass,
            store=PlanStore(audit),
            audit=audit,
            users=users,
            agent=lambda agent_id: later()[0].get(agent_id),
            revision=lambda: policy_file.policy.revision,
            tell=tell,
            spawn=spawn,
            clock=hass.loop.time,
        )
    )
    return HouseTools(
        tools=(*timer_tools(hass), *delayed_tools(planned)),
        planned=planned,
        intents=CustomIntents(hass, users, contexts),
        useful=lambda name: not name.startswith(_TIMER) or has_timers(hass),
    )
