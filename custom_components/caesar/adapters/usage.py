"""The meter of this house: tokens counted in memory, kept in CAESAR's file."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
import logging
import time

from homeassistant.core import HomeAssistant, callback

from ..audit.event import AuditUnavailable
from ..audit.store import Store
from ..audit.usage import put_usage, usage_of
from ..brain.meter import ModelCall, Room, total
from ..brain.provider import Usage
from ..sentinel.budget import Budget, Quota
from .audit_log import HouseAuditLog
from .spending import HouseSpending

_LOGGER = logging.getLogger(__name__)


class HouseMeter:
    """Implements the brain's `Meter`; what was used survives a restart.

    While the file can't be read, only what this run has used counts.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        audit: HouseAuditLog,
        limit: Callable[[str], int | None],
        on_used_up: Callable[[Quota], None],
        now: Callable[[], float] = time.time,
        on_nearly: Callable[[Quota], None] = lambda _: None,
        on_called: Callable[[ModelCall], None] = lambda _: None,
    ) -> None:
        """Ask `limit` for an agent's tokens a day; None means that there is none."""
        self._hass = hass
        self._audit = audit
        self._budget = Budget(limit, now, on_used_up, on_nearly)
        self._on_called = on_called
        self.spending = HouseSpending(hass, audit)
        self._loaded = False
        self._loading = asyncio.Lock()
        self._waiting: set[tuple[str, str]] = set()
        self._saving: asyncio.Task[None] | None = None

    async def async_start(self) -> None:
        """Read what was used before this start. Never raises."""
        await self._try_load()
        await self.spending.async_start()

    async def _try_load(self) -> None:
        try:
            await self._load()
        except AuditUnavailable as err:
            _LOGGER.warning("What was used today can't be read yet: %s", err)

    async def async_stop(self) -> None:
        """Write what waits; call before the trail is closed. Never raises."""
        if self._saving is not None:
            await self._saving
        await self._save()
        await self.spending.async_stop()

    async def room(self, agent_id: str) -> Room | None:
        """Return leave for one more round; None when the day's limit is used up."""
        if not self._loaded:
            await self._try_load()
        day = self._budget.room(agent_id)
        return None if day is None else Room(day=day)

    @callback
    def spend(self, agent_id: str, usage: Usage, room: Room) -> None:
        """Book what a round cost, on the day on which it began."""
        self._budget.spend(agent_id, room.day, total(usage))
        self._waiting.add((agent_id, room.day))
        if self._saving is None or self._saving.done():
            self._saving = self._hass.async_create_task(
                self._save(), "caesar usage", eager_start=False
            )

    @callback
    def called(self, call: ModelCall) -> None:
        """Hear of a round, whatever came of it."""
        self.spending.called(call)
        self._on_called(call)

    async def _load(self) -> None:
        async with self._loading:
            if self._loaded:
                return
            day = self._budget.day()

            def read(store: Store) -> dict[str, int]:
                return usage_of(store.database.connection, day)

            self._budget.load(day, await self._audit.async_work(read))
            self._loaded = True

    async def _save(self) -> None:
        """Write every number that has grown; what can't be written now waits."""
        while self._waiting:
            taken = set(self._waiting)
            try:
                # The numbers are whole only with what was used before this start.
                await self._load()
                self._waiting -= taken
                await self._audit.async_work(partial(_write, self._rows(taken)))
            except AuditUnavailable as err:
                _LOGGER.warning("What was used can't be written now: %s", err)
                self._waiting |= taken
                return

    def _rows(self, keys: Iterable[tuple[str, str]]) -> list[tuple[str, str, int]]:
        return [
            (agent_id, day, self._budget.used(agent_id, day)) for agent_id, day in keys
        ]


def _write(rows: list[tuple[str, str, int]], store: Store) -> None:
    for agent_id, day, tokens in rows:
        put_usage(store.database.connection, agent_id, day, tokens)
