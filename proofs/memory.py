"""What is said to CAESAR lies nowhere in clear, outlives a restart, and can be erased.

Usage: script/prove memory [--small]

A real Home Assistant, its log at its loudest, with a model server that keeps what it is
sent. Words of turns that call no tool are looked for in the bytes of every file below
`caesar/` and `.storage`, and in the log. Then it is started again on the same folder:
the model is sent the conversations of before. They are forgotten: what tools were
given stays in the trail, whose chain verifies before and after; nothing else does.
Words moved into another conversation open nowhere. Last, how long it takes. `--small`
kills no process and fills the file with less.
"""

import argparse
import asyncio
import json
from pathlib import Path
import signal
import sqlite3
import sys
from typing import Final

from proofs.crash_parts.findings import must, prove_all
from proofs.memory_parts.measuring import measure
from proofs.memory_parts.real import (
    DATABASE,
    Talk,
    Words,
    files_with,
    house,
    log_of,
    loggers_with,
    model_of,
    swap,
)

OURS: Final = "custom_components.caesar"


def prove_house(folder: Path, small: bool) -> str:
    """Prove it in a real house; return what was seen."""
    return asyncio.run(_prove(folder / "config", small))


async def _prove(config: Path, small: bool) -> str:
    config.mkdir()
    words = Words()
    async with model_of(words) as model:
        async with house(config, model) as (talk, _):
            dialog = await _talk(talk, words)
        loud = await _nowhere(config, words)
        async with house(config, model) as (talk, process):
            await _remembered(talk, words, dialog)
            forgotten = await _forgotten(talk, words)
            await _swapped(talk, words)
            if not small:
                await talk.say(f"remember {words.said[4]}", "killed")
                process.send_signal(signal.SIGKILL)
                await process.wait()
        loud |= await _nowhere(config, words)
        kill = ""
        if not small:
            async with house(config, model) as (talk, _):
                await talk.say("and what was that", "killed")
                must(words.said[4] in talk.sent(), "the last turn before a kill stays")
            kill = "; the turn answered just before a SIGKILL too"
    return (
        "no word of a turn in any file below caesar/ or .storage (UTF-8, UTF-16), nor "
        f"written to the log by CAESAR (at debug level others did: {sorted(loud)}); a "
        f"restart keeps a dialog and two conversations{kill}; {forgotten}; words "
        "moved into another conversation are refused, and a repair says so"
    )


async def _talk(talk: Talk, words: Words) -> str:
    """Say something in three conversations; return the name of the dialog."""
    dialog = await talk.type(f"please remember {words.said[0]}")
    await talk.say(f"please remember {words.said[1]}", "one")
    await talk.say(f"please remember {words.said[2]}", "two")
    must(words.answered not in talk.sent(), "conversations don't meet")
    rows = await asyncio.to_thread(_rows, talk.config)
    must(len(rows) == 3, f"three turns are kept: {rows}")
    return dialog


async def _nowhere(config: Path, words: Words) -> set[str]:
    """Look for the words; return whose log lines hold them, which CAESAR's never do."""
    for name in ("caesar", ".storage"):
        found = await asyncio.to_thread(files_with, config / name, words.secret)
        must(not found, f"no words below {name}: {found}")
    loggers = await asyncio.to_thread(loggers_with, log_of(config), words.secret)
    ours = {name for name in loggers if name.startswith(OURS)}
    must(not ours, f"CAESAR logs no words: {ours}")
    text = await asyncio.to_thread(log_of(config).read_text, errors="replace")
    must("DEBUG (MainThread)" in text, "the log is at debug level")
    return loggers


async def _remembered(talk: Talk, words: Words, dialog: str) -> None:
    again = await talk.type("and what was that", dialog)
    must(again == dialog, "a dialog keeps its name")
    must(
        words.said[0] in talk.sent() and words.answered in talk.sent(),
        f"the dialog is known after a restart: {talk.sent()}",
    )
    must(words.said[1] not in talk.sent(), "no other conversation is")
    await talk.say("and what was that", "one")
    must(words.said[1] in talk.sent(), "so is a conversation by its own name")
    await talk.say("tell nobody", "one")


async def _forgotten(talk: Talk, words: Words) -> str:
    """Forget by word and by action, and see what is left."""
    config = talk.config
    must(await talk.chain_is_whole(), "the chain is whole before")
    before = await asyncio.to_thread(_rows, config)
    await talk.say("forget all of this", "one")
    await talk.say("and what was that", "one")
    must(talk.turns_sent() == 1, f"a model is sent nothing of it: {talk.sent()}")
    await talk.say("and what was that", "two")
    must(words.said[2] in talk.sent(), "other conversations are untouched")
    erased = await talk.client.action("caesar.forget", {"scope": "user"})
    left = await asyncio.to_thread(_rows, config)
    must(not left and erased["turns"] > 0, f"nothing is kept: {left}")
    must(await talk.chain_is_whole(), "the chain is whole after")
    trail = await asyncio.to_thread(files_with, config / "caesar", [words.given])
    must(
        bool(trail) and trail <= {"caesar.db", "caesar.db-wal"},
        f"what a tool was given stays in the trail: {trail}",
    )
    for payload in await asyncio.to_thread(_erasures, config):
        must(set(payload) == _COUNTS, f"the trail holds counts only: {payload}")
    return (
        f"of {len(before)} turns forget left none, and of all words only what a tool "
        "was given, in the trail; the chain verifies before and after"
    )


_COUNTS: Final = {"scope", "of_user", "turns", "questions", "checkpoints", "planned"}


async def _swapped(talk: Talk, words: Words) -> None:
    await talk.say(f"remember {words.said[3]}", "left")
    await talk.say(f"remember {words.said[4]}", "right")
    await asyncio.to_thread(swap, talk.config / DATABASE)
    await talk.reload()
    for conversation in ("left", "right"):
        await talk.say("and what was that", conversation)
        must(talk.turns_sent() == 1, f"a swapped row is refused: {talk.sent()}")
    must(await talk.told(), "a repair says so")
    must(await talk.chain_is_whole(), "the chain is whole")


def _rows(config: Path) -> list[tuple[int]]:
    return _read(config, "SELECT id FROM bot_memory")


def _erasures(config: Path) -> list[dict[str, object]]:
    found = _read(
        config, "SELECT payload FROM audit_log WHERE event_type = 'memory.erased'"
    )
    must(len(found) == 2, f"each time is on record: {found}")
    return [json.loads(str(payload)) for (payload,) in found]


def _read(config: Path, statement: str) -> list[tuple[int]]:
    db = sqlite3.connect(f"file:{config / DATABASE}?mode=ro", uri=True)
    try:
        return db.execute(statement).fetchall()
    finally:
        db.close()


def main() -> int:
    """Run the proof; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove memory")
    parser.add_argument("--small", action="store_true")
    small: bool = parser.parse_args().small
    others = 1_000 if small else 95_000
    good = prove_all(
        "memory",
        [
            ("house", lambda folder: prove_house(folder, small)),
            ("time", lambda folder: asyncio.run(measure(folder, others))),
        ],
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
