"""`script/run` itself: a real Home Assistant, started, asked and stopped."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
import json
from pathlib import Path
import re
import signal
import sqlite3
from typing import Any

import pytest

from house.answers import Turn
from house.ask import asking
from house.options import Asker, parse
from house.process import LOG_FILE
from house.standing import standing_house
from house.trail import AUDIT_DB, with_calls

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
# What Home Assistant says of every custom integration, and of --skip-pip.
NOTICES = ("We found a custom integration", "Skipping pip installation")


@asynccontextmanager
async def running(*arguments: str, servers: bool = False) -> AsyncIterator[Process]:
    """Run script/run; it must be over at the end. `servers` as its option says."""
    process = await asyncio.create_subprocess_exec(
        ROOT / "script" / "run",
        *arguments,
        *([] if servers else ["--no-servers"]),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def run(*arguments: str, servers: bool = False) -> tuple[int, str, str]:
    """Run script/run to its end; returns exit code, output and messages."""
    async with running(*arguments, servers=servers) as process:
        output, messages = await process.communicate()
        assert process.returncode is not None
        return process.returncode, output.decode(), messages.decode()


def complaints(folder: Path) -> list[str]:
    """Return what Home Assistant's log holds beside the two notices."""
    lines = (folder / LOG_FILE).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not any(notice in line for notice in NOTICES)]


def left_running(folder: Path) -> list[str]:
    """Return the processes that still work on the folder."""
    found = []
    for command_line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = command_line.read_bytes().split(b"\0")
        except OSError:
            continue
        if str(folder).encode() in words and b"homeassistant" in words:
            found.append(command_line.parent.name)
    return found


def calls_of(turn: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return a turn's calls without code and rule, which are the policy's affair."""
    return [
        (call["tool"], call["target"], call["verdict"], call["outcome"])
        for call in turn["calls"]
    ]


async def test_a_question_is_answered_in_one_conversation(tmp_path: Path) -> None:
    """With --talk a yes opens the door, once, and both are one row."""
    code, output, messages = await run(
        *("--json", "--talk", "--keep", str(tmp_path / "house")),
        *("--ask", "unlock the front door", "--ask", "yes", "--ask", "yes"),
    )
    assert code == 0, messages
    report = json.loads(output)
    asked, done, again = report["turns"]
    assert [call["code"] for call in asked["calls"]] == ["approval_needed"]
    assert calls_of(done) == [("lock.unlock", ["lock.front_door"], "allow", "ok")]
    assert again["calls"] == []
    assert report["states"]["lock.front_door"]["state"] == "unlocked"


async def test_a_family_with_a_childs_room(tmp_path: Path) -> None:
    """The set-up asks for the children's rooms; a child has light there only."""
    code, output, messages = await run(
        *("--json", "--policy", "family", "--as", "child"),
        *("--keep", str(tmp_path / "house")),
        *("--ask", "turn on the night light", "--ask", "turn on the kitchen light"),
    )
    assert code == 0, messages
    own, other = json.loads(output)["turns"]
    assert calls_of(own) == [("light.turn_on", ["light.night_light"], "allow", "ok")]
    assert [call["code"] for call in other["calls"]] == ["caller_not_covered"]


async def test_the_main_job_in_one_command(tmp_path: Path) -> None:
    """It acts, refuses, reads, and leaves states and trail to look at."""
    folder = tmp_path / "house"
    code, output, messages = await run(
        *("--json", "--keep", str(folder)),
        *("--ask", "turn on the kitchen light"),
        *("--ask", "unlock the front door"),
        *("--ask", "which lights are on?"),
    )
    assert code == 0, messages
    report = json.loads(output)
    assert list(report) == ["turns", "states", "audit_db"]
    light, door, reading = report["turns"]
    assert set(light) == {"text", "answer", "decision_id", "calls"}
    assert calls_of(light) == [
        ("light.turn_on", ["light.kitchen_light"], "allow", "ok")
    ]
    ((tool, target, verdict, outcome),) = calls_of(door)
    assert (tool, target, outcome) == ("lock.unlock", ["lock.front_door"], "none")
    assert (verdict, door["calls"][0]["code"]) == ("ask", "approval_needed")
    assert door["answer"] == "Shall I unlock Front door (Hall)? Say yes or no."
    assert "Kitchen light" in reading["answer"]
    assert report["states"]["light.kitchen_light"]["state"] == "on"
    assert report["states"]["lock.front_door"]["state"] == "locked"
    assert report["states"]["light.hall_light"]["attributes"]["brightness"] == 255
    assert Path(report["audit_db"]) == folder / "caesar" / "caesar.db"
    with closing(
        sqlite3.connect(f"file:{report['audit_db']}?mode=ro", uri=True)
    ) as database:
        rows = database.execute("SELECT decision_id FROM audit_trail").fetchall()
    calls = sum(len(turn["calls"]) for turn in report["turns"])
    assert len(rows) == calls
    assert {turn["decision_id"] for turn in report["turns"]} == {row[0] for row in rows}
    assert complaints(folder) == []
    assert left_running(folder) == []


@pytest.mark.usefixtures("socket_enabled")
async def test_others_ask_as_well(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Each is heard in its own way, and in German; the trail knows who it was."""
    question = "welche Lichter sind an?"
    quiet = parse(["--port", "0", "--no-servers"])
    turns: dict[Asker, Turn] = {}
    async with standing_house(quiet, tmp_path) as house:
        for asker in (Asker.CHILD, Asker.SATELLITE, Asker.AUTOMATION):
            with subtests.test(asker=asker.value):
                async with asking(asker, house.site, house.owner) as ask:
                    turns[asker] = await ask(question, "de")
                assert "Hall light" in turns[asker].answer
    (spoken,) = with_calls([turns[Asker.SATELLITE]], tmp_path)
    for turn in (turns[Asker.CHILD], spoken, turns[Asker.AUTOMATION]):
        assert {call["verdict"] for call in turn.calls} == {"allow"}
    with closing(sqlite3.connect(tmp_path / AUDIT_DB)) as database:
        origins = dict(
            database.execute(
                "SELECT DISTINCT decision_id, origin || coalesce(user_id, '') "
                "FROM audit_log WHERE caller IS NOT NULL"
            )
        )
    assert origins[turns[Asker.CHILD].decision_id].startswith("chat")
    assert origins[spoken.decision_id] == "voice"
    assert origins[turns[Asker.AUTOMATION].decision_id] == "automation"
    assert complaints(tmp_path) == []


async def test_a_house_to_look_at_stops_on_ctrl_c(tmp_path: Path) -> None:
    """It says where it is and how to log in; nothing stays behind."""
    folder = tmp_path / "house"
    async with running("--keep", str(folder), "--port", "0") as process:
        assert process.stderr is not None
        said = ""
        while "Ctrl-C" not in said:
            line = await process.stderr.readline()
            assert line, said
            said += line.decode()
        assert re.search(r"http://127\.0\.0\.1:\d+", said)
        assert "owner / password" in said
        assert len(left_running(folder)) == 1
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 0
    assert left_running(folder) == []
    assert complaints(folder) == []


async def test_a_failure_is_a_sentence_and_the_path_of_the_log(tmp_path: Path) -> None:
    """Here Home Assistant finds a folder in place of a file, and gives up."""
    folder = tmp_path / "house"
    (folder / ".storage" / "core.config_entries").mkdir(parents=True)
    code, output, messages = await run("--keep", str(folder), "--ask", "hello")
    assert code == 1
    assert output == ""
    assert "Home Assistant ended while it was starting." in messages
    assert str(folder / LOG_FILE) in messages
    assert "Traceback" not in messages
    assert left_running(folder) == []
