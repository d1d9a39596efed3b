"""Hosts with real workers on loopback, and a house that has enrolled them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from email.utils import formatdate
import json
import sqlite3
import time
from types import MappingProxyType
from typing import Any, ClassVar

from aiohttp import web
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import HomeAssistant

from custom_components.caesar.adapters.worker_registry import WorkerRegistry
from custom_components.caesar.adapters.worker_status import WorkerStatus
from custom_components.caesar.const import (
    CONF_CONFIRMED,
    CONF_PUBLIC_KEY,
    CONF_TOOLS,
    CONF_URL,
    SUBENTRY_WORKER,
)
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.legion.spec_json import spec_as_json
from custom_components.caesar.legion.worker import Task, Worker
from tests.ha.house import CaesarHouse

SAFE = Annotations(
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    private_data=False,
    untrusted_result=False,
)
EVERYTHING = (
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "private_data",
    "untrusted_result",
)
# Of a call, on a machine that is busy with other things; tests of lateness have their own.
PATIENCE_S = 30.0
BINS = ToolSpec(
    name="bin_days",
    title="Bin days",
    description="Tells when the bins are collected.",
    input_schema={
        "type": "object",
        "properties": {"bin": {"type": "string"}},
        "additionalProperties": False,
    },
    annotations=SAFE,
    timeout_s=PATIENCE_S,
)
GATE = ToolSpec(
    name="open_gate",
    title="Gate",
    description="Opens the gate of the yard.",
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    timeout_s=PATIENCE_S,
)

type Handler = Callable[[Task], Awaitable[Mapping[str, Json]]]


async def answer(task: Task) -> Mapping[str, Json]:
    """Answer any task at once."""
    return {"tool": task.tool, "say": "Monday."}


class _Asked(Worker):
    """Does whatever the test says."""

    tools: ClassVar[tuple[ToolSpec, ...]] = ()

    def __init__(self, specs: Sequence[ToolSpec], host: Host) -> None:
        self.__dict__["tools"] = tuple(specs)
        self._host = host

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Note the task, and hand it on."""
        self._host.tasks.append(task)
        return await self._host.handler(task)


class Host:
    """One host of the house, with one worker on it; keeps port and key."""

    def __init__(self, trusted: str, worker_id: str = "shed") -> None:
        """Trust a house; `start` makes it reachable."""
        self.identity = Identity.generate()
        self.worker_id = worker_id
        self.handler: Handler = answer
        self.tasks: list[Task] = []
        self.port = 0
        self.ahead_s = 0.0
        self.trusted = trusted
        self._server: WorkerServer | None = None

    @property
    def url(self) -> str:
        """Return its base address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        """Return its public key."""
        return self.identity.public_key

    async def start(self, *specs: ToolSpec, version: str = "1.0") -> None:
        """Serve these tools, at the port of last time."""
        await self.stop()
        self._server = WorkerServer(
            self.worker_id,
            [_Asked(specs, self)],
            self.identity,
            [self.trusted],
            version=version,
            clock=lambda: time.time() + self.ahead_s,
        )
        self._server.app.on_response_prepare.append(self._tell_time)
        self.port = await self._server.start("127.0.0.1", self.port)

    async def _tell_time(self, _: web.Request, response: web.StreamResponse) -> None:
        response.headers["Date"] = formatdate(time.time() + self.ahead_s, usegmt=True)

    async def stop(self) -> None:
        """Refuse connections."""
        if self._server is not None:
            server, self._server = self._server, None
            await server.stop()

    def subentry(
        self,
        *pinned: ToolSpec,
        confirmed: Iterable[str] = (),
        title: str = "Garden shed",
    ) -> ConfigSubentryData:
        """Return what a person's enrolment of it leaves behind."""
        return ConfigSubentryData(
            data=MappingProxyType(
                {
                    CONF_URL: self.url,
                    CONF_PUBLIC_KEY: self.key,
                    CONF_TOOLS: {spec.name: spec_as_json(spec) for spec in pinned},
                    CONF_CONFIRMED: {spec.name: list(confirmed) for spec in pinned},
                }
            ),
            subentry_type=SUBENTRY_WORKER,
            title=title,
            unique_id=self.key,
        )


def changed(spec: ToolSpec, **values: Any) -> ToolSpec:
    """Return a specification that says something else."""
    return replace(spec, **values)


def registry_of(house: CaesarHouse) -> WorkerRegistry:
    """Return the house's registry."""
    registry: WorkerRegistry = house.entry.runtime_data.workers
    return registry


def status_of(house: CaesarHouse, host: Host) -> WorkerStatus:
    """Return the status of the worker with a host's key."""
    return next(s for s in registry_of(house).statuses() if s.public_key == host.key)


async def until(hass: HomeAssistant, is_so: Callable[[], bool], what: str) -> None:
    """Wait until something is so, at most 20 s; background tasks go on meanwhile."""
    for _ in range(400):
        if is_so():
            return
        await asyncio.sleep(0.05)
        await hass.async_block_till_done()
    raise AssertionError(what)


async def events_of(house: CaesarHouse, type_: str) -> list[dict[str, Any]]:
    """Return the payloads of a type's rows in the trail, oldest first."""

    def read() -> list[dict[str, Any]]:
        db = sqlite3.connect(f"file:{house.database}?mode=ro", uri=True)
        rows = db.execute(
            "SELECT payload FROM audit_log WHERE event_type = ? ORDER BY chain_seq",
            (type_,),
        ).fetchall()
        db.close()
        return [json.loads(row[0]) for row in rows]

    await house.hass.async_block_till_done()
    return await house.hass.async_add_executor_job(read)


async def settled(hass: HomeAssistant, house: CaesarHouse, *hosts: Host) -> None:
    """Wait until each host has been heard once."""
    await until(
        hass,
        lambda: all(
            status_of(house, host).last_seen or status_of(house, host).last_error
            for host in hosts
        ),
        "no hello",
    )
