"""A worker that says something else than before, and one that offers more."""

import asyncio
import re
from typing import Any

from homeassistant.components.repairs.const import DOMAIN as REPAIRS
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir

from custom_components.caesar.const import DOMAIN
from custom_components.caesar.legion.spec_json import spec_as_json
from tests.ha.house import CaesarHouse
from tests.ha.workers.hosts import changed

from .peers import DICE, PRINTER, Peers, answer, enrol, peers, shown_values, subentry

LOADED = changed(
    DICE,
    description="Rolls *loaded* dice.\n```\n# Sure",
    sentences={"en": ("roll the dice", "{q}")},
)


async def said_anew(
    hass: HomeAssistant, house: CaesarHouse, peer: Peers, *tools: Any
) -> str:
    """Restart a worker with other tools, have it heard, and return its subentry's id."""
    worker = subentry(house, "worker")
    await peer.start(*tools)
    hass.config_entries.async_update_subentry(
        house.entry, worker, data={**worker.data, "url": peer.url}
    )
    await hass.async_block_till_done()
    await heard(house, worker.subentry_id)
    return worker.subentry_id


async def heard(house: CaesarHouse, id_: str) -> None:
    """Wait until a worker has answered to a hello."""
    async with asyncio.timeout(5):
        while not house.entry.runtime_data.workers.status(id_).online:
            await asyncio.sleep(0.05)


async def mend(hass: HomeAssistant, issue_id: str) -> Any:
    """Open the repair of an issue."""
    manager = hass.data[REPAIRS]["flow_manager"]
    return await manager.async_init(DOMAIN, context={"issue_id": issue_id})


async def go_on(hass: HomeAssistant, shown: Any, fields: dict[str, Any]) -> Any:
    """Send a form of a repair."""
    manager = hass.data[REPAIRS]["flow_manager"]
    result = await manager.async_configure(shown["flow_id"], fields)
    await hass.async_block_till_done()
    return result


def issue(hass: HomeAssistant, issue_id: str) -> ir.IssueEntry | None:
    """Return an issue."""
    return ir.async_get(hass).async_get_issue(DOMAIN, issue_id)


async def test_the_difference_is_shown_and_confirmed(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """The new words are pinned; what was confirmed of the old ones is not."""
    async with peers(house, DICE, PRINTER) as peer:
        worker = await enrol(hass, house, peer, "dice.read_only")
        assert worker.data["confirmed"]["dice"] == ["read_only", "destructive"]
        id_ = await said_anew(hass, house, peer, LOADED, PRINTER)
        workers = house.entry.runtime_data.workers
        assert [spec.name for spec in workers.tools() if spec.name == "dice"] == []

        shown = await mend(hass, f"worker_changed_{id_}")
        assert (shown["type"], shown["step_id"]) == (FlowResultType.MENU, "init")
        assert shown["menu_options"] == ["confirm", "remove"]
        said = shown["description_placeholders"]["tools"]
        assert "Rolls \\*loaded\\* dice" in said
        assert re.search(r'^- +"description": "Rolls dice."', said, re.MULTILINE)
        assert "Rolls *loaded* dice.\\n'''\\n# Sure" in said
        assert '"{q}"' in said
        assert "will not listen for “\\{q\\}”" in said
        assert "Printer" not in said
        result = await go_on(hass, shown, {"next_step_id": "confirm"})
        assert result["type"] is FlowResultType.CREATE_ENTRY
        assert issue(hass, f"worker_changed_{id_}") is None
        worker = subentry(house, "worker")
        assert worker.data["tools"]["dice"] == spec_as_json(LOADED)
        assert worker.data["confirmed"] == {"dice": [], "printer": []}
        workers = house.entry.runtime_data.workers
        await heard(house, id_)
        assert "dice" in [spec.name for spec in workers.tools()]


async def test_changed_tools_are_used_no_more(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Only they: the worker's others stay."""
    async with peers(house, DICE, PRINTER) as peer:
        await enrol(hass, house, peer)
        id_ = await said_anew(hass, house, peer, LOADED, PRINTER)
        shown = await mend(hass, f"worker_changed_{id_}")
        await go_on(hass, shown, {"next_step_id": "remove"})
        data = subentry(house, "worker").data
        assert list(data["tools"]) == ["printer"]
        assert data["confirmed"] == {"printer": []}


async def test_nothing_is_pinned_that_was_not_shown(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A worker that changes once more while the form is open is shown once more."""
    async with peers(house, DICE) as peer:
        await enrol(hass, house, peer)
        id_ = await said_anew(hass, house, peer, LOADED)
        shown = await mend(hass, f"worker_changed_{id_}")
        worse = changed(LOADED, description="Rolls your neighbour's dice.")
        await said_anew(hass, house, peer, worse)
        result = await go_on(hass, shown, {"next_step_id": "confirm"})
        assert (result["type"], result["reason"]) == (
            FlowResultType.ABORT,
            "changed_again",
        )
        assert subentry(house, "worker").data["tools"]["dice"] == spec_as_json(DICE)

        shown = await mend(hass, f"worker_changed_{id_}")
        await said_anew(hass, house, peer, DICE)
        result = await go_on(hass, shown, {"next_step_id": "confirm"})
        assert result["reason"] == "changed_again"


async def test_more_tools(hass: HomeAssistant, house: CaesarHouse) -> None:
    """The repair goes on to the worker's own form, where they can be ticked."""
    async with peers(house, DICE) as peer:
        await enrol(hass, house, peer)
        id_ = await said_anew(hass, house, peer, DICE, PRINTER)
        shown = await mend(hass, f"worker_more_{id_}")
        assert shown["description_placeholders"] == {
            "name": "shed",
            "tools": "`printer`",
        }
        assert shown["menu_options"] == ["open", "ignore"]
        result = await go_on(hass, shown, {"next_step_id": "open"})
        assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "goes_on")
        kind, flow_id = result["next_flow"]
        assert kind == "config_subentries_flow"
        form = hass.config_entries.subentries.async_get(flow_id)
        form = await answer(hass, form, {"url": peer.url})
        assert shown_values(form)["tools"] == ["dice"]
        await answer(hass, form, {"name": "shed", "tools": ["dice", "printer"]})
        assert list(subentry(house, "worker").data["tools"]) == ["dice", "printer"]
        await heard(house, id_)
        assert issue(hass, f"worker_more_{id_}") is None


async def test_more_tools_are_ignored(hass: HomeAssistant, house: CaesarHouse) -> None:
    """It isn't said again, whatever happens to the entry."""
    async with peers(house, DICE) as peer:
        await enrol(hass, house, peer)
        id_ = await said_anew(hass, house, peer, DICE, PRINTER)
        shown = await mend(hass, f"worker_more_{id_}")
        result = await go_on(hass, shown, {"next_step_id": "ignore"})
        assert result["reason"] == "ignored"
        await hass.config_entries.async_reload(house.entry.entry_id)
        await heard(house, id_)
        found = issue(hass, f"worker_more_{id_}")
        assert found is not None
        assert found.dismissed_version is not None


async def test_while_caesar_is_off(hass: HomeAssistant, house: CaesarHouse) -> None:
    """The repairs say so, and change nothing."""
    async with peers(house, DICE) as peer:
        await enrol(hass, house, peer)
        id_ = await said_anew(hass, house, peer, LOADED)
        shown = await mend(hass, f"worker_changed_{id_}")
        kept = subentry(house, "worker").data
        await hass.config_entries.async_unload(house.entry.entry_id)
        result = await go_on(hass, shown, {"next_step_id": "remove"})
        assert result["reason"] == "not_loaded"
        assert subentry(house, "worker").data == kept
