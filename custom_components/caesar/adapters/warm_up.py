"""Has sentences read before anybody says one: the first would cost a second or two.

All of it happens in the background and after Home Assistant's start, which must not
wait for it.
"""

import asyncio
from collections.abc import Callable
import logging
from typing import Any, Final, Protocol

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.start import async_at_started

from ..legion.spec import ToolSpec

_LOGGER = logging.getLogger(__name__)

NAME: Final = "caesar prepare"


class Brain(Protocol):
    """What has sentences to read."""

    async def prepare(self, language: str) -> None:
        """Read the language's own sentences."""

    async def prepare_tools(self, language: str) -> None:
        """Read the sentences of the house's tools."""


class Registry(Protocol):
    """What knows the tools, and tells when that may have changed."""

    def enrolled(self) -> tuple[ToolSpec, ...]:
        """Return the tools of the house, also of workers that are away."""

    def listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Call `listener` whenever a worker changes; return what ends that."""


class WarmUp:
    """Prepares a brain once the house has started, and for each change of the tools."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        brain: Brain,
        registry: Registry,
    ) -> None:
        """Nothing happens before `async_start`."""
        self._hass = hass
        self._entry = entry
        self._brain = brain
        self._registry = registry
        self._changed = asyncio.Event()
        self._read: tuple[ToolSpec, ...] = ()

    @callback
    def async_start(self) -> None:
        """Begin once Home Assistant has started; all ends with the entry's unload."""
        self._entry.async_on_unload(self._registry.listen(self._look))
        # May run to its end at once.
        self._entry.async_on_unload(async_at_started(self._hass, self._begin))

    @callback
    def _begin(self, _hass: HomeAssistant) -> None:
        self._entry.async_create_background_task(self._hass, self._work(), NAME)

    @callback
    def _look(self) -> None:
        """Compare: a worker that only says hello changes nothing."""
        if self._registry.enrolled() != self._read:
            self._changed.set()

    async def _work(self) -> None:
        try:
            await self._brain.prepare(self._hass.config.language)
        except Exception:
            # It is read when somebody speaks, and fails before them if it must.
            _LOGGER.exception("The sentences could not be prepared")
        self._look()
        while await self._changed.wait():
            self._changed.clear()
            self._read = self._registry.enrolled()
            try:
                await self._brain.prepare_tools(self._hass.config.language)
            except Exception:
                # Workers wrote them; those of the next change are to be read all the same.
                _LOGGER.exception("The sentences of tools could not be prepared")
