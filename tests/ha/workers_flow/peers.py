"""Real workers on loopback, and what a person does in the forms about them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from email.utils import formatdate
import time
from typing import Any, ClassVar

from aiohttp import web
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigSubentry,
    SubentryFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.legion.worker import Task, Worker
from tests.ha.house import CaesarHouse

POLICY = "version: 1\nallowed_services:\n  - light.turn_on\n"
DICE = ToolSpec(
    name="dice",
    title="Dice",
    description="Rolls dice.",
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    annotations=Annotations(
        read_only=True,
        destructive=False,
        idempotent=False,
        open_world=False,
        private_data=False,
        untrusted_result=False,
    ),
    sentences={"en": ("roll the dice",)},
)
PRINTER = ToolSpec(
    name="printer",
    title="Printer",
    description="Prints a text.",
    input_schema={"type": "object"},
)


class Peer(Worker):
    """Offers what it is given, and does nothing."""

    tools: ClassVar[tuple[ToolSpec, ...]] = ()

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        """Offer these."""
        self.offered = tuple(tools)
        # What a class declares once differs from test to test here.
        self.__dict__["tools"] = self.offered

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Answer anything."""
        return {"task": task.tool}


class Peers:
    """Workers of one host: each is started where the last one was."""

    def __init__(self, trusted: str) -> None:
        """Trust this house."""
        self.identity = Identity.generate()
        self.trusted = trusted
        self.url = ""
        self._server: WorkerServer | None = None

    @property
    def key(self) -> str:
        """Return the workers' key."""
        return self.identity.public_key

    async def start(
        self, *tools: ToolSpec, ahead_s: float = 0, worker_id: str = "shed"
    ) -> None:
        """Serve these tools, with a clock that is so many seconds ahead."""
        await self.stop()
        self._server = WorkerServer(
            worker_id,
            [Peer(tools)],
            self.identity,
            [self.trusted],
            version="1.2",
            clock=lambda: time.time() + ahead_s,
        )

        async def tell_time(_: web.Request, response: web.StreamResponse) -> None:
            response.headers["Date"] = formatdate(time.time() + ahead_s, usegmt=True)

        self._server.app.on_response_prepare.append(tell_time)
        port = await self._server.start("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{port}"

    async def stop(self) -> None:
        """Serve nothing."""
        if self._server is not None:
            await self._server.stop()
            self._server = None


@asynccontextmanager
async def peers(house: CaesarHouse, *tools: ToolSpec) -> AsyncIterator[Peers]:
    """Start a worker that trusts the house."""
    started = Peers(house.entry.runtime_data.workers.public_key)
    try:
        await started.start(*tools)
        yield started
    finally:
        await started.stop()


async def begin(
    hass: HomeAssistant, house: CaesarHouse, kind: str
) -> SubentryFlowResult:
    """Open the form that adds something."""
    return await hass.config_entries.subentries.async_init(
        (house.entry.entry_id, kind), context={"source": SOURCE_USER}
    )


async def to_tools(
    hass: HomeAssistant, house: CaesarHouse, peer: Peers
) -> SubentryFlowResult:
    """Go to the page that shows what a worker brings."""
    shown = await begin(hass, house, "worker")
    if shown["type"] is FlowResultType.MENU:
        # Some other worker announces itself on this machine.
        shown = await answer(hass, shown, {"next_step_id": "by_hand"})
    return await answer(hass, shown, {"url": peer.url, "public_key": peer.key})


async def enrol(
    hass: HomeAssistant, house: CaesarHouse, peer: Peers, *ticks: str
) -> ConfigSubentry:
    """Add a worker with all its tools, confirm some of what they claim."""
    shown = await to_tools(hass, house, peer)
    values = shown_values(shown)
    shown = await answer(hass, shown, values | {"confirmed": list(ticks)})
    if shown.get("step_id") == "rule":
        await answer(hass, shown, {"rule": "nothing"})
    return subentry(house, "worker")


async def change(
    hass: HomeAssistant, house: CaesarHouse, subentry: ConfigSubentry
) -> SubentryFlowResult:
    """Open the form that changes something."""
    return await hass.config_entries.subentries.async_init(
        (house.entry.entry_id, subentry.subentry_type),
        context={"source": SOURCE_RECONFIGURE, "subentry_id": subentry.subentry_id},
    )


async def answer(
    hass: HomeAssistant, shown: SubentryFlowResult, fields: dict[str, Any]
) -> SubentryFlowResult:
    """Send a form and return what comes next."""
    result = await hass.config_entries.subentries.async_configure(
        shown["flow_id"], fields
    )
    await hass.async_block_till_done()
    return result


def subentry(house: CaesarHouse, kind: str) -> ConfigSubentry:
    """Return the only subentry of a kind."""
    (found,) = house.entry.get_subentries_of_type(kind)
    return found


def shown_values(shown: SubentryFlowResult) -> dict[str, Any]:
    """Return what a form holds when it opens."""
    schema = shown["data_schema"]
    assert schema is not None
    return {
        field.schema: field.description["suggested_value"]
        for field in schema.schema
        if field.description and "suggested_value" in field.description
    }


def renamed(spec: ToolSpec, **values: Any) -> ToolSpec:
    """Return a tool that says something else."""
    return replace(spec, **values)
