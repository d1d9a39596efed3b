"""Rows of the trail that a person may recall: turns, and calls that were carried out."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
import json
import sqlite3
from typing import Any, Final

_TYPES: Final = "('chat.completed', 'service.called', 'tool.called')"
_COLUMNS: Final = "chain_seq, created_at, event_type, caller, payload"


@dataclass(frozen=True, slots=True, kw_only=True)
class PastEvent:
    """A row of the trail; `created_at` is UTC, `caller` the JSON of a `Caller`."""

    seq: int
    created_at: str
    type: str
    caller: Mapping[str, Any]
    payload: Mapping[str, Any]


def after(db: sqlite3.Connection, seq: int, limit: int) -> list[PastEvent]:
    """Return the first rows after row `seq`, in their order."""
    return _read(db, f"chain_seq > ? AND event_type IN {_TYPES}", (seq,), limit)


def read(db: sqlite3.Connection, seqs: Collection[int]) -> list[PastEvent]:
    """Return these rows in their order, without those that there are not."""
    marks = ", ".join("?" * len(seqs))
    where = f"chain_seq IN ({marks}) AND event_type IN {_TYPES}"
    return _read(db, where, tuple(seqs), len(seqs))


def _read(
    db: sqlite3.Connection, where: str, values: tuple[int, ...], limit: int
) -> list[PastEvent]:
    found = db.execute(
        f"SELECT {_COLUMNS} FROM audit_log WHERE {where}"  # noqa: S608 - words of our own
        " ORDER BY chain_seq LIMIT ?",
        (*values, limit),
    )
    return [
        PastEvent(
            seq=seq,
            created_at=created_at,
            type=type_,
            caller=json.loads(caller) if caller else {},
            payload=json.loads(payload),
        )
        for seq, created_at, type_, caller, payload in found
    ]
