"""Real workers on loopback, and what a person does in the forms about them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigSubentry,
    SubentryFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from custom_components.caesar.legion.spec import Annotations, ToolSpec
from tests.ha.house import CaesarHouse
from tests.ha.workers.hosts import Host

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


class Peers(Host):
    """A host whose workers are each started at another port."""

    async def start(
        self,
        *specs: ToolSpec,
        version: str = "1.2",
        ahead_s: float = 0,
        worker_id: str = "shed",
    ) -> None:
        """Serve these tools, with a clock that is so many seconds ahead."""
        self.port, self.ahead_s, self.worker_id = 0, ahead_s, worker_id
        await super().start(*specs, version=version)


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
