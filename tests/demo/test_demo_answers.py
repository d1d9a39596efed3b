"""What script/run prints of a turn, and reads of a spoken one."""

from collections.abc import Mapping
from contextlib import closing
import json
from pathlib import Path
import sqlite3
from typing import Any

import pytest

from house.answers import Turn
from house.errors import HouseError
from house.trail import AUDIT_DB, with_calls

RESPONSE = {
    "answer": "I may not unlock the front door.",
    "decision_id": "d-1",
    "conversation_id": "c-1",
    "calls": [
        {
            "tool": "lock.unlock",
            "target": ["lock.front_door"],
            "verdict": "ask",
            "code": "no_approver",
            "rule": "locks",
            "outcome": "none",
        },
        {
            "tool": "find_entities",
            "target": [],
            "verdict": "allow",
            "code": "allowed",
            "rule": None,
            "outcome": "ok",
        },
    ],
}


def write_trail(folder: Path, *rows: tuple[str, int | None, Mapping[str, Any]]) -> None:
    """Write a trail of the columns that are read; a row is type, intent, payload."""
    path = folder / AUDIT_DB
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "CREATE TABLE audit_log (chain_seq INTEGER PRIMARY KEY, decision_id TEXT, "
            "event_type TEXT, intent_seq INTEGER, payload TEXT)"
        )
        database.executemany(
            "INSERT INTO audit_log VALUES (?, 'd-1', ?, ?, ?)",
            [
                (number, kind, intent, json.dumps(payload))
                for number, (kind, intent, payload) in enumerate(rows, start=1)
            ],
        )
        database.commit()


def spoken(decision_id: str | None = "d-1") -> Turn:
    """Return a turn as the satellite gives it."""
    return Turn(text="hello", answer="Done.", decision_id=decision_id)


def test_a_turn_is_told_in_json_and_in_words() -> None:
    """The keys are those that were promised; the words name call and reason."""
    turn = Turn.of("unlock the front door", RESPONSE)
    assert turn.as_dict() == {
        "text": "unlock the front door",
        "answer": RESPONSE["answer"],
        "decision_id": "d-1",
        "calls": RESPONSE["calls"],
    }
    assert turn.as_text().splitlines() == [
        "> unlock the front door",
        "I may not unlock the front door.",
        "    ask   lock.unlock  lock.front_door  [no_approver; locks; none]",
        "    allow find_entities  -  [allowed; no rule; ok]",
    ]


def test_the_calls_of_a_spoken_turn_are_in_the_trail(tmp_path: Path) -> None:
    """An intent with its outcome, one that failed, a refusal and a read."""
    allow = {"verdict": "allow", "code": "allowed", "rule": "lights"}
    write_trail(
        tmp_path,
        (
            "tool.intended",
            None,
            {"tool": "light.turn_on", "decision": allow, "pinned": ["light.a"]},
        ),
        ("service.called", 1, {"outcome": {"ok": True}}),
        ("tool.intended", None, {"tool": "light.turn_on", "decision": allow}),
        ("service.called", 3, {"outcome": {"ok": False, "error": "service_error"}}),
        (
            "policy.denied",
            None,
            {
                "tool": "lock.unlock",
                "decision": {"verdict": "deny", "code": "no_rule", "rule": None},
                "touched": ["lock.b"],
                "outcome": {"ok": False, "error": "no_rule"},
            },
        ),
        (
            "tool.intended",
            None,
            {
                "tool": "get_state",
                "decision": allow,
                "input": {"entity_id": "light.a"},
            },
        ),
        ("tool.called", 6, {"outcome": {"ok": True}}),
        ("chat.completed", None, {}),
    )
    (turn,) = with_calls([spoken()], tmp_path)
    assert [tuple(call.values()) for call in turn.calls] == [
        ("light.turn_on", ["light.a"], "allow", "allowed", "lights", "ok"),
        ("light.turn_on", [], "allow", "service_error", "lights", "error"),
        ("lock.unlock", ["lock.b"], "deny", "no_rule", None, "none"),
        ("get_state", ["light.a"], "allow", "allowed", "lights", "ok"),
    ]


def test_a_turn_without_a_decision_is_a_fault(tmp_path: Path) -> None:
    """Not an answer without calls."""
    write_trail(tmp_path)
    with pytest.raises(HouseError, match="does not name its decision"):
        with_calls([spoken(None)], tmp_path)


def test_a_missing_trail_is_a_fault(tmp_path: Path) -> None:
    """And none is created by looking."""
    with pytest.raises(HouseError, match="no audit trail"):
        with_calls([spoken()], tmp_path)
    assert not (tmp_path / AUDIT_DB).exists()
