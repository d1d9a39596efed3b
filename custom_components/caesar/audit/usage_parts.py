"""The table of what models were used for: read once at start, then written as it grows."""

from collections.abc import Iterable
import sqlite3
from typing import Final

KEPT_DAYS: Final = 400
_NUMBERS: Final = (
    "calls",
    "input",
    "output",
    "cache_read",
    "cache_write",
    "estimated",
    "priced",
    "cost",
)
_COLUMNS: Final = ", ".join(_NUMBERS)
_GROWN: Final = ", ".join(f"{name} = max({name}, excluded.{name})" for name in _NUMBERS)

type PartRow = tuple[str, str, str, *tuple[float, ...]]
"""Agent, model, quarter of an hour, and the numbers in the order of the columns."""


def parts_since(db: sqlite3.Connection, quarter: str) -> list[PartRow]:
    """Return the rows from a quarter of an hour on."""
    return db.execute(
        f"SELECT agent, model, quarter, {_COLUMNS} FROM usage_parts"  # noqa: S608 - names of our own
        " WHERE quarter >= ?",
        (quarter,),
    ).fetchall()


def put_parts(db: sqlite3.Connection, rows: Iterable[PartRow]) -> None:
    """Write numbers, which only grow, so that writing twice does no harm.

    Drops what is long gone.
    """
    for row in rows:
        db.execute(
            f"INSERT INTO usage_parts (agent, model, quarter, {_COLUMNS})"  # noqa: S608 - names of our own
            f" VALUES ({', '.join('?' * len(row))})"
            f" ON CONFLICT (agent, model, quarter) DO UPDATE SET {_GROWN}",
            row,
        )
        db.execute(
            "DELETE FROM usage_parts WHERE quarter < date(?, ?)",
            (row[2], f"-{KEPT_DAYS} days"),
        )
