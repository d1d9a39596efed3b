"""The rows of `bot_memory`: what was said, sealed, one row a turn.

Synchronous; for the writer's thread (`HouseAuditLog.async_work`). All functions raise
sqlite3.Error.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
import hashlib
import hmac
import sqlite3
from typing import Final

from ..legion.canonical import canonical_json
from .vault import Vault, VaultError

_VERSION: Final = 1
# Whatever a tampered row holds: text that is no UTF-8 would not be read.
_COLUMNS: Final = (
    "id, CAST(session AS BLOB), CAST(agent AS BLOB), CAST(user_id AS BLOB),"
    " CAST(origin AS BLOB), CAST(kept_at AS REAL), CAST(kid AS BLOB),"
    " CAST(sealed AS BLOB)"
)

type _Row = tuple[int, bytes, bytes, bytes | None, bytes, float, bytes, bytes]


class MemoryKeys:
    """The house's key as memory uses it: a key of its own, named in each row."""

    def __init__(self, house: Vault) -> None:
        """Derive from the house's key; a lost one is told by its name in the rows."""
        self.kid = house.subkey("memory/kid").hex()[:16]
        self.vault = Vault(house.subkey(f"memory/{self.kid}"))
        self._sessions = house.subkey("memory/session")

    def session(self, text: str) -> str:
        """Return a conversation's name in the file, which says nothing of whose."""
        return hmac.digest(self._sessions, text.encode(), hashlib.sha256).hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptTurn:
    """What is known of a row without opening it; `session` is the keyed hash.

    `kept_at` is in seconds since 1970. The id is the file's: 0 before it has one.
    """

    id: int = 0
    session: str
    agent_id: str
    user_id: str | None
    origin: str
    kept_at: float

    def aad(self, kid: str) -> bytes:
        """Return what the sealed words belong to: they open nowhere else."""
        return canonical_json(
            [
                "bot_memory",
                _VERSION,
                kid,
                self.session,
                self.id,
                self.agent_id,
                self.user_id,
                self.origin,
                self.kept_at,
            ]
        ).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A row and what was in it; None if it does not open where it lies."""

    kept: KeptTurn
    plain: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """Which rows are meant: those of a session, of a user; all, if neither is given."""

    session: str | None = None
    user_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What is too old and too much. Times are seconds since 1970.

    Gone is what was kept before `since`, conversations in which nothing was said
    after `idle_since`, and all but the newest `rows`.
    """

    since: float
    idle_since: float
    rows: int


def put(
    db: sqlite3.Connection, keys: MemoryKeys, kept: KeptTurn, plain: bytes
) -> KeptTurn:
    """Keep a turn; return it with its id. Within a transaction: the id is sealed in."""
    (last,) = db.execute(
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name ="
        " 'bot_memory'), 0), coalesce((SELECT max(id) FROM bot_memory), 0))"
    ).fetchone()
    kept = replace(kept, id=last + 1)
    db.execute(
        "INSERT INTO bot_memory"
        " (id, session, agent, user_id, origin, kept_at, kid, sealed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            kept.id,
            kept.session,
            kept.agent_id,
            kept.user_id,
            kept.origin,
            kept.kept_at,
            keys.kid,
            keys.vault.seal(plain, kept.aad(keys.kid)),
        ),
    )
    return kept


def newest(
    db: sqlite3.Connection, keys: MemoryKeys, session: str, limit: int
) -> tuple[Opened, ...]:
    """Return the last turns of a session, at most `limit`, oldest first."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM bot_memory"  # noqa: S608 - names of our own
        " WHERE session = ? ORDER BY id DESC LIMIT ?",
        (session, limit),
    ).fetchall()
    return tuple(_open(keys, row) for row in reversed(rows))


def after(
    db: sqlite3.Connection, keys: MemoryKeys, last: int, limit: int
) -> tuple[Opened, ...]:
    """Return rows by their ids, from the first one after `last` on."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM bot_memory"  # noqa: S608 - names of our own
        " WHERE id > ? ORDER BY id LIMIT ?",
        (last, limit),
    )
    return tuple(_open(keys, row) for row in rows)


def read(
    db: sqlite3.Connection, keys: MemoryKeys, ids: Iterable[int]
) -> tuple[Opened, ...]:
    """Return these rows in this order; ids that there are not are left out."""
    found = (
        db.execute(
            f"SELECT {_COLUMNS} FROM bot_memory WHERE id = ?",  # noqa: S608 - names of our own
            (each,),
        ).fetchone()
        for each in ids
    )
    return tuple(_open(keys, row) for row in found if row is not None)


def erase(db: sqlite3.Connection, which: Which, chunk: int) -> tuple[int, ...]:
    """Delete rows, at most `chunk`; return their ids. None are left if it is fewer."""
    where: str = "1"
    values: tuple[str, ...] = ()
    if which.session is not None:
        where, values = "session = ?", (which.session,)
    elif which.user_id is not None:
        where, values = "user_id = ?", (which.user_id,)
    return _delete(db, where, values, chunk)


def sweep(db: sqlite3.Connection, limits: Limits, chunk: int) -> tuple[int, ...]:
    """Delete what is too old or too much, at most `chunk` rows; return their ids."""
    where = (
        "kept_at < ? OR session IN (SELECT session FROM bot_memory"
        " GROUP BY session HAVING max(kept_at) < ?)"
        " OR id <= coalesce((SELECT id FROM bot_memory ORDER BY id DESC"
        " LIMIT 1 OFFSET ?), 0)"
    )
    return _delete(db, where, (limits.since, limits.idle_since, limits.rows), chunk)


def _delete(
    db: sqlite3.Connection,
    where: str,
    values: tuple[str | float, ...],
    chunk: int,
) -> tuple[int, ...]:
    rows = db.execute(
        f"SELECT id FROM bot_memory WHERE {where} ORDER BY id LIMIT ?",  # noqa: S608 - names of our own
        (*values, chunk),
    ).fetchall()
    ids = tuple(each for (each,) in rows)
    # `secure_delete` overwrites what they held.
    db.executemany("DELETE FROM bot_memory WHERE id = ?", rows)
    return ids


def _open(keys: MemoryKeys, row: _Row) -> Opened:
    id_, session, agent, user_id, origin, kept_at, kid, sealed = row
    kept = KeptTurn(
        id=id_,
        session=_text(session),
        agent_id=_text(agent),
        user_id=None if user_id is None else _text(user_id),
        origin=_text(origin),
        kept_at=kept_at,
    )
    if _text(kid) != keys.kid:
        return Opened(kept=kept, plain=None)
    try:
        return Opened(kept=kept, plain=keys.vault.open(sealed, kept.aad(keys.kid)))
    except VaultError:
        return Opened(kept=kept, plain=None)


def _text(value: bytes) -> str:
    return value.decode(errors="replace")
