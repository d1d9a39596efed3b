"""Reads what a spoken turn did from CAESAR's audit trail, after the run.

`caesar.ask` returns its calls; a satellite only gets an answer, and the id of its
decision beside it.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
import json
from pathlib import Path
import sqlite3
from typing import Any

from .answers import Turn
from .errors import HouseError

AUDIT_DB = Path("caesar") / "caesar.db"

# One row for each dispatch, as in the view audit_trail, with the whole payloads.
CALLS = """
    SELECT asked.payload, told.payload
    FROM audit_log asked LEFT JOIN audit_log told ON told.intent_seq = asked.chain_seq
    WHERE asked.decision_id = ? AND asked.intent_seq IS NULL AND asked.event_type IN (
        'tool.intended', 'service.called', 'policy.denied', 'tool.called',
        'tool.denied', 'tool.invalid', 'tool.skipped')
    ORDER BY asked.chain_seq
"""


def with_calls(turns: list[Turn], folder: Path) -> list[Turn]:
    """Return the turns with what the trail says of their decisions.

    Raises HouseError if there is no trail, or a turn has no decision.
    """
    path = folder / AUDIT_DB
    if not path.is_file():
        raise HouseError("CAESAR has kept no audit trail.")
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
        return [replace(turn, calls=_calls(database, turn)) for turn in turns]


def _calls(database: sqlite3.Connection, turn: Turn) -> tuple[dict[str, Any], ...]:
    if turn.decision_id is None:
        raise HouseError(f"The answer to {turn.text!r} does not name its decision.")
    rows = database.execute(CALLS, (turn.decision_id,)).fetchall()
    return tuple(
        _call(json.loads(asked), json.loads(told) if told else None)
        for asked, told in rows
    )


def _call(asked: Mapping[str, Any], told: Mapping[str, Any] | None) -> dict[str, Any]:
    decision = asked["decision"]
    result = (told or asked).get("outcome", {})
    code = decision["code"]
    outcome = "none"
    if decision["verdict"] == "allow":
        outcome = "ok" if result.get("ok") else "error"
        code = result.get("error") or code
    return {
        "tool": asked["tool"],
        "target": asked.get("pinned") or asked.get("touched") or _named(asked),
        "verdict": decision["verdict"],
        "code": code,
        "rule": decision.get("rule"),
        "outcome": outcome,
    }


def _named(asked: Mapping[str, Any]) -> list[str]:
    """Return the entities that a read names; what it found is not in the trail."""
    named = asked.get("input", {}).get("entity_id", [])
    return named if isinstance(named, list) else [named]
