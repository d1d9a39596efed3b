"""The store: here rows get their place in the chain. sqlite3, synchronous.

One thread owns it, the writer's; it knows nothing of loops and Home Assistant.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
from typing import Final

from ..legion.canonical import Json, canonical_json
from . import schema
from .chain import (
    COLUMNS,
    GENESIS,
    HASHED,
    Gone,
    Head,
    Link,
    Signer,
    row_hash,
    utc_text,
)
from .database import Database, FileDamaged, is_damage
from .event import AuditEventType, AuditRow
from .reading import OpenCall, interrupted_calls, last_head, last_link, newest_anchor
from .row import NewRow, note, truncated_note

# A head every so many rows: no more can be cut or rewritten unseen.
HEAD_EVERY: Final = 64

_INSERT = (
    f"INSERT INTO audit_log ({', '.join(COLUMNS)}) "  # noqa: S608 - names of our own
    f"VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
)
_COPIED = tuple(
    name for name in HASHED if name not in ("chain_seq", "boot", "intent_seq")
)


class AlreadyConcluded(Exception):
    """An intent has one outcome; a second one is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What was found when the file was opened.

    `interrupted` are calls whose outcome nobody knows: the process ended in the
    middle of them. `gone` says that rows are lost, `aside` the name under which a
    broken file was kept.
    """

    interrupted: tuple[OpenCall, ...] = ()
    gone: Gone | None = None
    aside: str | None = None


class Store:
    """Appends rows to one file. Its methods raise sqlite3.Error and OSError."""

    def __init__(self, path: Path, key: bytes, now: Callable[[], float]) -> None:
        """Take the file, the house's key and a clock in seconds since 1970."""
        self.database = Database(path)
        self.signer = Signer(key)
        self._now = now
        self._boot = 0
        self._last = Link()
        self._head: Head | None = None
        # What is committed: where the chain goes on after a failure or a new file.
        self._safe: tuple[Link, Head | None] = (Link(), None)

    @property
    def head(self) -> Head | None:
        """Return the newest head."""
        return self._head

    @property
    def unsigned(self) -> int:
        """Return how many rows no head covers yet."""
        return self._last.seq - (self._head.link.seq if self._head else 0)

    def now(self) -> float:
        """Return seconds since 1970."""
        return self._now()

    def open(self, outside: Head | None = None, aside: str | None = None) -> Opening:
        """Open the file; what is broken is moved aside, never deleted.

        The first time in a process this begins a boot and concludes what the last
        one left open. `outside` is the newest head that is kept elsewhere: it shows
        that rows or the whole file are gone. `aside` is the name of a broken file that
        was moved already. Raises SchemaTooNew as well.
        """
        if not self._boot and outside and self.signer.made_head(outside):
            self._safe = (outside.link, outside)
        damaged = False
        try:
            try:
                self._connect()
            except (FileDamaged, sqlite3.Error) as err:
                if not is_damage(err):
                    raise
                aside, damaged = self.database.move_aside(), True
                self._connect()
            gone = self._missing()
            if damaged or (aside and gone is Gone.MISSING):
                gone = Gone.DAMAGED
            interrupted = self._begin(gone, aside)
        except BaseException:
            self.database.close()
            raise
        self.database.watch()
        return Opening(interrupted=interrupted, gone=gone, aside=aside)

    def recover(self, *, damaged: bool) -> Opening:
        """Open the file again after it was lost or damaged under the connection.

        As long as the connection sees the old file whole, nothing is lost.
        """
        aside: str | None = None
        try:
            aside = self.database.rescue()
        except FileDamaged, sqlite3.Error:
            if not damaged:
                raise
            aside = self.database.move_aside()
        return self.open(aside=aside)

    def probe(self) -> None:
        """Write something that changes nothing, to see whether that works again."""
        self.database.check()
        with self.transaction(durable=True) as db:
            db.execute("UPDATE audit_boot SET id = id WHERE id = ?", (self._boot,))

    def close(self) -> None:
        """Close the file; what is committed stays."""
        self.database.close()

    @contextmanager
    def transaction(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """Run a transaction; after a failure the chain is where it was."""
        try:
            with self.database.transaction(durable=durable) as db:
                yield db
        except BaseException:
            self._last, self._head = self._safe
            raise
        self._safe = (self._last, self._head)

    def append(self, row: NewRow, intent_seq: int | None = None) -> AuditRow:
        """Append a row within the open transaction, and a note if it was cut."""
        written = self._insert(row.as_json(), intent_seq)
        if row.truncated:
            more = truncated_note(row, written.seq, self._now())
            self._insert(more.as_json(), None)
        return written

    def conclude(self, intent_seq: int, row: NewRow) -> AuditRow:
        """Append the outcome of an intent.

        Stands for itself when the intent is not in this file (the file was lost
        meanwhile). Raises AlreadyConcluded.
        """
        found = self.database.connection.execute(
            "SELECT EXISTS (SELECT 1 FROM audit_log WHERE intent_seq = i.chain_seq)"
            " FROM audit_log i WHERE chain_seq = ? AND event_type = ?",
            (intent_seq, AuditEventType.TOOL_INTENDED.value),
        ).fetchone()
        if found is None:
            return self.append(row)
        if found[0]:
            raise AlreadyConcluded(str(intent_seq))
        return self.append(row, intent_seq)

    def conclude_unavailable(self, intent_seq: int) -> AuditRow:
        """Conclude an intent that came to disk after its call was refused."""
        return self._conclude_copy(intent_seq, "audit_unavailable")

    def sign_head(self) -> Head | None:
        """Sign the chain as it is; None if the newest head covers it already."""
        if not self.unsigned:
            return None
        number, prev_mac = (
            (self._head.number + 1, self._head.mac) if self._head else (1, GENESIS)
        )
        head = self.signer.head(number, self._last, utc_text(self._now()), prev_mac)
        self.database.connection.execute(
            "INSERT INTO audit_head VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                head.number,
                head.link.seq,
                head.link.row_hash,
                head.created_at,
                head.key_id,
                head.prev_mac,
                head.mac,
            ),
        )
        self._head = head
        return head

    def anchor(self, link: Link, head: int, kind: Gone) -> None:
        """Write an anchor at `link`; from now on rows up to it may be deleted."""
        db = self.database.connection
        anchor = self.signer.anchor(link, head, kind, utc_text(self._now()))
        db.execute(
            "INSERT INTO audit_anchor VALUES (?, ?, ?, ?, ?, ?)",
            (link.seq, link.row_hash, head, kind.value, anchor.created_at, anchor.mac),
        )
        db.execute("DELETE FROM audit_anchor WHERE chain_seq < ?", (link.seq,))

    def _connect(self) -> None:
        self.database.close()
        self.database.open()
        schema.apply(self.database.connection)
        db = self.database.connection
        anchor = newest_anchor(db)
        self._head = last_head(db)
        self._last = last_link(db) or (anchor.link if anchor else Link())

    def _missing(self) -> Gone | None:
        """Say whether the file holds less than it did, by what is known elsewhere."""
        known, head = self._safe[0].seq, self._head
        if max(known, head.link.seq if head else 0) <= self._last.seq:
            return None
        return Gone.CUT if self._last.seq or head else Gone.MISSING

    def _begin(self, gone: Gone | None, aside: str | None) -> tuple[OpenCall, ...]:
        """Begin a boot, note what is gone, conclude what was left open."""
        known, head = self._safe
        self._safe, before = (self._last, self._head), self._safe
        try:
            with self.transaction(durable=True) as db:
                if gone in (Gone.DAMAGED, Gone.MISSING) and known.seq:
                    self.anchor(known, head.number if head else 0, gone)
                    self._last, self._head = known, head
                open_calls = self._begin_boot(db)
                if gone:
                    self._insert(self._loss(gone, known, aside).as_json(), None)
                for call in open_calls:
                    self._conclude_copy(call.seq, "interrupted")
        except BaseException:
            self._safe = before
            raise
        return tuple(open_calls)

    def _begin_boot(self, db: sqlite3.Connection) -> list[OpenCall]:
        """Return what an earlier boot left open; the same boot left nothing."""
        (newest, after) = db.execute(
            "SELECT coalesce(max(id), 0), coalesce(max(last_seq), 0) FROM audit_boot"
        ).fetchone()
        if self._boot and newest == self._boot:
            return []
        # A file that was begun in the middle of a boot holds none of its calls.
        left = [] if self._boot else interrupted_calls(db, after)
        self._boot = newest + 1
        db.execute(
            "INSERT INTO audit_boot (id, started_at, last_seq) VALUES (?, ?, ?)",
            (self._boot, utc_text(self._now()), self._last.seq),
        )
        return left

    def _loss(self, gone: Gone, known: Link, aside: str | None) -> NewRow:
        return note(
            AuditEventType.AUDIT_CHAIN_BROKEN,
            {"kind": gone.value, "seq": known.seq, "moved_to": aside},
            self._now(),
        )

    def _conclude_copy(self, intent_seq: int, error: str) -> AuditRow:
        """Write an outcome that says what the intent said, and that error."""
        stored = self.database.connection.execute(
            f"SELECT {', '.join(_COPIED)} FROM audit_log"  # noqa: S608 - names of our own
            " WHERE chain_seq = ?",
            (intent_seq,),
        ).fetchone()
        row: dict[str, Json] = dict(zip(_COPIED, stored, strict=True))
        said = json.loads(str(row["payload"]))
        kind = (
            AuditEventType.SERVICE_CALLED
            if "domain" in said
            else AuditEventType.TOOL_CALLED
        )
        row |= {
            "created_at": utc_text(self._now()),
            "event_type": kind.value,
            "payload": canonical_json(
                said | {"outcome": {"ok": False, "error": error}}
            ),
        }
        return self._insert(row, intent_seq)

    def _insert(self, row: dict[str, Json], intent_seq: int | None) -> AuditRow:
        seq, prev = self._last.seq + 1, self._last.row_hash
        values: dict[str, Json] = row | {
            "chain_seq": seq,
            "intent_seq": intent_seq,
            "boot": self._boot,
        }
        mine = row_hash(prev, values)
        self.database.connection.execute(
            _INSERT, values | {"id": seq, "prev_hash": prev, "row_hash": mine}
        )
        self._last = Link(seq=seq, row_hash=mine)
        return AuditRow(seq=seq, row_hash=mine)
