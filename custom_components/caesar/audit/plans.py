"""Planned commands on disk: sealed, one row a command, taken up at most once.

Synchronous; for the writer's thread (`HouseAuditLog.async_work`). All functions raise
sqlite3.Error.
"""

from dataclasses import dataclass

from ..legion.canonical import canonical_json
from .store import Store
from .vault import Vault, VaultError


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPlan:
    """A planned command as it was kept; `due_at` in unix seconds."""

    plan_id: str
    due_at: float
    plain: bytes


def put(store: Store, vault: Vault, kept: KeptPlan) -> None:
    """Keep a command."""
    store.database.connection.execute(
        "INSERT INTO planned_commands (plan_id, due_at, sealed) VALUES (?, ?, ?)",
        (
            kept.plan_id,
            kept.due_at,
            vault.seal(kept.plain, _aad(kept.plan_id, kept.due_at)),
        ),
    )


def take(store: Store, plan_id: str) -> bool:
    """Delete a command; False if it isn't there (any more)."""
    done = store.database.connection.execute(
        "DELETE FROM planned_commands WHERE plan_id = ?", (plan_id,)
    )
    return done.rowcount == 1


def load(store: Store, vault: Vault) -> tuple[KeptPlan, ...]:
    """Return all commands, the next one first; those that don't open are deleted."""
    db = store.database.connection
    found: list[KeptPlan] = []
    rows = db.execute(
        "SELECT plan_id, CAST(due_at AS REAL), CAST(sealed AS BLOB)"
        " FROM planned_commands ORDER BY due_at"
    ).fetchall()
    for plan_id, due_at, sealed in rows:
        try:
            plain = vault.open(bytes(sealed), _aad(plan_id, due_at))
        except VaultError:
            db.execute("DELETE FROM planned_commands WHERE plan_id = ?", (plan_id,))
        else:
            found.append(KeptPlan(plan_id=plan_id, due_at=due_at, plain=plain))
    return tuple(found)


def _aad(plan_id: str, due_at: float) -> bytes:
    """Return what the sealed bytes belong to: they open nowhere else."""
    return canonical_json(["planned_commands", plan_id, due_at]).encode()
