"""Sums, calendars and the web in the demo house, through workers and real servers."""

from contextlib import closing
from datetime import date, datetime
from itertools import count
import json
from pathlib import Path
import sqlite3
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from house.seed import TIME_ZONE

from .test_demo_run import complaints, left_running, run

# What the calculator can't do, and what is said then.
REFUSED = {
    "en": (
        "what is 1 divided by 0",
        "Calculator couldn't do it: Nothing can be divided by zero.",
    ),
    "de": (
        "was ist 1 geteilt durch 0",
        "Rechner konnte das nicht: Durch null kann man nicht teilen.",
    ),
}

ENGLISH = (
    ("what is 17 percent of 249", "calculator", ("42.33",)),
    ("what is on my calendar tomorrow", "calendar_read", ("Dentist", "Choir")),
    (
        "search the web for the boiling point of ethanol",
        "web_search",
        ("Ethanol", "78.37 °C"),
    ),
)
GERMAN = (
    ("was sind 17 Prozent von 249", "calculator", ("42,33",)),
    ("was steht morgen in meinem Kalender", "calendar_read", ("Zahnarzt", "Chor")),
    (
        "suche im Internet nach dem Siedepunkt von Ethanol",
        "web_search",
        ("Ethanol", "78,37 °C"),
    ),
)


@pytest.mark.parametrize(
    ("language", "asked"), [("en", ENGLISH), ("de", GERMAN)], ids=["en", "de"]
)
async def test_right_answers_by_the_local_worker(
    tmp_path: Path, language: str, asked: tuple[tuple[str, str, tuple[str, ...]], ...]
) -> None:
    """One row each in the trail, with worker and task; nothing else in the log.

    A refusal is said in the language of the question.
    """
    refused, said = REFUSED[language]
    texts = (*(text for text, _, _ in asked), refused)
    questions = [word for text in texts for word in ("--ask", text)]
    for night in count():
        folder, day = tmp_path / f"house{night}", today()
        code, output, messages = await run(
            *("--json", "--language", language, "--keep", str(folder)),
            *questions,
            servers=True,
        )
        if today() == day:
            break
        # Midnight came between the events' being written and being asked for.
    assert code == 0, messages
    report = json.loads(output)
    rows = rows_of(Path(report["audit_db"]))
    *turns, last = report["turns"]
    assert last["answer"] == said
    assert [(call["tool"], call["outcome"]) for call in last["calls"]] == [
        ("calculator", "error")
    ]
    for turn, (_, tool, words) in zip(turns, asked, strict=True):
        assert all(word in turn["answer"] for word in words), turn["answer"]
        assert tool in [call["tool"] for call in turn["calls"]], turn["calls"]
        assert {(call["verdict"], call["outcome"]) for call in turn["calls"]} == {
            ("allow", "ok")
        }
        (row,) = [row for row in rows[turn["decision_id"]] if row["tool"] == tool]
        assert row["worker"] == "local"
        assert row["task_id"]
    assert complaints(folder) == []
    assert left_running(folder) == []


def today() -> date:
    """Return the date in the demo house."""
    return datetime.now(ZoneInfo(TIME_ZONE)).date()


def rows_of(database: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the trail by turn, each with what its outcome says."""
    found: dict[str, list[dict[str, Any]]] = {}
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as trail:
        for decision_id, asked, outcome in trail.execute(
            "SELECT t.decision_id, i.payload, o.payload FROM audit_trail t"
            " JOIN audit_log i ON i.chain_seq = t.chain_seq"
            " JOIN audit_log o ON o.intent_seq = t.chain_seq"
        ):
            row = {**json.loads(asked), **json.loads(outcome)}
            found.setdefault(decision_id, []).append(row)
    return found
