"""How long a turn takes with a model that answers at once: CAESAR beside Home Assistant.

Usage: script/bench turn [TURNS] [--small] [--profile FILE]

In one Home Assistant inside this process, without a websocket between; the model's
server is a process of its own. The agents take turns, one turn each, so that whatever
else the machine does meets all of them. "acts" is "turn on the kitchen ceiling": two
round trips, one light. "chats" is "hello": one. The time of the server is in both
alike. CAESAR's turn that acts has an intent synced to the disk before the light is
switched, and an outcome after it: "sync" is what this disk takes for one such write.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
import cProfile
from multiprocessing import get_context
import os
from pathlib import Path
from statistics import median, quantiles
import sys
import tempfile
import time
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "demo"))

from benches.turn_parts.home import Heard, Home, home

SIZES: Final = (10, 100, 1_000)
TURNS: Final = 50
WARM_UP: Final = 5
ACTS: Final = "turn on the kitchen ceiling"
CHATS: Final = "hello"
WITH_MODEL: Final = ("CAESAR", "core")
WITHOUT: Final = ("CAESAR, built in", "core, local")

type Figures = dict[str, list[float]]


@asynccontextmanager
async def model() -> AsyncIterator[str]:
    """Run the model's server; yields its address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "benches.turn_parts.model"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


async def turn(house: Home, agent: str, text: str) -> Heard:
    """Say something once; return how long it took, if it came out as it should."""
    heard = await house.say(agent, text)
    lit = house.lit()
    assert len(lit) == (1 if text == ACTS else 0), (agent, text, heard, lit)
    return heard


async def rounds(
    house: Home, agents: tuple[str, ...], text: str, count: int
) -> tuple[Figures, Figures]:
    """Return the milliseconds of turns, and of their first piece, of each agent."""
    whole: Figures = {agent: [] for agent in agents}
    first: Figures = {agent: [] for agent in agents}
    for number in range(WARM_UP + count):
        # Who is first alternates: the second finds warm caches.
        for agent in agents if number % 2 else reversed(agents):
            heard = await turn(house, agent, text)
            if number < WARM_UP:
                continue
            whole[agent].append(heard.seconds * 1000)
            if heard.first is not None:
                first[agent].append(heard.first * 1000)
    return whole, first


def measured(lights: int, count: int, profile: str | None) -> list[str]:
    """Measure in a process of its own: it holds one Home Assistant, not two."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measured, lights, count, profile).result()


def _measured(lights: int, count: int, profile: str | None) -> list[str]:
    return asyncio.run(measure(lights, count, profile))


async def measure(lights: int, count: int, profile: str | None) -> list[str]:
    """Return the lines about a home of so many lights."""
    lines: list[str] = []
    async with model() as url, home(lights, url) as house:
        for label, text in (("acts", ACTS), ("chats", CHATS)):
            whole, first = await rounds(house, WITH_MODEL, text, count)
            lines.append(line(lights, label, whole))
            lines.append(line(lights, f"{label}, first piece", first))
        whole, _ = await rounds(house, WITHOUT, ACTS, count)
        lines.append(line(lights, "acts, no model", whole))
        if profile is not None:
            with cProfile.Profile() as profiler:
                for _ in range(count):
                    await turn(house, "CAESAR", ACTS)
            profiler.dump_stats(f"{profile}.{lights}")
    return lines


def line(lights: int, label: str, figures: Figures) -> str:
    """Return ours and theirs side by side, with the ratio of the medians."""
    (_, ours), (_, theirs) = figures.items()
    if not ours or not theirs:
        return f"{lights:>6,} {label:20} nothing was streamed"
    return (
        f"{lights:>6,} {label:20}"
        f" {median(ours):8.1f} {late(ours):8.1f} {median(theirs):8.1f}"
        f" {late(theirs):8.1f} {median(ours) / median(theirs):7.2f}"
    )


def late(values: list[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(values, n=20)[18]


def timed(act: Callable[[], None], count: int) -> float:
    """Return the median of so many times, in milliseconds."""
    took = []
    for _ in range(count):
        start = time.perf_counter_ns()
        act()
        took.append((time.perf_counter_ns() - start) / 1e6)
    return median(took)


def one_sync() -> float:
    """Return what appending a page and syncing it takes here, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plain"
        with path.open("wb", buffering=0) as file:

            def act() -> None:
                file.write(b"x" * 4096)
                os.fdatasync(file.fileno())

            return timed(act, 50)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="script/bench turn")
    parser.add_argument("turns", type=int, nargs="?", default=TURNS)
    parser.add_argument("--small", action="store_true", help="100 lights, few turns")
    parser.add_argument("--profile", metavar="FILE", help="also write cProfile's stats")
    options = parser.parse_args()
    count = 10 if options.small else options.turns
    print(f"sync: {one_sync():.2f} ms; {count} turns each, milliseconds")
    print(
        f"{'lights':>6} {'':20} {'ours p50':>8} {'p95':>8} {'core p50':>8} {'p95':>8}"
        f" {'ratio':>7}"
    )
    for lights in (100,) if options.small else SIZES:
        print(*measured(lights, count, options.profile), sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
