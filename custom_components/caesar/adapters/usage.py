"""The meter of this house: tokens counted in memory, kept in CAESAR's file."""

from collections.abc import Callable, Collection
from functools import partial
import time
from typing import override

from homeassistant.core import HomeAssistant, callback

from ..audit.store import Store
from ..audit.usage import put_usage, usage_of
from ..brain.meter import ModelCall, Room, total
from ..brain.provider import Usage
from ..sentinel.budget import Budget, Quota
from .audit_log import HouseAuditLog
from .kept_numbers import KeptNumbers
from .spending import HouseSpending

# An agent and a UTC day; a day and its tokens by agent.
type _Key = tuple[str, str]
type _Used = tuple[str, dict[str, int]]


class HouseMeter(KeptNumbers[_Key, _Used]):
    """Implements the brain's `Meter`; what was used survives a restart."""

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
        super().__init__(hass, audit, "caesar usage")
        self._budget = Budget(limit, now, on_used_up, on_nearly)
        self._on_called = on_called
        self.spending = HouseSpending(hass, audit)

    @override
    async def async_start(self) -> None:
        await super().async_start()
        await self.spending.async_start()

    @override
    async def async_stop(self) -> None:
        await super().async_stop()
        await self.spending.async_stop()

    async def room(self, agent_id: str) -> Room | None:
        """Return leave for one more round; None when the day's limit is used up."""
        if not self._loaded:
            await super().async_start()
        day = self._budget.room(agent_id)
        return None if day is None else Room(day=day)

    @callback
    def spend(self, agent_id: str, usage: Usage, room: Room) -> None:
        """Book what a round cost, on the day on which it began."""
        self._budget.spend(agent_id, room.day, total(usage))
        self._grown((agent_id, room.day))

    @callback
    def called(self, call: ModelCall) -> None:
        """Hear of a round, whatever came of it."""
        self.spending.called(call)
        self._on_called(call)

    @override
    def _reader(self) -> Callable[[Store], _Used]:
        day = self._budget.day()
        return lambda store: (day, usage_of(store.database.connection, day))

    @override
    def _take(self, read: _Used) -> None:
        self._budget.load(*read)

    @override
    def _writer(self, keys: Collection[_Key]) -> Callable[[Store], None]:
        rows = [
            (agent_id, day, self._budget.used(agent_id, day)) for agent_id, day in keys
        ]
        return partial(_write, rows)


def _write(rows: list[tuple[str, str, int]], store: Store) -> None:
    for agent_id, day, tokens in rows:
        put_usage(store.database.connection, agent_id, day, tokens)
