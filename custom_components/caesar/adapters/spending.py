"""What this house's models were used for: counted in memory, kept in CAESAR's file."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
import logging
from typing import Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util import dt as dt_util

from ..audit.event import AuditUnavailable
from ..audit.store import Store
from ..audit.usage_parts import PartRow, parts_since, put_parts
from ..brain.meter import ModelCall
from ..brain.spending import Place, Spending, Spent, quarter_of, spent_of
from .audit_log import HouseAuditLog

_LOGGER = logging.getLogger(__name__)

# A month that a call of its last minutes may still be booked on.
_KEPT: Final = timedelta(days=32)


def today() -> datetime:
    """Return when the day of this house began, in its own time."""
    return dt_util.start_of_local_day()


def this_month() -> datetime:
    """Return when the month of this house began, in its own time."""
    return dt_util.start_of_local_day(dt_util.now().date().replace(day=1))


class HouseSpending:
    """Counts every call of a model by agent, model and quarter of an hour.

    While the file can't be read, only what this run has used counts.
    """

    def __init__(self, hass: HomeAssistant, audit: HouseAuditLog) -> None:
        """Keep the numbers in this trail's file."""
        self._hass = hass
        self._audit = audit
        self._spending = Spending()
        self._loaded = False
        self._loading = asyncio.Lock()
        self._waiting: set[Place] = set()
        self._saving: asyncio.Task[None] | None = None
        self._listeners: list[Callable[[], None]] = []

    async def async_start(self) -> None:
        """Read what was used this month before this start. Never raises."""
        try:
            await self._load()
        except AuditUnavailable as err:
            _LOGGER.warning("What was used before can't be read yet: %s", err)

    async def async_stop(self) -> None:
        """Write what waits; call before the trail is closed. Never raises."""
        if self._saving is not None:
            await self._saving
        await self._save()

    @callback
    def async_listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Call `listener` whenever a model was used; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @callback
    def called(self, call: ModelCall) -> None:
        """Count a call at the time at which it ended."""
        place = Place(
            agent_id=call.turn.caller.agent_id,
            model=f"{call.provider}/{call.model}",
            quarter=quarter_of(dt_util.utcnow()),
        )
        self._spending.add(
            place, spent_of(call.usage, estimated=call.estimated, cost=call.cost)
        )
        self._waiting.add(place)
        if self._saving is None or self._saving.done():
            self._saving = self._hass.async_create_task(
                self._save(), "caesar spending", eager_start=False
            )
        for listener in tuple(self._listeners):
            listener()

    @callback
    def since(self, agent_id: str, moment: datetime) -> Spent:
        """Return what an agent has used from a moment of this month on."""
        return self._spending.since(agent_id, quarter_of(moment))

    async def _load(self) -> None:
        async with self._loading:
            if self._loaded:
                return
            oldest = quarter_of(dt_util.utcnow() - _KEPT)

            def read(store: Store) -> list[PartRow]:
                return parts_since(store.database.connection, oldest)

            rows = await self._audit.async_work(read)
            self._spending.load({_place(row): _spent(row) for row in rows})
            self._loaded = True

    async def _save(self) -> None:
        """Write every number that has grown; what can't be written now waits."""
        while self._waiting:
            taken = set(self._waiting)
            try:
                # The numbers are whole only with what was used before this start.
                await self._load()
                self._waiting -= taken
                rows = [self._row(place) for place in sorted(taken)]
                await self._audit.async_work(partial(_write, rows))
            except AuditUnavailable as err:
                _LOGGER.warning("What was used can't be written now: %s", err)
                self._waiting |= taken
                return
        self._spending.forget_before(quarter_of(dt_util.utcnow() - _KEPT))

    def _row(self, place: Place) -> PartRow:
        values = self._spending.at(place).values
        return (place.agent_id, place.model, place.quarter, *values)


def _write(rows: list[PartRow], store: Store) -> None:
    put_parts(store.database.connection, rows)


def _place(row: PartRow) -> Place:
    agent_id, model, quarter, *_ = row
    return Place(agent_id=agent_id, model=model, quarter=quarter)


def _spent(row: PartRow) -> Spent:
    _, _, _, *numbers = row
    *counts, cost = numbers
    calls, given, written, read, put, estimated, priced = map(int, counts)
    return Spent(
        calls=calls,
        input_tokens=given,
        output_tokens=written,
        cache_read_tokens=read,
        cache_write_tokens=put,
        estimated=estimated,
        priced=priced,
        cost=float(cost),
    )
