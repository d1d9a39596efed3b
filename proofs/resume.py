"""Kill Home Assistant while a question waits or a yes is used; nothing is done twice.

Usage: script/prove resume [--small] [--kills N]

A real Home Assistant is asked to unlock a door, which needs a person. It is killed while
the question waits, or at a chance moment after the yes, and started again. What waited
goes on once it is answered; what may have been done is never done again, and is told.
`--small` kills twice.
"""

import argparse
import asyncio
from collections import Counter
from dataclasses import dataclass
import json
from pathlib import Path
import random
import signal
import sqlite3
import sys
import tempfile
from typing import Any, Final

from house.client import Client
from house.moving_in import AGENT
from proofs.crash_parts.device import device
from proofs.crash_parts.findings import Unproven, check, effects_in, must
from proofs.crash_parts.real import real_house

DATABASE: Final = "caesar/caesar.db"
ASK: Final = {"text": "unlock the front door", "language": "en", "agent": AGENT}
# What the trail must say of each turn in the end.
ENDS: Final = frozenset({"chat.completed", "loop.abandoned"})


@dataclass(slots=True, kw_only=True)
class Sum:
    """What has happened in all."""

    asked: int = 0
    waiting: int = 0
    in_the_middle: int = 0


async def prove(folder: Path, kills: int, random_: random.Random) -> str:
    """Kill it so many times; return what was seen. Raises Unproven."""
    config = folder / "config"
    config.mkdir()
    total = Sum()
    with device(folder) as (socket, log):
        async with real_house(config, socket):
            # Stopped once in good order, so that Home Assistant's own settings (what is
            # shared with Assist) are on the disk: it saves them late.
            pass
        for number in range(kills + 1):
            async with real_house(config, socket) as (client, process):
                await _answer_all(client)
                await _until_nothing_waits(client, config / DATABASE)
                if number == kills:
                    break
                answer = await client.action("caesar.ask", ASK)
                must(answer["calls"][0]["code"] == "approval_needed", f"asks: {answer}")
                total.asked += 1
                if number % 2:
                    total.in_the_middle += 1
                    await _answer_all(client)
                    await asyncio.sleep(random_.uniform(0, 0.06))
                else:
                    total.waiting += 1
                process.send_signal(signal.SIGKILL)
                await process.wait()
        effects = await asyncio.to_thread(effects_in, log)
    done = await asyncio.to_thread(_look, config / DATABASE)
    must(len(effects) == len(set(effects)), "no effect happens twice")
    must(max(done.values(), default=0) <= 1, f"no turn does it twice: {done}")
    must(total.waiting <= len(effects) <= total.asked, "what waited was done")
    verdict = await asyncio.to_thread(check, config / DATABASE, config)
    must(verdict.ok, f"the chain is whole: {verdict}")
    return (
        f"{total.asked} questions; killed {total.waiting} times while one waited and "
        f"{total.in_the_middle} times after the yes; {len(effects)} effects, 0 twice; "
        "no turn is left behind; chain whole"
    )


async def _answer_all(client: Client) -> None:
    """Say yes to all that waits, as the owner."""
    found = await client.action("caesar.pending", {})
    for pending in found["approvals"]:
        await client.request(
            "POST",
            "/api/services/caesar/approve",
            {"approval_id": pending["approval_id"]},
        )


async def _until_nothing_waits(client: Client, database: Path) -> None:
    """Wait until every turn that was parked has come to its end."""
    async with asyncio.timeout(30):
        while True:
            found = await client.action("caesar.pending", {})
            left = await asyncio.to_thread(
                _rows, database, "SELECT * FROM tool_loop_checkpoints"
            )
            if not found["approvals"] and not left:
                return
            await asyncio.sleep(0.1)


def _look(database: Path) -> Counter[str]:
    """Return how often each turn unlocked; raises Unproven for one without an end."""
    done: Counter[str] = Counter()
    kinds: dict[str, list[str]] = {}
    for turn, kind, payload in _rows(
        database,
        "SELECT decision_id, event_type, payload FROM audit_log"
        " WHERE decision_id <> '' ORDER BY chain_seq",
    ):
        kinds.setdefault(turn, []).append(kind)
        done[turn] += kind == "tool.intended" and (
            json.loads(payload)["tool"] == "lock.unlock"
        )
    for turn, seen in kinds.items():
        parked = "loop.checkpointed" in seen
        after = seen[seen.index("loop.checkpointed") + 1 :] if parked else seen
        # The first one says that it was parked.
        ends = [kind for kind in after if kind in ENDS]
        must(len(ends) > parked, f"turn {turn} has an end: {seen}")
    return done


def _rows(database: Path, statement: str) -> list[tuple[Any, ...]]:
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        return db.execute(statement).fetchall()
    finally:
        db.close()


def main() -> int:
    """Run the proof; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove resume")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--kills", type=int)
    options = parser.parse_args()
    kills = options.kills or (2 if options.small else 10)
    with tempfile.TemporaryDirectory(prefix="caesar-resume-") as folder:
        try:
            print(asyncio.run(prove(Path(folder), kills, random.Random(3))))
        except Unproven as err:
            print(f"NOT SO: {err}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
