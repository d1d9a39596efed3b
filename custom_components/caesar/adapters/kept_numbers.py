"""Numbers that only grow: counted in memory, kept in CAESAR's file."""

from abc import ABC, abstractmethod
import asyncio
from collections.abc import Callable, Collection
import logging

from homeassistant.core import HomeAssistant, callback

from ..audit.event import AuditUnavailable
from ..audit.store import Store
from .audit_log import HouseAuditLog

_LOGGER = logging.getLogger(__name__)


class KeptNumbers[K, R](ABC):
    """Reads once what was used before this start, then writes what has grown, by key.

    While the file can't be read, only what this run has used counts.
    """

    def __init__(self, hass: HomeAssistant, audit: HouseAuditLog, task: str) -> None:
        """Keep the numbers in this trail's file; `task` names what writes them."""
        self._hass = hass
        self._audit = audit
        self._task = task
        self._loaded = False
        self._loading = asyncio.Lock()
        self._waiting: set[K] = set()
        self._saving: asyncio.Task[None] | None = None

    async def async_start(self) -> None:
        """Read what was used before this start. Never raises."""
        try:
            await self._load()
        except AuditUnavailable as err:
            # It may be stopped before all of it has started.
            if not self._hass.is_stopping:
                _LOGGER.warning("What was used before can't be read yet: %s", err)

    async def async_stop(self) -> None:
        """Write what waits; call before the trail is closed. Never raises."""
        if self._saving is not None:
            # Not awaited itself: it may have been cancelled, which is no reason to stop.
            await asyncio.wait((self._saving,))
        await self._save()

    @abstractmethod
    def _reader(self) -> Callable[[Store], R]:
        """Return what reads the numbers, in the writer's thread."""

    @abstractmethod
    def _take(self, read: R) -> None:
        """Add what was read to what this run has counted."""

    @abstractmethod
    def _writer(self, keys: Collection[K]) -> Callable[[Store], None]:
        """Return what writes the numbers of these keys, in the writer's thread."""

    @callback
    def _grown(self, key: K) -> None:
        """Write the number of a key soon."""
        self._waiting.add(key)
        if self._saving is None or self._saving.done():
            self._saving = self._hass.async_create_task(
                self._save(), self._task, eager_start=False
            )

    async def _load(self) -> None:
        async with self._loading:
            if self._loaded:
                return
            self._take(await self._audit.async_work(self._reader()))
            self._loaded = True

    async def _save(self) -> None:
        """Write every number that has grown; what can't be written now waits."""
        while self._waiting:
            taken = set(self._waiting)
            try:
                # The numbers are whole only with what was used before this start.
                await self._load()
                self._waiting -= taken
                await self._audit.async_work(self._writer(taken))
            except asyncio.CancelledError:
                self._waiting |= taken
                raise
            except AuditUnavailable as err:
                _LOGGER.warning("What was used can't be written now: %s", err)
                self._waiting |= taken
                return
