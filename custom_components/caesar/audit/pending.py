"""The rows of `pending_approvals`: sealed questions, moved on by one statement each.

Synchronous; runs in the writer's thread, within a transaction of its own.
"""

from collections.abc import Collection
from dataclasses import dataclass
import sqlite3


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRow:
    """One question as it lies in the file; times in seconds since 1970."""

    id: str
    standing: str
    created_at: float
    expires_at: float
    decided_at: float | None
    sealed: bytes


def add(db: sqlite3.Connection, row: PendingRow) -> None:
    """Keep a new question; raises sqlite3.IntegrityError for an id that is known."""
    db.execute(
        "INSERT INTO pending_approvals VALUES (?, ?, ?, ?, ?, ?)",
        (
            row.id,
            row.standing,
            row.created_at,
            row.expires_at,
            row.decided_at,
            row.sealed,
        ),
    )


def change(db: sqlite3.Connection, row: PendingRow, expected: str) -> bool:
    """Write a new standing if the old one is as expected; return whether it was."""
    done = db.execute(
        "UPDATE pending_approvals SET standing = ?, decided_at = ?, sealed = ?"
        " WHERE id = ? AND standing = ?",
        (row.standing, row.decided_at, row.sealed, row.id, expected),
    )
    return done.rowcount == 1


def load(db: sqlite3.Connection) -> tuple[PendingRow, ...]:
    """Return all questions, oldest first."""
    # A text in `sealed` that is none would fail to be read, and all rows with it.
    found = db.execute(
        "SELECT id, standing, created_at, expires_at, decided_at,"
        " CAST(sealed AS BLOB)"
        " FROM pending_approvals ORDER BY created_at, id"
    )
    return tuple(
        PendingRow(
            id=row[0],
            standing=row[1],
            created_at=row[2],
            expires_at=row[3],
            decided_at=row[4],
            sealed=row[5],
        )
        for row in found
    )


def forget(db: sqlite3.Connection, ids: Collection[str]) -> None:
    """Remove questions; `secure_delete` overwrites what they held."""
    db.executemany("DELETE FROM pending_approvals WHERE id = ?", [(i,) for i in ids])
