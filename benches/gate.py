"""What the whole gate takes around a call that does nothing.

Usage: script/bench gate [CALLS]

The real gate with policy and guards, and the real trail on the disk of the temporary
folder: an intent and an outcome row for each call, that of a change synced to the disk
before anything happens. "plain sync" is what this disk takes for the same bytes alone:
much of a change is that.
"""

import asyncio
from collections.abc import Awaitable, Callable
import os
from pathlib import Path
from statistics import median, quantiles
import sys
import tempfile
import time
from typing import Final

from custom_components.caesar.turn import ToolOutcome
from proofs.crash_parts.small_house import small_house

CALLS: Final = 2_000
WARM_UP: Final = 50
PAGE: Final = b"x" * 4096


async def nothing(context_id: str) -> None:
    """Have no effect."""


async def measure(
    ask: Callable[[], Awaitable[ToolOutcome]], count: int
) -> tuple[float, float]:
    """Return median and 99th percentile of one call, in milliseconds."""
    took = []
    for number in range(WARM_UP + count):
        start = time.perf_counter_ns()
        outcome = await ask()
        if number >= WARM_UP:
            took.append((time.perf_counter_ns() - start) / 1e6)
        if outcome.error is not None:
            raise SystemExit(f"a call was refused: {outcome.error}")
    return median(took), quantiles(took, n=100)[98]


def plain_sync(folder: Path, count: int) -> tuple[float, float]:
    """Return what appending a page and syncing it takes here."""
    took = []
    with (folder / "plain").open("wb", buffering=0) as file:
        for _ in range(count):
            start = time.perf_counter_ns()
            file.write(PAGE)
            os.fdatasync(file.fileno())
            took.append((time.perf_counter_ns() - start) / 1e6)
    return median(took), quantiles(took, n=100)[98]


async def bench(count: int) -> dict[str, tuple[float, float]]:
    """Return the figures of a read, a change, and the bare disk."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "caesar").mkdir()
        async with small_house(folder, nothing) as house:
            found = {
                "a read": await measure(house.read, count),
                "a change": await measure(house.act, count),
            }
        found["plain sync"] = plain_sync(folder, count)
    return found


def main() -> int:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else CALLS
    print(f"{'':12} {'p50 ms':>8} {'p99 ms':>8}   ({count} calls each)")
    for name, (middle, late) in asyncio.run(bench(count)).items():
        print(f"{name:12} {middle:8.3f} {late:8.3f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
