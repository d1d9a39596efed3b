"""Changes a trail as somebody with a database tool would, and sees it found."""

import asyncio
from collections.abc import Callable
from pathlib import Path
import shutil
import sqlite3

from custom_components.caesar.audit.chain import GENESIS, HASHED, row_hash

from .findings import check, must
from .small_house import DATABASE, small_house

ROWS = 200


def prove_tampering(folder: Path) -> str:
    """Return what was found of each change."""
    config = folder / "config"
    config.mkdir()
    asyncio.run(_write(config))
    must(check(config / DATABASE, config).ok, "an untouched trail is good")
    found = []
    for name, change, problem in _CHANGES:
        copy = folder / name.replace(" ", "_")
        shutil.copytree(config, copy)
        db = sqlite3.connect(copy / DATABASE)
        for (trigger,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            db.execute(f"DROP TRIGGER {trigger}")
        change(db)
        db.commit()
        db.close()
        verdict = check(copy / DATABASE, copy)
        must(verdict.problem == problem, f"{name}: {verdict}")
        found.append(f"{name}: {verdict.problem} from row {verdict.first_bad}")
    return "; ".join(found)


async def _write(config: Path) -> None:
    async def nothing(_: str) -> None:
        return

    async with small_house(config, nothing) as house:
        for _ in range(ROWS // 2):
            await house.act()


def _one_row(db: sqlite3.Connection) -> None:
    db.execute("UPDATE audit_log SET user_id = 'nobody' WHERE id = 77")


def _removed_row(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM audit_log WHERE id = 77")


def _cut(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM audit_log WHERE id > 150")
    db.execute("DELETE FROM audit_head WHERE chain_seq > 150")


def _rewrite(db: sqlite3.Connection) -> None:
    """Change every row and hash the whole chain anew."""
    db.execute("UPDATE audit_log SET user_id = 'nobody'")
    before = GENESIS
    for values in db.execute(
        f"SELECT {', '.join(HASHED)} FROM audit_log ORDER BY chain_seq"  # noqa: S608 - words of our own
    ).fetchall():
        mine = row_hash(before, dict(zip(HASHED, values, strict=True)))
        db.execute(
            "UPDATE audit_log SET prev_hash = ?, row_hash = ? WHERE chain_seq = ?",
            (before, mine, values[0]),
        )
        before = mine


def _rewrite_without_heads(db: sqlite3.Connection) -> None:
    _rewrite(db)
    db.execute("DELETE FROM audit_head")


type _Change = Callable[[sqlite3.Connection], None]

_CHANGES: tuple[tuple[str, _Change, str], ...] = (
    ("one row changed", _one_row, "changed"),
    ("one row removed", _removed_row, "gap"),
    ("tail cut off with its heads", _cut, "cut"),
    ("whole file rewritten", _rewrite, "rewritten"),
    ("rewritten and heads removed", _rewrite_without_heads, "rewritten"),
)
