"""The dispatches of the last days: what was asked for, by whom, and what was decided."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
from typing import Any, Final

from .reading import reader

_COLUMNS: Final = "chain_seq, created_at, decision_id, event_type, caller, payload"
_DISPATCHES: Final = "('tool.intended', 'policy.denied', 'tool.denied')"
_REFUSALS: Final = "('policy.denied', 'tool.denied')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """One tool call of the past, as its first row holds it.

    `caller`, `arguments` and `decision` are the JSON of `Caller`, `call.arguments`
    and `ToolDecision`. `created_at` is UTC, `2026-10-01 18:00:00.000000`.
    """

    seq: int
    created_at: str
    decision_id: str
    tool: str
    caller: Mapping[str, Any]
    arguments: Mapping[str, Any]
    decision: Mapping[str, Any]
    entities: tuple[str, ...]


def dispatches(
    path: Path, since: str, limit: int, *, refused: bool = False
) -> list[Dispatch]:
    """Return the newest calls after `since`, newest first, at most `limit`.

    `refused` asks for those only that were not let through. Requests that never became
    a call are not among them. Raises sqlite3.Error.
    """
    with reader(path) as db:
        return list(_read(db, since, limit, _REFUSALS if refused else _DISPATCHES))


def dispatch(path: Path, seq: int) -> Dispatch | None:
    """Return one refused call by the number of its row. Raises sqlite3.Error."""
    with reader(path) as db:
        rows = db.execute(
            f"SELECT {_COLUMNS} FROM audit_log WHERE chain_seq = ?"  # noqa: S608 - names of our own
            f" AND event_type IN {_REFUSALS}",
            (seq,),
        )
        return next((_dispatch(*row) for row in rows), None)


def _read(
    db: sqlite3.Connection, since: str, limit: int, types: str
) -> Iterator[Dispatch]:
    for row in db.execute(
        f"SELECT {_COLUMNS} FROM audit_log WHERE event_type IN {types}"  # noqa: S608 - names of our own
        " AND created_at > ? ORDER BY chain_seq DESC LIMIT ?",
        (since, limit),
    ):
        yield _dispatch(*row)


def _dispatch(
    seq: int,
    created_at: str,
    decision_id: str,
    _event_type: str,
    caller: str | None,
    payload: str,
) -> Dispatch:
    said = json.loads(payload)
    return Dispatch(
        seq=seq,
        created_at=created_at,
        decision_id=decision_id,
        tool=str(said.get("tool", "")),
        caller=_mapping(json.loads(caller) if caller else None),
        arguments=_mapping(said.get("input")),
        decision=_mapping(said.get("decision")),
        entities=tuple(map(str, said.get("pinned") or ())),
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
