"""Builds what has to do with workers, for the house."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiohttp import DummyCookieJar
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_create_clientsession

from .adapters.local_worker import LocalWorker
from .adapters.recall_feed import Tell
from .adapters.worker_discovery import WorkerDiscovery
from .adapters.worker_keys import async_load_identity
from .adapters.worker_registry import WorkerRegistry
from .adapters.worker_trail import WorkerTrail
from .adapters.worker_trial import Trials
from .adapters.workers import WorkerExecutor, WorkerTools, async_ask_once, async_tell
from .audit.event import AuditLog
from .legion.client import HttpWorkerClient
from .policy.decision import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerParts:
    """What knows the workers, calls them, runs the local one and tries settings."""

    registry: WorkerRegistry
    tools: WorkerTools
    local: LocalWorker
    trials: Trials
    discovery: WorkerDiscovery
    tell: Tell

    async def async_start(self) -> None:
        """Say hello to the workers, start the local one, listen for new ones.

        Waits for none of them.
        """
        await self.registry.async_start()
        self.local.async_start()
        await self.discovery.async_start()

    async def async_stop(self) -> None:
        """Stop all of it; no process is left on return."""
        await self.discovery.async_stop()
        await self.local.async_stop()
        await self.registry.async_stop()


async def async_build_workers(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    audit: AuditLog,
    policy: Callable[[], Policy],
) -> WorkerParts:
    """Return all of it; nothing is started yet."""
    identity = await async_load_identity(hass)
    clock = hass.loop.time
    # A worker has nothing to keep here, and could fill a jar without end.
    session = async_create_clientsession(hass, cookie_jar=DummyCookieJar())
    client = HttpWorkerClient(session, identity)
    registry = WorkerRegistry(
        hass,
        entry,
        client,
        WorkerTrail(hass, audit, policy, clock),
        public_key=identity.public_key,
        clock=clock,
    )
    return WorkerParts(
        registry=registry,
        tools=WorkerTools(registry, WorkerExecutor(hass, registry, client, clock)),
        local=LocalWorker(hass, entry, registry, clock=clock, sleep=asyncio.sleep),
        trials=Trials(hass, identity.public_key, partial(async_ask_once, client)),
        discovery=WorkerDiscovery(hass, entry, registry),
        tell=partial(async_tell, client),
    )
