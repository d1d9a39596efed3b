"""Which workers there are, whether they are well, and which tools that makes.

Home Assistant dials: it says hello to each worker every 30 s. There is nothing in the
house that a worker could flood.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.util import dt as dt_util

from ..audit.event import AuditEventType
from ..const import CONF_PUBLIC_KEY, CONF_URL, SUBENTRY_WORKER
from ..legion.errors import LegionCode, LegionError
from ..legion.messages import WorkerAddress, WorkerClient, WorkerHealth
from ..legion.spec import ToolSpec
from ..sentinel.capability import ToolStanding
from . import worker_issues
from .worker_offers import Objection, Offers
from .worker_pins import read_pins, trusted_pins
from .worker_record import Record, is_taken
from .worker_status import LOCAL, WorkerStatus
from .worker_trail import WorkerTrail

_LOGGER = logging.getLogger(__name__)

HELLO_EVERY: Final = timedelta(seconds=30)
HELLO_S: Final = 10.0
# A worker that is restarted or updated is no case for a repair.
AWAY_AFTER_S: Final = 300.0
GOODBYE_S: Final = 1.0
# Answers that a worker in good health and good faith never gives. Something too large
# may have been ours, if it was not accepted.
ALWAYS_HOSTILE: Final = frozenset({LegionCode.BAD_REPLY, LegionCode.BAD_SIGNATURE})
HOSTILE: Final = ALWAYS_HOSTILE | {LegionCode.TOO_LARGE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A worker that can carry out a tool now; `id` is the registry's."""

    id: str
    worker_id: str
    address: WorkerAddress
    spec: ToolSpec


class WorkerRegistry:
    """The workers of this house: those that were enrolled, and the local one."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry[Any],
        client: WorkerClient,
        trail: WorkerTrail,
        *,
        public_key: str,
        clock: Callable[[], float],
    ) -> None:
        """Know this entry's workers; the clock is in seconds, `public_key` ours."""
        self._hass = hass
        self._entry = entry
        self._client = client
        self._trail = trail
        self.tell_pinned: Final = trail.pinned
        self._clock = clock
        self.public_key: Final = public_key
        self._records: dict[str, Record] = {}
        self._offers = Offers()
        self._listeners: set[Callable[[], None]] = set()
        self._stop_timer: CALLBACK_TYPE | None = None
        self._stopped = False

    async def async_start(self) -> None:
        """Learn the enrolled workers, and say hello to them from now on.

        Nothing waits for the first hello: a worker that is away must not hold up Home
        Assistant's start.
        """
        now = self._clock()
        for subentry in self._entry.get_subentries_of_type(SUBENTRY_WORKER):
            pins, refused = read_pins(subentry.data)
            self._records[subentry.subentry_id] = Record(
                id=subentry.subentry_id,
                name=subentry.title,
                address=WorkerAddress(
                    url=subentry.data[CONF_URL],
                    public_key=subentry.data[CONF_PUBLIC_KEY],
                ),
                pins=pins,
                refused=refused,
                since=now,
            )
        await self._offers.async_load(self._hass)
        self._agree()
        self._stop_timer = async_track_time_interval(
            self._hass,
            self._tick,
            HELLO_EVERY,
            name="caesar workers",
            cancel_on_shutdown=True,
        )
        self._spawn()

    async def async_stop(self) -> None:
        """Say hello no more, and goodbye to those that are well."""
        self._stopped = True
        if self._stop_timer is not None:
            self._stop_timer()
        await asyncio.gather(
            *(
                self._goodbye(record)
                for record in self._records.values()
                if record.online and record.id != LOCAL
            )
        )
        for id_ in self._records:
            worker_issues.async_forget(self._hass, id_)

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that can be called now, with the annotations that count."""
        return tuple(
            spec
            for name, spec in self._offers.specs.items()
            if any(record.serves(name) for record in self._records.values())
        )

    def enrolled(self) -> tuple[ToolSpec, ...]:
        """Return all tools that the house has, also of workers that are away."""
        return tuple(self._offers.specs.values())

    def spec(self, name: str) -> ToolSpec | None:
        """Return an enrolled tool, whether or not its worker is well."""
        return self._offers.specs.get(name)

    def standing(self, tool: str) -> ToolStanding:
        """Return whether a tool may be called, and can be."""
        holders = [r for r in self._records.values() if tool in r.pins]
        if any(record.serves(tool) for record in holders):
            return ToolStanding.SERVED
        if tool in self._offers.specs:
            changed = all(
                tool in record.declared.changed
                for record in holders
                if tool not in record.refused
            )
            return ToolStanding.CHANGED if changed else ToolStanding.AWAY
        refused = any(tool in record.refused for record in self._records.values())
        return ToolStanding.REFUSED if refused else ToolStanding.UNKNOWN

    def well(self, tool: str) -> tuple[Serving, ...]:
        """Return the workers that can carry out a tool now, always in one order."""
        return tuple(
            Serving(
                id=record.id,
                worker_id=record.worker_id or "",
                address=record.address,
                spec=record.pins[tool].spec,
            )
            for record in self._records.values()
            if record.serves(tool)
        )

    def statuses(self) -> tuple[WorkerStatus, ...]:
        """Return what there is to say of every worker."""
        return tuple(record.status() for record in self._records.values())

    def status(self, id_: str) -> WorkerStatus | None:
        """Return what there is to say of one worker, by the registry's id."""
        record = self._records.get(id_)
        return None if record is None else record.status()

    def objection(self, spec: ToolSpec) -> Objection | None:
        """Return why a tool would not be used if it were enrolled."""
        return self._offers.objection(spec, self._records.values())

    @callback
    def listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Call `listener` whenever a worker changes; return what ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    async def async_probe(self, address: WorkerAddress) -> WorkerHealth:
        """Say hello to a worker that isn't enrolled. Raises LegionError."""
        return await self._hello(address)

    async def async_refresh(self, id_: str) -> None:
        """Say hello to an enrolled worker now."""
        if (record := self._records.get(id_)) is not None:
            await self._ask(record)

    async def async_refresh_all(self) -> None:
        """Say hello to every worker, side by side."""
        await asyncio.gather(*(self._ask(r) for r in list(self._records.values())))

    @callback
    def async_set_local(self, name: str, address: WorkerAddress) -> None:
        """Take the local worker in, once its process says where it listens.

        A new process has a new key, and is pinned anew: it comes from our own files.
        """
        record = Record(id=LOCAL, name=name, address=address, since=self._clock())
        others = {id_: r for id_, r in self._records.items() if id_ != LOCAL}
        # First, so that a remote worker has to be like it and not the reverse.
        self._records = {LOCAL: record, **others}
        self._changed()

    @callback
    def async_lose_local(self, why: str) -> None:
        """Take in that the local process has ended."""
        if (record := self._records.get(LOCAL)) is not None:
            record.lose(why)
            self._after(record, was_online=True)

    @callback
    def async_failed(self, id_: str, err: LegionError, decision_id: str) -> None:
        """Take in that a dispatch to a worker failed."""
        if (record := self._records.get(id_)) is not None:
            self._missed(record, err, decision_id)

    @callback
    def async_deceived(self, id_: str, reason: str, decision_id: str) -> None:
        """Take in that a worker's signed answer was not the answer to the question."""
        if (record := self._records.get(id_)) is None:
            return
        was = record.online
        record.lose(f"its answer is not to be trusted ({reason})")
        self._reject(record, reason, decision_id)
        self._after(record, was_online=was)

    @callback
    def _tick(self, _now: datetime) -> None:
        self._spawn()

    def _spawn(self) -> None:
        self._entry.async_create_background_task(
            self._hass, self.async_refresh_all(), "caesar hello"
        )

    async def _hello(self, address: WorkerAddress) -> WorkerHealth:
        try:
            async with asyncio.timeout(HELLO_S):
                return await self._client.health(address)
        except TimeoutError:
            raise LegionError(
                LegionCode.TIMEOUT, "it did not answer in time", accepted=False
            ) from None

    async def _ask(self, record: Record) -> None:
        """Say hello to a worker; if that is being done, wait until it is."""
        if record.asking.locked():
            async with record.asking:
                return
        async with record.asking:
            try:
                health = await self._hello(record.address)
            except LegionError as err:
                if self._knows(record):
                    self._missed(record, err, "")
            else:
                if self._knows(record):
                    self._heard(record, health)

    def _knows(self, record: Record) -> bool:
        """Return whether a record still counts: processes come and go."""
        return not self._stopped and self._records.get(record.id) is record

    def _heard(self, record: Record, health: WorkerHealth) -> None:
        was, before = record.online, record.declared
        if is_taken(record, health.worker_id, self._records.values()):
            self._disown(record, health.worker_id)
            return
        for other in list(self._records.values()):
            if other is not record and other.worker_id == health.worker_id:
                self._disown(other, health.worker_id)
        if record.id == LOCAL and not record.pins:
            record.pins = trusted_pins(health.tools)
            self._agree()
        record.hear(health, self._clock(), dt_util.utcnow())
        if record.declared != before:
            self._say_declared(record)
        self._after(record, was_online=was)

    def _disown(self, record: Record, worker_id: str) -> None:
        """Take a worker that calls itself like another one for away."""
        was, record.worker_id = record.online, None
        record.lose(f"it calls itself {worker_id}, like another worker")
        self._reject(record, "worker_id")
        self._after(record, was_online=was)

    def _missed(self, record: Record, err: LegionError, decision_id: str) -> None:
        was = record.online
        record.miss(err, self._clock())
        if err.code in HOSTILE and (err.accepted or err.code in ALWAYS_HOSTILE):
            self._reject(record, err.code.value, decision_id)
        self._after(record, was_online=was)

    def _say_declared(self, record: Record) -> None:
        declared = record.declared
        if declared.changed:
            self._reject(record, "changed", tools=sorted(declared.changed))
        if declared.more:
            self._reject(record, "not_enrolled", tools=sorted(declared.more))

    def _reject(
        self,
        record: Record,
        reason: str,
        decision_id: str = "",
        tools: Iterable[str] = (),
    ) -> None:
        _LOGGER.warning("The worker %s is refused: %s", record.name, reason)
        self._trail.tell(
            AuditEventType.WORKER_REJECTED,
            record.id,
            {
                "worker_id": record.worker_id,
                "address": record.address.url,
                "tools": list(tools)[:20],
            },
            reason=reason,
            decision_id=decision_id,
        )

    def _after(self, record: Record, *, was_online: bool) -> None:
        """Tell people and the trail how a worker is now."""
        if record.online != was_online:
            _LOGGER.info(
                "The worker %s is %s", record.name, "well" if record.online else "away"
            )
            self._trail.tell(
                AuditEventType.WORKER_HELLO
                if record.online
                else AuditEventType.WORKER_OFFLINE,
                record.id,
                {
                    "worker_id": record.worker_id,
                    "address": record.address.url,
                    "public_key": record.address.public_key,
                    "version": record.version,
                    "capabilities": list(record.status().tools),
                    "error": record.last_error,
                },
            )
        if record.id != LOCAL:
            worker_issues.async_show(
                self._hass,
                record.status(),
                away=record.away_for(self._clock()) > AWAY_AFTER_S,
            )
        self._changed()

    def _agree(self) -> None:
        for name, why in self._offers.agree(self._records.values()):
            _LOGGER.warning("The tool %s will not be used: %s", name, why)

    @callback
    def _changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()

    async def _goodbye(self, record: Record) -> None:
        try:
            async with asyncio.timeout(GOODBYE_S):
                await self._client.goodbye(record.address, "unloaded")
        except (LegionError, TimeoutError) as err:
            _LOGGER.debug("No goodbye to %s: %s", record.name, err)
