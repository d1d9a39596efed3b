"""Reads of the trail that several of its parts share."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3

from .chain import Anchor, Gone, Head, Link


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCall:
    """An intent without outcome: a call that was running when the process ended.

    `changes` is false for what only reads.
    """

    seq: int
    created_at: str
    decision_id: str
    tool: str
    entities: tuple[str, ...]
    changes: bool


@contextmanager
def reader(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for reading only, next to the writer. Raises sqlite3.Error."""
    uri = f"{path.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as db:
        db.execute("PRAGMA busy_timeout = 5000")
        db.execute("PRAGMA query_only = ON")
        yield db


def last_link(db: sqlite3.Connection) -> Link | None:
    """Return the last row; None if there is none."""
    row = db.execute(
        "SELECT chain_seq, row_hash FROM audit_log ORDER BY chain_seq DESC LIMIT 1"
    ).fetchone()
    return Link(seq=row[0], row_hash=row[1]) if row else None


def last_head(db: sqlite3.Connection) -> Head | None:
    """Return the newest head; None if there is none."""
    (number,) = db.execute("SELECT max(number) FROM audit_head").fetchone()
    return next(heads(db, number), None) if number is not None else None


def heads(db: sqlite3.Connection, first: int = 0) -> Iterator[Head]:
    """Yield the heads from number `first` on, in order."""
    for row in db.execute(
        "SELECT number, chain_seq, row_hash, created_at, key_id, prev_mac, mac"
        " FROM audit_head WHERE number >= ? ORDER BY number",
        (first,),
    ):
        yield Head(
            number=row[0],
            link=Link(seq=row[1], row_hash=row[2]),
            created_at=row[3],
            key_id=row[4],
            prev_mac=row[5],
            mac=row[6],
        )


def newest_anchor(db: sqlite3.Connection) -> Anchor | None:
    """Return the anchor that counts; None if the chain begins at row 1."""
    row = db.execute(
        "SELECT chain_seq, row_hash, head, kind, created_at, mac FROM audit_anchor"
        " ORDER BY chain_seq DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    kind = row[3] if row[3] in set(Gone) else Gone.DAMAGED
    return Anchor(
        link=Link(seq=row[0], row_hash=row[1]),
        head=row[2],
        kind=Gone(kind),
        created_at=row[4],
        mac=row[5],
    )


def interrupted_calls(db: sqlite3.Connection, after: int) -> list[OpenCall]:
    """Return the intents after row `after` that have no outcome."""
    found = db.execute(
        "SELECT chain_seq, created_at, decision_id, payload FROM audit_log i"
        " WHERE chain_seq > ? AND event_type = 'tool.intended' AND NOT EXISTS"
        " (SELECT 1 FROM audit_log WHERE intent_seq = i.chain_seq)"
        " ORDER BY chain_seq",
        (after,),
    ).fetchall()
    return [_open_call(*row) for row in found]


def _open_call(seq: int, created_at: str, decision_id: str, payload: str) -> OpenCall:
    said = json.loads(payload)
    return OpenCall(
        seq=seq,
        created_at=created_at,
        decision_id=decision_id,
        tool=str(said.get("tool", "")),
        entities=tuple(str(item) for item in said.get("pinned") or ()),
        changes=said.get("decision", {}).get("impact") != "read",
    )
