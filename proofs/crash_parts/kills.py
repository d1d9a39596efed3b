"""Kills a process that runs the real gate and trail, over and over."""

import asyncio
import os
from pathlib import Path
import random
import select
import signal
import time

from custom_components.caesar.audit.event import AuditRow

from .device import device, have_effect
from .findings import NOTHING, check, effects_in, left_in, must
from .small_house import DATABASE, small_house

# How long a slow tool takes after its effect: time enough to be killed in.
SLOW_S = 0.3
# The longest a process lives before it is killed.
LIFE_S = 0.25


def prove_kills(folder: Path, count: int, seed: int = 2) -> str:
    """Kill `count` processes; every second one while a slow tool runs."""
    random_ = random.Random(seed)
    config, database = folder / "config", folder / "config" / DATABASE
    config.mkdir()
    promised: dict[int, str] = {}
    between = reported = 0
    with device(folder) as (socket, log):
        before = NOTHING
        for number in range(count):
            slow = number % 2 == 1
            after = 0.05 if slow else random_.uniform(0.001, LIFE_S)
            said, issue = _live_and_die(config, socket, slow=slow, after=after)
            in_air = before.open & before.changing
            must(issue == len(in_air), "each interrupted call is reported")
            reported += issue
            promised |= said
            left = left_in(database)
            must(promised.items() <= left.rows.items(), "no committed row is lost")
            must(before.open <= left.interrupted, "interrupted calls are concluded")
            verdict = check(database, config)
            must(verdict.ok, f"the chain is whole: {verdict}")
            effects = effects_in(log)
            must(len(effects) == len(set(effects)), "no effect happens twice")
            must(
                set(effects) <= set(left.intents.values()),
                "no effect without an intent",
            )
            between += bool(left.open & left.changing)
            before = left
        _, issue = _live_and_die(config, socket, slow=False, after=0.2)
        must(
            issue == len(before.open & before.changing),
            "each interrupted call is reported",
        )
        reported += issue
    must(between * 4 >= count, f"enough kills between intent and outcome: {between}")
    return (
        f"{count} kills, {between} of them between intent and outcome; "
        f"{len(promised)} rows promised, 0 lost; {len(effects)} effects, 0 without an "
        f"intent, 0 twice; {reported} interrupted calls, each reported; chain of "
        f"{len(left.rows)} rows whole after every kill"
    )


def _live_and_die(
    config: Path, socket: Path, *, slow: bool, after: float
) -> tuple[dict[int, str], int]:
    """Run a process and kill it `after` seconds of work; return what it promised.

    The second value is the number of calls that its repair issue reports. With
    `slow` the seconds count from the moment a call's effect has begun.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            asyncio.run(_live(config, socket, writer, slow=slow))
        finally:
            os._exit(1)
    os.close(writer)
    text = b""
    until: float | None = None
    mark = b"effect\n" if slow else b"started"
    limit = time.monotonic() + 30
    while until is None or time.monotonic() < until:
        must(time.monotonic() < limit, "the process starts and works")
        wait = 0.05 if until is None else max(until - time.monotonic(), 0)
        if select.select([reader], [], [], wait)[0]:
            text += os.read(reader, 65_536)
            if until is None and mark in text:
                until = time.monotonic() + after
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while more := os.read(reader, 65_536):
        text += more
    os.close(reader)
    return _parse(text)


def _parse(text: bytes) -> tuple[dict[int, str], int]:
    promised: dict[int, str] = {}
    issue = 0
    # A line that was being written is none yet.
    for line in text.split(b"\n")[:-1]:
        match line.decode().split():
            case ["row", seq, row_hash]:
                promised[int(seq)] = row_hash
            case ["started", calls]:
                issue = int(calls)
    return promised, issue


async def _live(config: Path, socket: Path, pipe: int, *, slow: bool) -> None:
    def tell(row: AuditRow) -> None:
        os.write(pipe, f"row {row.seq} {row.row_hash}\n".encode())

    async def effect(context_id: str) -> None:
        await have_effect(socket, context_id)
        if slow:
            os.write(pipe, b"effect\n")
            await asyncio.sleep(SLOW_S)

    async with small_house(config, effect, tell) as house:
        # What the writer told of its start has arrived when this returns.
        await asyncio.sleep(0)
        issue = house.issue("audit_interrupted")
        calls = (issue.translation_placeholders or {})["count"] if issue else "0"
        os.write(pipe, f"started {calls}\n".encode())
        while True:
            await asyncio.gather(house.act(), house.read(), house.act())
