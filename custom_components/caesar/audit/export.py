"""The whole story of one decision, in order, for a person or another program."""

import json
from pathlib import Path
from typing import Final

from ..legion.canonical import Json
from .chain import COLUMNS
from .reading import reader

_PARSED: Final = ("caller", "taint", "payload")


def export(path: Path, decision_id: str) -> list[dict[str, Json]]:
    """Return all rows of a decision, oldest first. Raises sqlite3.Error.

    The columns are those of `audit_log`; caller, taint and payload are parsed.
    """
    with reader(path) as db:
        rows = db.execute(
            f"SELECT {', '.join(COLUMNS)} FROM audit_log"  # noqa: S608 - names of our own
            " WHERE decision_id = ? ORDER BY chain_seq",
            (decision_id,),
        ).fetchall()
    return [_as_json(dict(zip(COLUMNS, row, strict=True))) for row in rows]


def _as_json(row: dict[str, Json]) -> dict[str, Json]:
    for key in _PARSED:
        if isinstance(text := row[key], str):
            row[key] = json.loads(text)
    return row
