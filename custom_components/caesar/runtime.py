"""Builds the house once, at set-up, and holds it while the entry is loaded."""

import asyncio
from collections import ChainMap
from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.util.ulid import ulid_now

from .adapters.activity import HouseActivity
from .adapters.agent_house import House
from .adapters.agent_tools import AgentTools
from .adapters.approvals import ApprovalParts, Approvals
from .adapters.assistant import Assistant
from .adapters.audit_log import HouseAuditLog
from .adapters.bypass import async_watch_policy
from .adapters.callers import OwnContexts
from .adapters.explainer import Explainer
from .adapters.guards import Guards, build_guards, settings_of
from .adapters.home import HomeAssistantHome
from .adapters.knowledge import HomeKnowledge
from .adapters.pins import Pins, async_load_pins
from .adapters.policy_file import PolicyFile
from .adapters.reads import ReadExecutor, read_tools
from .adapters.refused import RefusedCalls
from .adapters.service_calls import ServiceExecutor
from .adapters.simulator import Simulator
from .adapters.toolbox import HouseToolbox
from .adapters.usage import HouseMeter
from .adapters.users import Users, async_load_users
from .adapters.warm_up import WarmUp
from .adapters.words import HouseWords
from .adapters.worker_discovery import WorkerDiscovery
from .adapters.worker_registry import WorkerRegistry
from .brain.provider import Provider
from .const import CONF_STARTER_POLICY, StarterPolicy
from .gate import GateParts, ToolGate
from .providers.builtin import BuiltinProvider
from .runtime_agents import async_move_in, let_in_others
from .runtime_answers import tell_tools
from .runtime_house import HouseTools, build_house_tools
from .runtime_memory import MemoryParts, build_memory
from .runtime_recall import async_start_recall
from .runtime_tasks import HouseTasks, TaskGates
from .runtime_workers import WorkerParts, async_build_workers
from .tool import Tool
from .turn import ToolOutcome

CALLS_END_S: Final = 10.0

type CaesarConfigEntry = ConfigEntry[CaesarRuntime]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaesarRuntime:
    """All that runs while the entry is loaded; `assistants` by subentry id."""

    assistants: Mapping[str, Assistant]
    approvals: Approvals
    audit: HouseAuditLog
    policy_file: PolicyFile
    home: HomeAssistantHome
    users: Users
    explainer: Explainer
    simulator: Simulator
    refused: RefusedCalls
    meter: HouseMeter
    providers: tuple[Provider, ...]
    calls: set[asyncio.Task[ToolOutcome]]
    legion: WorkerParts
    agent_tools: AgentTools
    memory: MemoryParts
    tasks: HouseTasks
    house_tools: HouseTools

    @property
    def workers(self) -> WorkerRegistry:
        """Return what knows the workers."""
        return self.legion.registry

    @property
    def discovery(self) -> WorkerDiscovery:
        """Return what finds workers that nobody has added yet."""
        return self.legion.discovery

    async def async_stop(self) -> None:
        """Stop everything that was started, the trail last.

        Calls under way get ten seconds to end and be concluded.
        """
        await self.house_tools.planned.async_stop()
        await self.approvals.async_stop()
        if self.calls:
            await asyncio.wait(self.calls, timeout=CALLS_END_S)
        await self.legion.async_stop()
        for provider in self.providers:
            await provider.close()
        await self.policy_file.async_stop()
        self.home.async_stop()
        await self.memory.async_stop()
        await self.meter.async_stop()
        await self.audit.async_stop()


async def async_build(hass: HomeAssistant, entry: CaesarConfigEntry) -> CaesarRuntime:
    """Build the house from its entry and start what needs starting.

    If it can't be built whole, nothing of it is left running: `started` is what runs
    already.
    """
    async with AsyncExitStack() as started:
        runtime = await _async_build(hass, entry, started)
        started.pop_all()
        started.push_async_callback(runtime.async_stop)
        await runtime.approvals.async_start()
        await runtime.legion.async_start()
        await runtime.house_tools.planned.async_start()
        started.pop_all()
    return runtime


async def _async_build(
    hass: HomeAssistant, entry: CaesarConfigEntry, started: AsyncExitStack
) -> CaesarRuntime:
    audit = await _async_audit(hass, started)
    pins = await async_load_pins(hass)
    policy_file = await _async_policy(hass, entry, audit, pins, started)
    users = await async_load_users(hass)
    home = _home(hass, started)
    contexts = OwnContexts(hass.loop.time)
    calls: set[asyncio.Task[ToolOutcome]] = set()
    legion = await async_build_workers(hass, entry, audit, lambda: policy_file.policy)
    started.push_async_callback(legion.async_stop)
    entry.async_on_unload(async_watch_policy(hass, policy_file, home, legion.registry))
    own_tools = build_house_tools(
        hass, entry, audit, policy_file, users, contexts, lambda: (agents, approvals)
    )
    builtin = _builtin(hass, entry, policy_file, legion, own_tools)
    memory = build_memory(
        hass, entry, audit, policy_file, lambda c: approvals.forget(c), own_tools
    )
    started.push_async_callback(memory.async_stop)
    async_start_recall(hass, entry, audit, memory.memory, legion)
    why = tell_tools(hass, home, users, audit, policy_file, lambda: (parts, approvals))
    own = (memory.tool, *why, *own_tools.tools)
    toolbox = _toolbox(hass, policy_file, users, home, contexts, legion, own, own_tools)
    guards = await _async_guards(
        hass, entry, audit, policy_file, users, home, toolbox, legion, started
    )
    assistants: dict[str, Assistant] = {}
    agents = ChainMap[str, Assistant]({}, assistants)
    approvals = _approvals(
        hass, entry, audit, policy_file, pins, users, home, contexts, agents
    )
    parts = _gate_parts(
        hass, entry, audit, policy_file, users, home, toolbox, guards, approvals, calls
    )
    house = _house(
        hass, parts, users, home, contexts, guards, approvals, memory, builtin
    )
    tasks = HouseTasks(runners={}, gates=TaskGates(parts, house))
    models = await async_move_in(entry, house, builtin, assistants, tasks)
    return CaesarRuntime(
        assistants=assistants,
        approvals=approvals,
        audit=audit,
        policy_file=policy_file,
        home=home,
        users=users,
        explainer=Explainer(hass, parts, users, audit),
        simulator=Simulator(hass, audit, lambda: policy_file.policy, home),
        refused=RefusedCalls(hass, audit, policy_file, home, approvals.desk),
        meter=guards.meter,
        providers=(builtin, *models),
        calls=calls,
        legion=legion,
        agent_tools=let_in_others(house, agents),
        memory=memory,
        tasks=tasks,
        house_tools=own_tools,
    )


def _house(
    hass: HomeAssistant,
    parts: GateParts,
    users: Users,
    home: HomeAssistantHome,
    contexts: OwnContexts,
    guards: Guards,
    approvals: Approvals,
    memory: MemoryParts,
    builtin: BuiltinProvider,
) -> House:
    """Return what all agents share."""
    return House(
        hass=hass,
        home=home,
        users=users,
        knowledge=HomeKnowledge(home, users),
        contexts=contexts,
        gate=ToolGate(parts),
        policy=parts.policy,
        audit=parts.audit,
        memory=memory.memory,
        endings=memory.endings,
        clock=parts.clock,
        words=HouseWords(hass, builtin.not_understood_text),
        heard=guards.heard,
        asking=approvals,
        keeper=approvals.parked,
        meter=guards.meter,
    )


async def _async_audit(hass: HomeAssistant, started: AsyncExitStack) -> HouseAuditLog:
    audit = HouseAuditLog(hass)
    started.push_async_callback(audit.async_stop)
    await audit.async_start()
    return audit


async def _async_policy(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    pins: Pins,
    started: AsyncExitStack,
) -> PolicyFile:
    """Return the policy's file, read; the trail is kept as long as it says."""
    starter = StarterPolicy(entry.data[CONF_STARTER_POLICY])
    policy_file = PolicyFile(hass, entry, audit, starter, pins=pins.names)
    started.push_async_callback(policy_file.async_stop)
    await policy_file.async_start()
    entry.async_on_unload(_follow_retention(audit, policy_file))
    return policy_file


def _home(hass: HomeAssistant, started: AsyncExitStack) -> HomeAssistantHome:
    home = HomeAssistantHome(hass)
    started.callback(home.async_stop)
    home.async_start()
    return home


def _builtin(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    policy_file: PolicyFile,
    legion: WorkerParts,
    own: HouseTools,
) -> BuiltinProvider:
    """Return the brain that needs no model; it knows the sentences of tools."""
    builtin = BuiltinProvider(
        hass,
        legion.registry.tools,
        lambda tool: policy_file.policy.may_grant(tool),
        enrolled=legion.registry.enrolled,
        is_tool=lambda name: own.intents.get(name) is not None,
    )
    WarmUp(hass, entry, builtin, legion.registry).async_start()
    return builtin


def _follow_retention(
    audit: HouseAuditLog, policy_file: PolicyFile
) -> Callable[[], None]:
    """Keep the trail as long as the policy in force says; return what ends that."""

    def keep() -> None:
        audit.retention_days = settings_of(policy_file.policy).audit_retention_days

    keep()
    return policy_file.async_listen(keep)


def _toolbox(
    hass: HomeAssistant,
    policy_file: PolicyFile,
    users: Users,
    home: HomeAssistantHome,
    contexts: OwnContexts,
    legion: WorkerParts,
    own: Iterable[Tool],
    house: HouseTools,
) -> HouseToolbox:
    """Return all tools, each with what carries it out."""
    return HouseToolbox(
        hass,
        (*read_tools(ReadExecutor(hass, home, users)), *own),
        ServiceExecutor(hass, home, users, contexts),
        lambda tool: policy_file.policy.may_grant(tool),
        legion.tools,
        lambda: home.exposed_domains,
        house.intents,
        house.useful,
    )


async def _async_guards(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    users: Users,
    home: HomeAssistantHome,
    toolbox: HouseToolbox,
    legion: WorkerParts,
    started: AsyncExitStack,
) -> Guards:
    """Return the sentinel and the meter, which has read what was used today."""
    guards = build_guards(
        hass,
        entry,
        home=home,
        users=users,
        toolbox=toolbox,
        workers=legion.registry,
        policy=lambda: policy_file.policy,
        audit=audit,
    )
    started.push_async_callback(guards.meter.async_stop)
    await guards.meter.async_start()
    return guards


def _approvals(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    pins: Pins,
    users: Users,
    home: HomeAssistantHome,
    contexts: OwnContexts,
    agents: Mapping[str, Assistant],
) -> Approvals:
    """Return what asks people."""
    return Approvals(
        ApprovalParts(
            hass=hass,
            home=home,
            users=users,
            contexts=contexts,
            audit=audit,
            pins=pins,
            policy=lambda: policy_file.policy,
            agents=agents,
            ttl_s=lambda: settings_of(policy_file.policy).approval_ttl_s,
            spawn=lambda coro, name: entry.async_create_background_task(
                hass, coro, name
            ),
        )
    )


def _gate_parts(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    users: Users,
    home: HomeAssistantHome,
    toolbox: HouseToolbox,
    guards: Guards,
    approvals: Approvals,
    calls: set[asyncio.Task[ToolOutcome]],
) -> GateParts:
    """Return all that the gate stands on."""

    def spawn(
        coro: Coroutine[Any, Any, ToolOutcome], name: str
    ) -> asyncio.Task[ToolOutcome]:
        task = entry.async_create_task(hass, coro, name, eager_start=False)
        calls.add(task)
        task.add_done_callback(calls.discard)
        return task

    return GateParts(
        toolbox=toolbox,
        policy=lambda: policy_file.policy,
        home=home,
        conditions=policy_file.conditions,
        sentinel=guards.sentinel,
        approver=approvals.desk,
        audit=audit,
        activity=HouseActivity(hass, home, users),
        spawn=spawn,
        clock=hass.loop.time,
        new_context_id=ulid_now,
        allowances=approvals.allowances,
    )
