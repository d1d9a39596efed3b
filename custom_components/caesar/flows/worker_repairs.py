"""Repairs of workers that need a person: other words than were pinned, and new tools."""

from collections.abc import Sequence
from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.components.repairs.const import FlowType
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigEntry,
    ConfigSubentry,
    SubentryFlowContext,
)
from homeassistant.helpers import issue_registry as ir

from ..adapters.worker_pins import Difference
from ..adapters.worker_status import WorkerStatus
from ..const import CONF_CONFIRMED, CONF_PUBLIC_KEY, CONF_TOOLS, DOMAIN, SUBENTRY_WORKER
from ..legion.canonical import Json
from ..legion.spec import ToolSpec
from ..legion.spec_json import SpecError, spec_from_json
from ..runtime import CaesarRuntime
from ..wording import Wording, async_wording, plain
from .steps import user_id_at_form
from .worker_words import described, difference, sentence_notes


class _WorkerRepair(RepairsFlow):
    """The base of repairs that are about one worker of the house."""

    def __init__(self, subentry_id: str) -> None:
        """Be about this worker."""
        self._subentry_id = subentry_id

    @property
    def entry(self) -> ConfigEntry[CaesarRuntime] | None:
        """Return the entry, while it is loaded and has this worker."""
        for entry in self.hass.config_entries.async_loaded_entries(DOMAIN):
            if self._subentry_id in entry.subentries:
                return entry
        return None

    @property
    def status(self) -> WorkerStatus | None:
        """Return how the worker is; None if it isn't part of a running house."""
        entry = self.entry
        found = entry.runtime_data.workers.statuses() if entry else ()
        return next((each for each in found if each.id == self._subentry_id), None)


class ChangedWorkerFlow(_WorkerRepair):
    """Shows what a worker says otherwise than before; confirms it, or ends its use."""

    _shown: tuple[Difference, ...] = ()

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Show the lines that differ, and ask."""
        status = self.status
        if status is None:
            return self.async_abort(reason="not_loaded")
        if not status.changed:
            return self.async_abort(reason="not_changed")
        self._shown = tuple(status.changed.values())
        wording = await async_wording(self.hass, self.hass.config.language)
        return self.async_show_menu(
            step_id="init",
            menu_options=["confirm", "remove"],
            description_placeholders={
                "name": plain(status.name),
                "tools": await self.hass.async_add_executor_job(
                    _changes, wording, self._shown
                ),
            },
        )

    async def async_step_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Pin what was shown, unless the worker says something else by now.

        What was confirmed of the tool as it was is not true of the tool as it is.
        """
        status, entry = self.status, self.entry
        if status is None or entry is None:
            return self.async_abort(reason="not_loaded")
        if tuple(status.changed.values()) != self._shown:
            return self.async_abort(reason="changed_again")
        subentry = entry.subentries[self._subentry_id]
        pins, confirmed = _pins(subentry)
        for each in self._shown:
            pins[each.tool] = each.declared
            confirmed[each.tool] = []
        return self._keep(entry, subentry, pins, confirmed)

    async def async_step_remove(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Use the changed tools no more; the worker's others stay."""
        entry = self.entry
        if entry is None:
            return self.async_abort(reason="not_loaded")
        subentry = entry.subentries[self._subentry_id]
        pins, confirmed = _pins(subentry)
        for each in self._shown:
            pins.pop(each.tool, None)
            confirmed.pop(each.tool, None)
        return self._keep(entry, subentry, pins, confirmed)

    def _keep(
        self,
        entry: ConfigEntry[CaesarRuntime],
        subentry: ConfigSubentry,
        pins: dict[str, Any],
        confirmed: dict[str, Any],
    ) -> RepairsFlowResult:
        entry.runtime_data.workers.tell_pinned(
            str(subentry.data[CONF_PUBLIC_KEY]), pins, user_id_at_form()
        )
        self.hass.config_entries.async_update_subentry(
            entry,
            subentry,
            data={**subentry.data, CONF_TOOLS: pins, CONF_CONFIRMED: confirmed},
        )
        return self.async_create_entry(data={})


class MoreToolsFlow(_WorkerRepair):
    """Goes on to the form of a worker, where its new tools can be chosen."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Say what is new, and ask what to do."""
        status = self.status
        if status is None:
            return self.async_abort(reason="not_loaded")
        return self.async_show_menu(
            step_id="init",
            menu_options=["open", "ignore"],
            description_placeholders={
                "name": plain(status.name),
                "tools": ", ".join(f"`{tool}`" for tool in status.more),
            },
        )

    async def async_step_ignore(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Say nothing more of it."""
        return ignored(self)

    async def async_step_open(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Open the form."""
        entry = self.entry
        if entry is None:
            return self.async_abort(reason="not_loaded")
        context = SubentryFlowContext(
            source=SOURCE_RECONFIGURE, subentry_id=self._subentry_id
        )
        return await async_go_on(self, entry, context)


async def async_go_on(
    flow: RepairsFlow,
    entry: ConfigEntry,
    context: SubentryFlowContext,
    data: dict[str, str] | None = None,
    form_of: str = SUBENTRY_WORKER,
) -> RepairsFlowResult:
    """End a repair and go on to the form of a subentry, which begins with `data`."""
    form = await flow.hass.config_entries.subentries.async_init(
        (entry.entry_id, form_of), context=context, data=data
    )
    return flow.async_abort(
        reason="goes_on", next_flow=(FlowType.CONFIG_SUBENTRIES_FLOW, form["flow_id"])
    )


def ignored(flow: RepairsFlow) -> RepairsFlowResult:
    """End a repair, and have its issue ignored.

    Home Assistant's dialog of a repair that can be mended has no button for that.
    """
    ir.async_ignore_issue(flow.hass, DOMAIN, flow.issue_id, True)
    return flow.async_abort(reason="ignored")


def _pins(subentry: ConfigSubentry) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return copies of a worker's pins and of what was confirmed of them."""
    data = subentry.data
    return dict(data.get(CONF_TOOLS, {})), dict(data.get(CONF_CONFIRMED, {}))


def _changes(wording: Wording, changes: Sequence[Difference]) -> str:
    """Return each tool as it is now, and the lines in which it is not what it was.

    Takes up to a tenth of a second for each language of a tool: for an executor.
    """
    return "\n\n".join(_change(wording, each) for each in changes)


def _change(wording: Wording, change: Difference) -> str:
    old, new = _spec(change.pinned), _spec(change.declared)
    if new is None:
        return ""
    now = described(wording, [new], sentence_notes(wording, [new]))
    return f"{now}\n\n{difference(old, new)}"


def _spec(said: Json) -> ToolSpec | None:
    try:
        return spec_from_json(said)
    except SpecError:
        return None
