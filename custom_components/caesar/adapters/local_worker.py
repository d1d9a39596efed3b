"""Keeps the local worker alive: one process, restarted with back-off, ended with us."""

import asyncio
from collections.abc import Awaitable, Callable
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import EVENT_HOMEASSISTANT_STOP
from homeassistant.core import CALLBACK_TYPE, Event, HassJob, HomeAssistant, callback
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.start import async_at_started

from ..const import CONF_BACKEND, SUBENTRY_CALENDAR, SUBENTRY_RECALL, RecallBackend
from . import worker_issues
from .local_settings import TOOLS_WITH_SETTINGS, environment_of
from .model_sdk import SdkUnavailable, install
from .worker_process import ProcessFailed, WorkerProcess
from .worker_registry import WorkerRegistry
from .worker_status import LOCAL

_LOGGER = logging.getLogger(__name__)

NAME: Final = "Local worker"
ALWAYS: Final = ("calculator",)
RECALL_TOOLS: Final = ("recall_memory", "semantic_recall")
BACKOFF_S: Final = 1.0
BACKOFF_MAX_S: Final = 300.0
# A process that lived as long is well: the next end is a first one again.
STABLE_S: Final = 120.0
REPAIR_AFTER: Final = 3


class LocalWorker:
    """The worker that needs no setting up: it runs beside Home Assistant."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        registry: WorkerRegistry,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        """Serve this entry's tools; clock and sleep are in seconds."""
        self._hass = hass
        self._entry = entry
        self._registry = registry
        self._clock = clock
        self._sleep = sleep
        self._process: WorkerProcess | None = None
        self._task: asyncio.Task[None] | None = None
        self._ends: CALLBACK_TYPE | None = None
        self._waits: CALLBACK_TYPE | None = None

    @property
    def pid(self) -> int | None:
        """Return the process id; None while there is no process."""
        return None if self._process is None else self._process.pid

    @callback
    def async_start(self) -> None:
        """Start the process once Home Assistant has started, and whenever it ends.

        Nothing waits for it, and its own start takes nothing away from the house's.
        """
        # Home Assistant stops without unloading its entries.
        self._ends = self._hass.bus.async_listen(
            EVENT_HOMEASSISTANT_STOP, self._async_house_stops
        )
        # May run to its end at once.
        self._waits = async_at_started(self._hass, self._async_begin)

    @callback
    def _async_begin(self, _hass: HomeAssistant) -> None:
        self._task = self._entry.async_create_background_task(
            self._hass, self._keep_alive(), "caesar local worker"
        )

    async def async_stop(self) -> None:
        """End the process, and start no other."""
        if self._ends is not None:
            self._ends()
            self._ends = None
        if self._waits is not None:
            self._waits()
            self._waits = None
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _async_house_stops(self, _event: Event) -> None:
        await self.async_stop()

    async def _keep_alive(self) -> None:
        for tool in TOOLS_WITH_SETTINGS:
            if self._entry.get_subentries_of_type(tool):
                await async_install_for(self._hass, tool)
        failures = 0
        while True:
            started = self._clock()
            try:
                why = await self._run()
            except Exception as err:
                # Nobody would start it again if this task ended.
                _LOGGER.exception("The local worker could not be run")
                why = f"a fault of CAESAR, {type(err).__name__}"
                self._registry.async_lose_local(why)
            failures = 1 if self._clock() - started >= STABLE_S else failures + 1
            _LOGGER.warning("The local worker ended (%s)", why)
            if failures >= REPAIR_AFTER:
                worker_issues.async_local_worker(self._hass, why)
            await self._sleep(min(BACKOFF_S * 2 ** (failures - 1), BACKOFF_MAX_S))

    async def _run(self) -> str:
        """Run one process to its end; return why it ended."""
        tools, settings = self._tools()
        try:
            process = await WorkerProcess.start(
                self._hass, tools, settings, self._registry.public_key
            )
        except ProcessFailed as err:
            self._registry.async_lose_local(str(err))
            return str(err)
        self._process = process
        settled = async_call_later(
            self._hass, STABLE_S, HassJob(self._is_well, cancel_on_shutdown=True)
        )
        self._tell_failed(tools, process)
        self._registry.async_set_local(NAME, process.ready.address)
        try:
            await self._registry.async_refresh(LOCAL)
            why = await process.wait()
        finally:
            settled()
            self._process = None
            await asyncio.shield(process.stop())
        self._registry.async_lose_local(why)
        return why

    @callback
    def _is_well(self, _now: object) -> None:
        worker_issues.async_local_worker(self._hass, None)

    def _tell_failed(self, tools: tuple[str, ...], process: WorkerProcess) -> None:
        failed = {
            tool: why for tool, why in process.ready.failed.items() if tool in tools
        }
        for tool in (*ALWAYS, *RECALL_TOOLS, *TOOLS_WITH_SETTINGS):
            worker_issues.async_local_tool(self._hass, tool, failed.get(tool))
            if tool in failed:
                _LOGGER.warning("%s can't be used: %s", tool, failed[tool])

    def _tools(self) -> tuple[tuple[str, ...], dict[str, str]]:
        tools, settings = list(ALWAYS), {}
        for kind in TOOLS_WITH_SETTINGS:
            for subentry in self._entry.get_subentries_of_type(kind):
                tools.append(kind)
                settings.update(environment_of(subentry))
        recall = self._entry.get_subentries_of_type(SUBENTRY_RECALL)
        if not any(each.data[CONF_BACKEND] == RecallBackend.OFF for each in recall):
            tools += RECALL_TOOLS
            for each in recall:
                settings.update(environment_of(each))
        return tuple(dict.fromkeys(tools)), settings


async def async_install_for(hass: HomeAssistant, tool: str) -> None:
    """Install the packages of a tool, the calendar's at Home Assistant's own version.

    Never raises: without them its start says so.
    """
    if tool != SUBENTRY_CALENDAR:
        return
    try:
        await install(hass, "caldav")
    except SdkUnavailable as err:
        _LOGGER.warning("What the calendar needs can't be installed: %s", err)
