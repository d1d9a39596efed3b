"""The writer: one thread that owns the store and writes what waits in one commit.

Loop-free: callers get futures, and callbacks come from the writer's thread. What can't
be written is refused at once while the file is unavailable; the writer tries again by
itself, later and later, and after it everything it was told to keep.
"""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
import logging
import queue
import sqlite3
import threading
import time
from typing import Any, Final

from ..legion.canonical import Json
from .chain import Head
from .database import FileDamaged, FileLost, is_damage
from .event import AuditEventType, AuditRow, AuditUnavailable
from .row import NewRow, note
from .schema import SchemaTooNew
from .store import HEAD_EVERY, Opening, Store
from .ticket import Ticket

_LOGGER = logging.getLogger(__name__)

QUEUE_SIZE: Final = 1_000
BACKLOG_SIZE: Final = 1_000
BATCH_SIZE: Final = 256
HEAD_AFTER_S: Final = 60.0
FIRST_RETRY_S: Final = 0.25
LAST_RETRY_S: Final = 10.0

_TROUBLE: Final = (sqlite3.Error, OSError, FileLost, FileDamaged, SchemaTooNew)
# The connection is as good as before; everything else is opened anew.
_PASSING: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Watcher:
    """Who hears from the writer, in the writer's thread. None of them may raise."""

    opened: Callable[[Opening], None]
    unavailable: Callable[[BaseException], None]
    available: Callable[[], None]
    head: Callable[[Head], None]


class Writer:
    """Queues rows and commits them in the order given."""

    def __init__(
        self,
        store: Store,
        watcher: Watcher,
        *,
        outside: Head | None = None,
        queue_size: int = QUEUE_SIZE,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the store over; `outside` is the newest head kept elsewhere."""
        self._store = store
        self._watcher = watcher
        self._outside = outside
        self._monotonic = monotonic
        self._queue: queue.Queue[Ticket | None] = queue.Queue(queue_size)
        self._backlog: deque[Ticket] = deque(maxlen=BACKLOG_SIZE)
        self._thread = threading.Thread(
            target=self._run, name="caesar audit", daemon=True
        )
        self._dropped = 0
        self._closed = False
        self._broken: str | None = None
        self._retry_at = 0.0
        self._retry_after = FIRST_RETRY_S
        self._head_at: float | None = None

    def start(self) -> None:
        """Start the thread, which opens the file first."""
        self._thread.start()

    def close(self, timeout: float) -> bool:
        """Write what is queued, sign a head, close the file; True if all is done.

        Blocks up to `timeout` seconds. A thread that hangs in a dead disk is left
        behind; it is a daemon.
        """
        self._closed = True
        with suppress(queue.Full):
            self._queue.put(None, timeout=timeout)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def intend(self, row: NewRow, *, durable: bool) -> Ticket:
        """Queue an intent, which can be withdrawn. Raises AuditUnavailable."""
        return self._put(
            Ticket(lambda store: store.append(row), durable=durable, keep=False)
        )

    def conclude(self, intent_seq: int, row: NewRow) -> Ticket:
        """Queue an outcome, kept until it can be written. Raises AuditUnavailable."""
        return self._put(
            Ticket(
                lambda store: store.conclude(intent_seq, row), durable=False, keep=True
            )
        )

    def record(self, row: NewRow, *, durable: bool) -> Ticket:
        """Queue a row, kept until it can be written. Raises AuditUnavailable."""
        return self._put(
            Ticket(lambda store: store.append(row), durable=durable, keep=True)
        )

    def abandon(self, intent_seq: int) -> None:
        """Conclude an intent whose giver went away. Raises AuditUnavailable."""
        self._put(_concluding(intent_seq))

    def ask(self, work: Callable[[Store], Any]) -> Ticket:
        """Queue work for between two commits. Raises AuditUnavailable."""
        return self._put(Ticket(work, durable=False, keep=False, alone=True))

    def call[T](self, work: Callable[[Store], T]) -> Future[T]:
        """Run `work` between two commits. Raises AuditUnavailable."""
        return self.ask(work).future

    def _put(self, ticket: Ticket) -> Ticket:
        if self._closed:
            raise AuditUnavailable("the trail is closed")
        try:
            self._queue.put_nowait(ticket)
        except queue.Full:
            raise AuditUnavailable("too much is waiting to be written") from None
        return ticket

    def _run(self) -> None:
        self._ready()
        going = True
        while going:
            tickets, going = self._collect()
            try:
                self._work(tickets)
            except Exception as err:
                # A fault of ours must not end the thread: nothing could be written
                # until a restart. Whoever waits is refused.
                _LOGGER.exception("The trail's writer met an unexpected error")
                self._break(err)
                self._refuse([ticket for ticket in tickets if not ticket.future.done()])
        if self._ready():
            with suppress(*_TROUBLE):
                self._mending(self._sign)
        for ticket in self._backlog:
            ticket.fail("closed")
        self._store.close()

    def _collect(self) -> tuple[list[Ticket], bool]:
        """Wait for work or for the next thing that is due."""
        tickets: list[Ticket] = []
        try:
            ticket = self._queue.get(timeout=self._wait())
            while ticket is not None:
                tickets.append(ticket)
                if len(tickets) >= BATCH_SIZE:
                    return tickets, True
                ticket = self._queue.get_nowait()
        except queue.Empty:
            return tickets, True
        return tickets, False

    def _wait(self) -> float | None:
        if self._broken is not None:
            return max(self._retry_at - self._monotonic(), 0)
        if self._head_at is not None:
            return max(self._head_at - self._monotonic(), 0)
        return None

    def _work(self, tickets: Sequence[Ticket]) -> None:
        """Write rows together; what runs alone is between two commits."""
        rows: list[Ticket] = []
        for ticket in tickets:
            if ticket.alone:
                self._write(rows)
                rows = []
                self._run_alone(ticket)
            else:
                rows.append(ticket)
        self._write(rows)
        if self._head_due() and self._ready():
            try:
                self._mending(self._sign)
            except _TROUBLE as err:
                self._break(err)

    def _write(self, tickets: Sequence[Ticket]) -> None:
        taken = [ticket for ticket in tickets if ticket.take()]
        if not taken and not self._backlog and self._broken is None:
            return
        if not self._ready():
            self._refuse(taken)
            return
        if not self._as_it_was():
            changes = [ticket for ticket in taken if ticket.durable and not ticket.keep]
            for ticket in changes:
                ticket.fail("the file was gone or something else")
            taken = [ticket for ticket in taken if ticket not in changes]
        waiting = [*self._backlog, *taken]
        if self._dropped:
            waiting.insert(0, _dropped(self._dropped))
        if not waiting:
            return
        results = self._commit(waiting)
        if results is None:
            self._refuse(taken)
            return
        self._backlog.clear()
        self._dropped = 0
        late = [
            seq
            for ticket, result in results
            if (seq := ticket.finish(result)) is not None
        ]
        for seq in late:
            self._backlog.append(_concluding(seq))
        if late:
            self._write(())

    def _as_it_was(self) -> bool:
        """Return False if somebody removed or replaced the file; it is mended then.

        What was to change the house at that moment is refused: a trail that somebody
        tampers with must not be trusted before it is whole again.
        """
        try:
            self._store.database.check()
        except _TROUBLE as err:
            if not self._mend(err):
                self._break(err)
            return False
        return True

    def _commit(
        self, tickets: Sequence[Ticket]
    ) -> list[tuple[Ticket, AuditRow | Exception]] | None:
        """Commit; None if that can't be done now."""
        try:
            return self._mending(lambda: self._transact(tickets))
        except _TROUBLE as err:
            self._break(err)
            return None

    def _transact(
        self, tickets: Sequence[Ticket]
    ) -> list[tuple[Ticket, AuditRow | Exception]]:
        store = self._store
        results: list[tuple[Ticket, AuditRow | Exception]] = []
        head: Head | None = None
        # A head that is kept elsewhere must never be ahead of the disk.
        signs = store.unsigned + len(tickets) >= HEAD_EVERY
        durable = signs or any(ticket.durable for ticket in tickets)
        with store.transaction(durable=durable):
            for ticket in tickets:
                try:
                    results.append((ticket, ticket.work(store)))
                except _TROUBLE:
                    raise
                except Exception as err:  # noqa: BLE001 - its giver must hear
                    results.append((ticket, err))
            if signs:
                head = store.sign_head()
        self._signed(head)
        return results

    def _run_alone(self, ticket: Ticket) -> None:
        if not ticket.take():
            return
        if not self._ready():
            self._refuse([ticket])
            return
        head = self._store.head
        try:
            result = self._mending(lambda: ticket.work(self._store))
        except _TROUBLE as err:
            ticket.fail(str(err))
            self._break(err)
            return
        except Exception as err:  # noqa: BLE001 - whoever waits for it must hear
            result = err
        self._signed(None if self._store.head is head else self._store.head)
        ticket.finish(result)

    def _mending[T](self, work: Callable[[], T]) -> T:
        """Do something with the file; a file that is lost is mended, once."""
        try:
            self._store.database.check()
            return work()
        except _TROUBLE as err:
            if not self._mend(err):
                raise
        self._store.database.check()
        return work()

    def _sign(self) -> None:
        with self._store.transaction(durable=True):
            head = self._store.sign_head()
        self._signed(head)

    def _signed(self, head: Head | None) -> None:
        if head is not None:
            self._watcher.head(head)
        if not self._store.unsigned:
            self._head_at = None
        elif self._head_at is None:
            self._head_at = self._monotonic() + HEAD_AFTER_S

    def _head_due(self) -> bool:
        return self._head_at is not None and self._monotonic() >= self._head_at

    def _ready(self) -> bool:
        """Return whether the file can be written, trying when it is time to."""
        store = self._store
        if self._broken is None and store.database.is_open:
            return True
        if self._broken is not None and self._monotonic() < self._retry_at:
            return False
        try:
            if store.database.is_open:
                store.probe()
            else:
                self._watcher.opened(store.open(self._outside))
        except _TROUBLE as err:
            if not self._mend(err):
                self._break(err)
                return False
        if self._broken is not None:
            self._broken = None
            self._retry_after = FIRST_RETRY_S
            self._watcher.available()
        self._signed(None)
        return True

    def _mend(self, err: BaseException) -> bool:
        """Open the file anew if it was lost or damaged; return whether that helped."""
        damaged = is_damage(err)
        if not damaged and not isinstance(err, FileLost):
            return False
        try:
            self._watcher.opened(self._store.recover(damaged=damaged))
        except _TROUBLE:
            return False
        return True

    def _break(self, err: BaseException) -> None:
        """Be unavailable for a while, longer each time."""
        code: Any = getattr(err, "sqlite_errorcode", None)
        lost = isinstance(err, (FileLost, FileDamaged))
        if not lost and (code is None or code & 255 not in _PASSING):
            self._store.close()
        self._retry_at = self._monotonic() + self._retry_after
        self._retry_after = min(self._retry_after * 2, LAST_RETRY_S)
        first = self._broken is None
        self._broken = str(err) or type(err).__name__
        if first:
            self._watcher.unavailable(err)

    def _refuse(self, tickets: Sequence[Ticket]) -> None:
        for ticket in tickets:
            if ticket.keep:
                self._dropped += len(self._backlog) == BACKLOG_SIZE
                self._backlog.append(ticket)
            ticket.fail(self._broken or "unavailable")


def _concluding(seq: int) -> Ticket:
    return Ticket(
        lambda store: store.conclude_unavailable(seq), durable=False, keep=True
    )


def _dropped(count: int) -> Ticket:
    """Return the row which says that so many could not be kept in memory."""

    def write(store: Store) -> AuditRow:
        payload: dict[str, Json] = {"kind": "rows_dropped", "rows": count}
        return store.append(
            note(AuditEventType.AUDIT_CHAIN_BROKEN, payload, store.now())
        )

    return Ticket(write, durable=False, keep=True)
