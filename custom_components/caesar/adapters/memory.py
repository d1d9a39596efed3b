"""What the house's conversations remember: in memory for the next turn, on disk sealed.

All work on the file is done in the thread of the trail's writer. Nothing here waits
for it longer than `RECALL_LIMIT_S`, and then only to read a conversation that this run
has not met yet. A house whose file fails still remembers what this run has heard.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
import logging
import time
from typing import Any, Final

from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers.event import async_track_time_interval

from ..audit import memory as rows
from ..audit.event import AuditUnavailable
from ..audit.memory import KeptTurn, Limits, MemoryKeys, Opened, Which
from ..audit.store import Store
from ..brain.exchange_bytes import NotAnExchange, from_bytes, to_bytes
from ..brain.session import DEFAULT_WINDOW, Exchange, Remembered, SessionKey, remembered
from ..policy.caller import Caller
from .audit_log import HouseAuditLog
from .memory_issues import async_readable, async_unreadable
from .memory_rows import MemoryChange, MemoryRow, Scope, memory_row

_LOGGER = logging.getLogger(__name__)

MAX_SESSIONS: Final = 200
MAX_ROWS: Final = 100_000
IDLE_DAYS: Final = 30
# How long a turn waits for its conversation to be read.
RECALL_LIMIT_S: Final = 1.0
# One commit's worth: it holds up the rows of the trail that wait behind it.
CHUNK: Final = 1_000
_SWEEP_EVERY: Final = timedelta(hours=1)
_DAY_S: Final = 86_400
_MOST_FORGETS: Final = 1_000


type MemoryListener = Callable[[MemoryChange], None]


@dataclass(slots=True)
class _Turn:
    """One exchange in memory; `id` is its row's."""

    exchange: Exchange
    id: int | None = None


@dataclass(slots=True)
class _Session:
    """The newest turns of a conversation; `loaded` says that the file was read."""

    turns: deque[_Turn] = field(default_factory=deque)
    loaded: bool = False


class HouseMemory:
    """The memory of all agents' conversations."""

    def __init__(
        self,
        hass: HomeAssistant,
        audit: HouseAuditLog,
        window: Callable[[], int | None] = lambda: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep in the trail's file; a model is shown `window` turns, None means 50."""
        self._hass = hass
        self._audit = audit
        self._window = window
        self._now = now
        self._keys = MemoryKeys(audit.vault)
        self._sessions: OrderedDict[SessionKey, _Session] = OrderedDict()
        # What goes to the file and comes from it, one at a time and in order.
        self._file = asyncio.Lock()
        self._listeners: list[MemoryListener] = []
        self._unflushed = False
        self._forgets = 0
        self._forgotten: deque[tuple[int, Scope]] = deque(maxlen=_MOST_FORGETS)
        self._unsubscribe: CALLBACK_TYPE | None = None

    @callback
    def async_start(self) -> None:
        """Begin to let old turns go, every hour."""
        self._unsubscribe = async_track_time_interval(
            self._hass, self._async_sweep, _SWEEP_EVERY, cancel_on_shutdown=True
        )

    async def async_stop(self) -> None:
        """Let nothing go any more, and wait for what is being written."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        async with self._file:
            pass

    @property
    def mark(self) -> int:
        """Return the moment, as `add` takes it."""
        return self._forgets

    def session_hash(self, key: SessionKey) -> str:
        """Return a conversation's name in the rows."""
        return self._keys.session(key.text)

    async def recall(self, key: SessionKey) -> Remembered:
        """Return the conversation so far, from the file if this run hasn't met it."""
        session = self._sessions.get(key)
        if session is None or not session.loaded:
            try:
                async with asyncio.timeout(RECALL_LIMIT_S):
                    await self._load(key)
            except TimeoutError:
                _LOGGER.warning("The disk is too slow to read a conversation")
            session = self._sessions.get(key)
        if session is None:
            return Remembered(mark=self._forgets)
        self._sessions.move_to_end(key)
        turns = [turn.exchange for turn in session.turns]
        self.close_question(key)
        return remembered(turns[-self._most() :], self._forgets, self._now())

    def close_question(self, key: SessionKey) -> None:
        """Let nobody answer any more what was asked there: a message has come since."""
        session = self._sessions.get(key)
        if session is not None and session.turns:
            last = session.turns[-1]
            last.exchange = replace(last.exchange, question=None)

    def add(
        self,
        key: SessionKey,
        exchange: Exchange,
        caller: Caller,
        *,
        mark: int | None = None,
    ) -> Coroutine[Any, Any, int | None]:
        """Remember a turn at once; what is returned keeps it, and returns its row's id.

        The id is None if it could not be kept, or if the conversation was forgotten
        after `mark`: then nothing of the turn is remembered. Never raises.
        """
        if mark is not None and self._forgotten_since(mark, key):
            return _nothing()
        turn = _Turn(replace(exchange, at=self._now()))
        self._session(key).turns.append(turn)
        self._trim(key)
        return self._keep(key, turn, caller, self._forgets)

    async def forget(self, scope: Scope) -> int:
        """Erase what is remembered; return how many rows went.

        Raises AuditUnavailable if the file can't be written: then it still holds some.
        """
        self._forgets += 1
        self._forgotten.append((self._forgets, scope))
        for key in [key for key in self._sessions if scope.covers(key)]:
            del self._sessions[key]
        which = Which(user_id=scope.user_id)
        if scope.session is not None:
            which = Which(session=self.session_hash(scope.session))
        async with self._file:
            # Also for what was erased elsewhere just before: questions, parked turns.
            self._unflushed = True
            erased = await self._in_chunks(
                lambda store: rows.erase(store.database.connection, which, CHUNK)
            )
            if scope.name == "all":
                self._tell(MemoryChange(all_erased=True))
                async_readable(self._hass)
        return erased

    async def async_sweep(self) -> int:
        """Erase what is too old or too much; return how many rows went.

        Raises AuditUnavailable.
        """
        now = self._now()
        limits = Limits(
            since=now - self._audit.retention_days * _DAY_S,
            idle_since=now - IDLE_DAYS * _DAY_S,
            rows=MAX_ROWS,
        )
        async with self._file:
            return await self._in_chunks(
                lambda store: rows.sweep(store.database.connection, limits, CHUNK)
            )

    async def rows(self, after: int, limit: int) -> Sequence[MemoryRow]:
        """Return rows by their ids, from the first one after `after` on.

        Those that don't open are left out. Raises AuditUnavailable.
        """

        def work(store: Store) -> tuple[int, list[MemoryRow]]:
            found = rows.after(store.database.connection, self._keys, after, limit)
            return (found[-1].kept.id if found else after), _readable(found)

        while True:
            last, readable = await self._audit.async_work(work)
            if readable or last == after:
                return readable
            # None of these opens: its key was lost. What came later may.
            after = last

    async def read(self, ids: Iterable[int]) -> Sequence[MemoryRow]:
        """Return these rows in this order, without those that there are not.

        Raises AuditUnavailable.
        """
        wanted = tuple(ids)
        return await self._audit.async_work(
            lambda store: _readable(
                rows.read(store.database.connection, self._keys, wanted)
            )
        )

    def listen(self, listener: MemoryListener) -> CALLBACK_TYPE:
        """Call back with every change of the rows; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def _keep(
        self, key: SessionKey, turn: _Turn, caller: Caller, mark: int
    ) -> int | None:
        async with self._file:
            if self._forgotten_since(mark, key):
                return None
            kept = KeptTurn(
                session=self.session_hash(key),
                agent_id=key.agent_id,
                user_id=key.user_id,
                origin=caller.origin.value,
                kept_at=turn.exchange.at,
            )

            def work(store: Store) -> int:
                db = store.database.connection
                return rows.put(db, self._keys, kept, to_bytes(turn.exchange)).id

            try:
                turn.id = await self._audit.async_work(work)
            except AuditUnavailable as err:
                _LOGGER.warning("A turn is remembered until a restart only: %s", err)
                return None
        self._tell(MemoryChange(added=(turn.id,)))
        return turn.id

    async def _load(self, key: SessionKey) -> None:
        """Read a conversation that this run has not met; an unreadable one is empty."""
        async with self._file:
            before = self._forgets
            name, limit = self.session_hash(key), self._most()

            def work(store: Store) -> list[tuple[int, Exchange | None]]:
                found = rows.newest(store.database.connection, self._keys, name, limit)
                return [(row.kept.id, _exchange(row)) for row in found]

            try:
                found = await self._audit.async_work(work)
                if any(exchange is None for _, exchange in found):
                    found = await self._start_anew(name)
            except AuditUnavailable as err:
                _LOGGER.warning("A conversation can't be read: %s", err)
                return
            session = self._session(key)
            if session.loaded or self._forgotten_since(before, key):
                return
            session.loaded = True
            known = {turn.id for turn in session.turns}
            session.turns.extendleft(
                _Turn(exchange, id=id_)
                for id_, exchange in reversed(found)
                if exchange is not None and id_ not in known
            )

    async def _start_anew(self, session: str) -> list[tuple[int, Exchange | None]]:
        """Erase a conversation of which a row doesn't open: it is not what was kept."""
        _LOGGER.error("A remembered conversation does not open; it starts anew")
        async_unreadable(self._hass)
        which = Which(session=session)
        await self._in_chunks(
            lambda store: rows.erase(store.database.connection, which, CHUNK)
        )
        return []

    async def _in_chunks(self, work: Callable[[Store], Sequence[int]]) -> int:
        """Erase, commit by commit, and leave nothing of it in the file's log."""
        erased = 0
        while True:
            ids = await self._audit.async_work(work, durable=True)
            erased += len(ids)
            if ids:
                self._erased(ids)
            if len(ids) < CHUNK:
                break
        if erased or self._unflushed:
            # A backup or a reader may be in the way: then again within the hour.
            self._unflushed = True
            self._unflushed = not await self._audit.async_flush()
        return erased

    def _erased(self, ids: Collection[int]) -> None:
        gone = set(ids)
        for session in self._sessions.values():
            for turn in [turn for turn in session.turns if turn.id in gone]:
                session.turns.remove(turn)
        self._tell(MemoryChange(erased=tuple(ids)))

    async def _async_sweep(self, _now: datetime) -> None:
        try:
            await self.async_sweep()
        except AuditUnavailable as err:
            _LOGGER.warning("Old conversations can't be erased now: %s", err)

    def _session(self, key: SessionKey) -> _Session:
        session = self._sessions.setdefault(key, _Session())
        self._sessions.move_to_end(key)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def _trim(self, key: SessionKey) -> None:
        turns = self._sessions[key].turns
        while len(turns) > self._most():
            turns.popleft()

    def _most(self) -> int:
        return self._window() or DEFAULT_WINDOW

    def _forgotten_since(self, mark: int, key: SessionKey) -> bool:
        return any(
            number > mark and scope.covers(key) for number, scope in self._forgotten
        )

    def _tell(self, change: MemoryChange) -> None:
        for listener in tuple(self._listeners):
            listener(change)


async def _nothing() -> None:
    """Keep nothing."""


def _exchange(row: Opened) -> Exchange | None:
    """Return the turn of a row; None if it does not open or is none."""
    if row.plain is None:
        return None
    try:
        return replace(from_bytes(row.plain), at=row.kept.kept_at)
    except NotAnExchange:
        return None


def _readable(found: Iterable[Opened]) -> list[MemoryRow]:
    """Return what opens of these rows."""
    return [
        memory_row(row.kept, exchange)
        for row in found
        if (exchange := _exchange(row)) is not None
    ]
