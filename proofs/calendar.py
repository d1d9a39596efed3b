"""What is on the calendars: thirty shapes of events, from two servers, in four homes.

Usage: script/prove calendar [--small]

Real Radicale and Xandikos hold what people and programs really write: series over the
change of clocks, moved and cancelled instances, Outlook's zones, whole days, an event
every second. Each is asked of the worker as Home Assistant does; each must take place
right to the minute. `--small` asks for one home instead of four.
"""

import argparse
import asyncio
from collections.abc import Mapping
from pathlib import Path
import sys
import tempfile
import time
from typing import Any

from proofs.crash_parts.findings import Unproven, must
from tests.core.legion.calendar_read.bombs import SERVED_BOMB
from tests.core.legion.calendar_read.places import RANGE, Place, ask, places, titles
from tests.core.legion.calendar_read.shapes import HOMES, SHAPES, Shape
from tests.fakes.servers import running_servers


def main() -> int:
    """Run; return 1 if a shape was told wrongly."""
    parser = argparse.ArgumentParser(prog="script/prove calendar")
    parser.add_argument("--small", action="store_true")
    homes = HOMES[:1] if parser.parse_args().small else HOMES
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="caesar-calendar-") as folder:
        try:
            with running_servers(Path(folder), "--xandikos") as servers:
                asyncio.run(_prove(list(places(servers)), homes))
        except (Unproven, AssertionError) as err:
            print(f"NOT SO: {err}")
            return 1
    print(f"({time.monotonic() - started:.0f} s)")
    return 0


async def _prove(servers: list[Place], homes: tuple[str, ...]) -> None:
    columns = [(server, home) for server in servers for home in homes]
    answers = []
    times = []
    for server in servers:
        await asyncio.to_thread(_fill, server)
    for server, home in columns:
        started = time.monotonic()
        answers.append(await ask(server.settings("shapes"), RANGE, zone=home))
        times.append(time.monotonic() - started)
    wrong = 0
    width = max(len(shape.name) for shape in SHAPES)
    heads = [f"{server.name} {home.rsplit('/')[-1]}" for server, home in columns]
    print(" " * width, *heads, sep="  ")
    for shape in SHAPES:
        cells = []
        for (_, home), head, answer in zip(columns, heads, answers, strict=True):
            cell, right = _cell(shape, home, answer)
            wrong += not right
            cells.append(cell.ljust(len(head)))
        print(shape.name.ljust(width), *cells, sep="  ")
    milliseconds = sorted(round(1000 * spent) for spent in times)
    print(
        f"a question took {milliseconds[0]} to {milliseconds[-1]} ms, from the start on"
    )
    must(wrong == 0, f"{wrong} cells are wrong")
    print(f"{len(SHAPES)} shapes, {len(columns)} columns: all right to the minute")
    await _prove_bomb(servers)


def _fill(server: Place) -> None:
    server.make("shapes", [shape.text for shape in SHAPES])
    server.make("bomb", [SERVED_BOMB.text, SHAPES[0].text])


def _cell(shape: Shape, home: str, answer: Mapping[str, Any]) -> tuple[str, bool]:
    """Return what the table says of a shape, and whether it is right."""
    told = sorted(
        (event["start"], event["end"])
        for event in answer["events"]
        if event["title"] == shape.name
    )
    expected = shape.expected(home)
    if told == expected:
        return f"{len(told)} right", True
    return f"WRONG {told} for {expected}", False


async def _prove_bomb(servers: list[Place]) -> None:
    for server in servers:
        started = time.monotonic()
        answer = await ask(server.settings("bomb"), RANGE)
        codes = [error["code"] for error in answer.get("errors", ())]
        must(codes == ["repeats_too_often"], f"{server.name} names the bomb: {codes}")
        must(
            set(titles(answer)) == {SHAPES[0].name},
            f"{server.name} tells what is beside the bomb: {titles(answer)}",
        )
        print(
            f"{server.name}: an event every second is left out and said,"
            f" what is beside it is told ({time.monotonic() - started:.1f} s)"
        )


if __name__ == "__main__":
    sys.exit(main())
