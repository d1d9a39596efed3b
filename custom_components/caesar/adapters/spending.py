"""What this house's models were used for: counted in memory, kept in CAESAR's file."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from functools import partial
from typing import Final, override

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.util import dt as dt_util

from ..audit.store import Store
from ..audit.usage_parts import PartRow, parts_since, put_parts
from ..brain.meter import ModelCall
from ..brain.spending import Place, Spending, Spent, quarter_of, spent_of
from .audit_log import HouseAuditLog
from .kept_numbers import KeptNumbers

# A month that a call of its last minutes may still be booked on.
_KEPT: Final = timedelta(days=32)


def today() -> datetime:
    """Return when the day of this house began, in its own time."""
    return dt_util.start_of_local_day()


def this_month() -> datetime:
    """Return when the month of this house began, in its own time."""
    return dt_util.start_of_local_day(dt_util.now().date().replace(day=1))


class HouseSpending(KeptNumbers[Place, list[PartRow]]):
    """Counts every call of a model by agent, model and quarter of an hour."""

    def __init__(self, hass: HomeAssistant, audit: HouseAuditLog) -> None:
        """Keep the numbers in this trail's file."""
        super().__init__(hass, audit, "caesar spending")
        self._spending = Spending()
        self._listeners: list[Callable[[], None]] = []

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
        self._grown(place)
        for listener in tuple(self._listeners):
            listener()

    @callback
    def since(self, agent_id: str, moment: datetime) -> Spent:
        """Return what an agent has used from a moment of this month on."""
        return self._spending.since(agent_id, quarter_of(moment))

    @override
    def _reader(self) -> Callable[[Store], list[PartRow]]:
        oldest = quarter_of(dt_util.utcnow() - _KEPT)
        return lambda store: parts_since(store.database.connection, oldest)

    @override
    def _take(self, read: list[PartRow]) -> None:
        self._spending.load({_place(row): _spent(row) for row in read})

    @override
    def _writer(self, keys: Collection[Place]) -> Callable[[Store], None]:
        return partial(_write, [self._row(place) for place in sorted(keys)])

    @override
    async def _save(self) -> None:
        await super()._save()
        if not self._waiting:
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
