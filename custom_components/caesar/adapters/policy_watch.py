"""Looks every hour whether the policy file, its names and the house still fit."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, Protocol

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.start import async_at_started

from . import policy_issues as issues
from .policy_file import PolicyFile
from .unknown_names import KnownTools, unknown_names

WATCH_EVERY: Final = timedelta(hours=1)


class EnrolledTools(KnownTools, Protocol):
    """The tools that people have added to the house, as they come and go."""

    def listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Call `listener` when they may have changed; return what ends that."""


class PolicyWatch:
    """Reports a file that was changed by hand, and names that mean nothing."""

    def __init__(
        self,
        hass: HomeAssistant,
        policy_file: PolicyFile,
        tools: EnrolledTools | None = None,
    ) -> None:
        """Watch this file; `tools` are those that don't come with CAESAR."""
        self._hass = hass
        self._file = policy_file
        self._tools = tools
        self._started = False
        self._stop: list[CALLBACK_TYPE] = []

    @callback
    def async_start(self) -> None:
        """Begin to watch; names are judged once Home Assistant has started."""
        self._stop = [
            self._file.async_listen(self._async_report),
            async_track_time_interval(
                self._hass, self._async_look, WATCH_EVERY, cancel_on_shutdown=True
            ),
            *([self._tools.listen(self._async_report)] if self._tools else ()),
            # Last: it may answer at once.
            async_at_started(self._hass, self._async_started),
        ]

    @callback
    def async_stop(self) -> None:
        """Stop watching."""
        while self._stop:
            self._stop.pop()()

    async def _async_look(self, _now: datetime) -> None:
        if not await self._file.async_is_changed():
            await self._file.async_try_names()
        self._async_report()

    @callback
    def _async_started(self, _hass: HomeAssistant) -> None:
        self._started = True
        self._async_report()

    @callback
    def _async_report(self) -> None:
        """Tell which names mean nothing, once all integrations had their time."""
        policy = self._file.loaded
        if not self._started or policy is None:
            return
        issues.async_unknown(
            self._hass,
            unknown_names(
                self._hass,
                policy.ids_named(),
                self._file.conditions.missing(),
                policy.places,
                self._tools,
            ),
        )
