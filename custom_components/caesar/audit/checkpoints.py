"""Parked turns on disk: sealed, one row a turn, taken up at most once.

Synchronous; for the writer's thread (`HouseAuditLog.async_work`). All functions raise
sqlite3.Error.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..legion.canonical import canonical_json
from .database import Database
from .store import Store
from .vault import Vault, VaultError


class RowState(StrEnum):
    """Whether a parked turn still waits, or was taken up again."""

    WAITING = "waiting"
    RESUMING = "resuming"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTurn:
    """What is known of a parked turn without opening it. Times are unix seconds."""

    decision_id: str
    approval_id: str
    state: RowState = RowState.WAITING
    created_at: float
    expires_at: float

    def aad(self) -> bytes:
        """Return what the sealed bytes belong to: they open nowhere else."""
        return canonical_json(
            [
                "tool_loop_checkpoints",
                self.decision_id,
                self.approval_id,
                self.created_at,
                self.expires_at,
            ]
        ).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What was kept; None if it isn't what was kept there, or can't be opened."""

    plain: bytes | None


def put(store: Store, vault: Vault, kept: KeptTurn, plain: bytes) -> None:
    """Keep a turn; its own earlier row, of an earlier question, is replaced."""
    store.database.connection.execute(
        "INSERT OR REPLACE INTO tool_loop_checkpoints"
        " (decision_id, approval_id, state, created_at, expires_at, sealed)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            kept.decision_id,
            kept.approval_id,
            kept.state.value,
            kept.created_at,
            kept.expires_at,
            vault.seal(plain, kept.aad()),
        ),
    )


def take(
    store: Store, vault: Vault, decision_id: str, approval_id: str
) -> Taken | None:
    """Take a waiting turn up, which can be done once; None if it doesn't wait."""
    db = store.database.connection
    row = db.execute(
        "UPDATE tool_loop_checkpoints SET state = 'resuming'"
        " WHERE decision_id = ? AND approval_id = ? AND state = 'waiting'"
        # Whatever a tampered row holds there: text that is no UTF-8 would not be read.
        " RETURNING CAST(created_at AS REAL), CAST(expires_at AS REAL),"
        " CAST(sealed AS BLOB)",
        (decision_id, approval_id),
    ).fetchone()
    if row is None:
        return None
    created_at, expires_at, sealed = row
    kept = KeptTurn(
        decision_id=decision_id,
        approval_id=approval_id,
        created_at=created_at,
        expires_at=expires_at,
    )
    try:
        return Taken(plain=vault.open(bytes(sealed), kept.aad()))
    except VaultError:
        return Taken(plain=None)


def load(store: Store) -> tuple[KeptTurn, ...]:
    """Return all parked turns, oldest first."""
    rows = store.database.connection.execute(
        "SELECT decision_id, approval_id, state,"
        " CAST(created_at AS REAL), CAST(expires_at AS REAL)"
        " FROM tool_loop_checkpoints ORDER BY created_at"
    )
    return tuple(
        KeptTurn(
            decision_id=decision_id,
            approval_id=approval_id,
            state=RowState(state),
            created_at=created_at,
            expires_at=expires_at,
        )
        for decision_id, approval_id, state, created_at, expires_at in rows
    )


def forget(store: Store, decision_id: str, approval_id: str) -> None:
    """Delete a turn's row of one question; that of a later one stays."""
    store.database.connection.execute(
        "DELETE FROM tool_loop_checkpoints WHERE decision_id = ? AND approval_id = ?",
        (decision_id, approval_id),
    )


def forget_all(store: Store, approval_ids: Collection[str]) -> int:
    """Delete the turns that wait for these answers; return how many there were."""
    return sum(
        store.database.connection.execute(
            "DELETE FROM tool_loop_checkpoints WHERE approval_id = ?", (each,)
        ).rowcount
        for each in approval_ids
    )


def erase(path: Path) -> None:
    """Delete what was said and what waits from a file that nobody has open.

    The trail stays. Raises FileDamaged and OSError as well.
    """
    if not path.exists():
        return
    database = Database(path)
    try:
        database.open()
        with database.transaction(durable=True) as db:
            for table in (
                "bot_memory",
                "tool_loop_checkpoints",
                "pending_approvals",
                "planned_commands",
            ):
                found = db.execute(
                    "SELECT 1 FROM sqlite_master WHERE name = ?", (table,)
                )
                if found.fetchone():
                    db.execute(f"DELETE FROM {table}")  # noqa: S608 - names of our own
        database.checkpoint()
    finally:
        database.close()
