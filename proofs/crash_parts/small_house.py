"""The real gate and the real trail around a tool of the proof's own.

Home Assistant's core object is real as well; what is left out is its integrations,
which `real.py` brings.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
import time
from typing import Any

from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.util.ulid import ulid_now

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.audit.event import AuditEvent, AuditLog, AuditRow
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.gate import GateParts, ToolGate
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import GenericToolCall, ToolCall
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision
from custom_components.caesar.policy.home import NoConditions
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.sentinel.capability import CapabilityGuard
from custom_components.caesar.sentinel.sentinel import Sentinel
from custom_components.caesar.turn import ToolOutcome, ToolRequest, Turn
from tests.fakes.parts import (
    POLICY,
    FakeActivity,
    FakeApprover,
    FakePermissions,
    FakeToolbox,
    small_home,
)

type Effect = Callable[[str], Awaitable[None]]

LIGHT: dict[str, Json] = {
    "domain": "light",
    "service": "turn_on",
    "target": {"entity_id": "light.kitchen"},
}
READ: dict[str, Json] = {"entity_id": ["light.kitchen"]}
DATABASE = "caesar/caesar.db"


class EffectExecutor:
    """Carries a call out by having its effect; reads have none."""

    def __init__(self, effect: Effect) -> None:
        """Take what a call does; it gets the call's own context id."""
        self._effect = effect

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Do it."""
        if not isinstance(call, GenericToolCall):
            await self._effect(context_id)
        return {"entities": []}


class ToldAuditLog:
    """A trail that says which rows it has promised to be on disk."""

    def __init__(self, trail: AuditLog, tell: Callable[[AuditRow], None]) -> None:
        """Stand before the real one."""
        self._trail = trail
        self._tell = tell

    async def intend(self, event: AuditEvent) -> AuditRow:
        """Write an intent."""
        return self._said(await self._trail.intend(event))

    async def conclude(self, intent_seq: int, event: AuditEvent) -> AuditRow:
        """Write an outcome."""
        return self._said(await self._trail.conclude(intent_seq, event))

    async def record(self, event: AuditEvent) -> AuditRow:
        """Write an event."""
        return self._said(await self._trail.record(event))

    def _said(self, row: AuditRow) -> AuditRow:
        self._tell(row)
        return row


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallHouse:
    """A gate with its trail, and ways to go through it."""

    hass: HomeAssistant
    audit: HouseAuditLog
    gate: ToolGate

    async def act(self, turn: Turn | None = None) -> ToolOutcome:
        """Turn on the kitchen light."""
        request = ToolRequest(id="1", name="call_service", arguments=LIGHT)
        return await self.gate.dispatch(request, turn or self.turn())

    async def read(self) -> ToolOutcome:
        """Read a state."""
        request = ToolRequest(id="1", name="get_state", arguments=READ)
        return await self.gate.dispatch(request, self.turn())

    def turn(self) -> Turn:
        """Return a new turn of a user."""
        caller = Caller(
            origin=Origin.CHAT,
            user_id="user-1",
            agent_id="conversation.caesar",
            conversation_id="conversation-1",
            context_id=ulid_now(),
        )
        return Turn(
            decision_id=ulid_now(),
            caller=caller,
            language="en",
            deadline=time.monotonic() + 240,
        )

    def issue(self, issue_id: str) -> ir.IssueEntry | None:
        """Return one of the trail's repair issues."""
        return ir.async_get(self.hass).async_get_issue(DOMAIN, issue_id)


@asynccontextmanager
async def small_house(
    folder: Path,
    effect: Effect,
    tell: Callable[[AuditRow], None] = lambda _: None,
) -> AsyncIterator[SmallHouse]:
    """Run the house on a folder; what ran before in it is found again."""
    hass = HomeAssistant(str(folder))
    await ir.async_load(hass)
    hass.set_state(CoreState.running)
    audit = HouseAuditLog(hass, folder / DATABASE)
    await audit.async_start()
    home, policy = small_home(), load_policy(POLICY)
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[ToolOutcome]] = set()

    def spawn(
        coro: Coroutine[Any, Any, ToolOutcome], name: str
    ) -> asyncio.Task[ToolOutcome]:
        task = loop.create_task(coro, name=name)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    gate = ToolGate(
        GateParts(
            toolbox=FakeToolbox(EffectExecutor(effect), timeout_s=10),  # type: ignore[arg-type]  # any executor will do
            policy=lambda: policy,
            home=home,
            conditions=NoConditions(),
            sentinel=Sentinel([CapabilityGuard(home, FakePermissions())]),
            approver=FakeApprover(),
            audit=ToldAuditLog(audit, tell),
            activity=FakeActivity(),
            spawn=spawn,
            clock=time.monotonic,
            new_context_id=ulid_now,
        )
    )
    try:
        yield SmallHouse(hass=hass, audit=audit, gate=gate)
    finally:
        if tasks:
            await asyncio.wait(set(tasks))
        await audit.async_stop()
        await hass.async_stop(force=True)
