"""Retention: old rows go, and the chain stays verifiable from an anchor on.

Only whole beginnings of the chain go, so that no gap can be mistaken for one.
"""

from dataclasses import dataclass
import sqlite3
from typing import Final

from .chain import Gone, Link, utc_text
from .event import AuditEventType
from .row import note
from .store import Store

DEFAULT_DAYS: Final = 90
# One commit's worth: it holds up the rows that wait behind it.
CHUNK: Final = 2_000
_DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What a sweep removed, or would remove; `more` says that rows are left."""

    deleted: int
    more: bool = False


def count_old(db: sqlite3.Connection, now: float, days: int) -> int:
    """Return how many rows a sweep would remove; deletes nothing (dry run)."""
    last = _last_old(db, utc_text(now - days * _DAY_S))
    first = db.execute("SELECT min(chain_seq) FROM audit_log").fetchone()[0]
    return last - first + 1 if last else 0


def sweep(store: Store, days: int = DEFAULT_DAYS, chunk: int = CHUNK) -> Sweep:
    """Remove rows older than `days`, at most `chunk`, and leave a row that says so.

    The anchor, the deletion and that row are one transaction. Raises sqlite3.Error.
    """
    now = store.now()
    cutoff = utc_text(now - days * _DAY_S)
    db = store.database.connection
    last = _last_old(db, cutoff)
    if not last:
        return Sweep(deleted=0)
    (first,) = db.execute("SELECT min(chain_seq) FROM audit_log").fetchone()
    upto = min(last, first + chunk - 1)
    (gone_hash,) = db.execute(
        "SELECT row_hash FROM audit_log WHERE chain_seq = ?", (upto,)
    ).fetchone()
    # The head at the anchor itself stays: the anchor can be judged by it.
    (head,) = db.execute(
        "SELECT coalesce((SELECT max(number) FROM audit_head WHERE chain_seq < ?),"
        " (SELECT max(head) FROM audit_anchor), 0)",
        (upto,),
    ).fetchone()
    with store.transaction(durable=True):
        store.anchor(Link(seq=upto, row_hash=gone_hash), head, Gone.RETENTION)
        deleted = db.execute(
            "DELETE FROM audit_log WHERE chain_seq <= ?", (upto,)
        ).rowcount
        db.execute("DELETE FROM audit_head WHERE number <= ?", (head,))
        store.append(
            note(
                AuditEventType.MEMORY_RETENTION_SWEEP,
                {
                    "cutoff": cutoff,
                    "deleted": deleted,
                    "retention_days": days,
                    "anchor_seq": upto,
                    "anchor_hash": gone_hash,
                },
                now,
            )
        )
    return Sweep(deleted=deleted, more=upto < last)


def _last_old(db: sqlite3.Connection, cutoff: str) -> int:
    """Return the last row before the first one that is kept; 0 if all are kept."""
    (kept,) = db.execute(
        "SELECT min(chain_seq) FROM audit_log WHERE created_at >= ?", (cutoff,)
    ).fetchone()
    (last,) = db.execute(
        "SELECT max(chain_seq) FROM audit_log WHERE ? IS NULL OR chain_seq < ?",
        (kept, kept),
    ).fetchone()
    return last or 0
