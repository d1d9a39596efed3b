"""What CAESAR adds to Home Assistant's start time and memory.

Usage: script/bench start [RUNS]

Builds the demo house once, then starts it RUNS times with CAESAR and RUNS times with
CAESAR's entry switched off, in turn, and prints the medians: seconds until Home
Assistant is running, and its resident memory in MB two seconds later.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
import json
from pathlib import Path
import re
from statistics import median
import sys
import tempfile
import time
from typing import Final

import aiohttp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "demo"))

from house.client import Site
from house.onboarding import log_in, until_running, until_up
from house.options import parse
from house.process import home_assistant
from house.seed import free_port, prepare
from house.standing import standing_house

ENTRIES: Final = Path(".storage/core.config_entries")
SETTLE_SECONDS: Final = 2.0


def switch(folder: Path, *, on: bool) -> None:
    """Switch CAESAR's entry on or off in the stored configuration."""
    path = folder / ENTRIES
    stored = json.loads(path.read_text())
    for entry in stored["data"]["entries"]:
        if entry["domain"] == "caesar":
            entry["disabled_by"] = None if on else "user"
    path.write_text(json.dumps(stored))


def resident_mb(pid: int) -> float:
    """Return a process's resident memory."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1024


async def start(folder: Path) -> tuple[float, float]:
    """Start the house once; return seconds until it runs, and its memory."""
    port = free_port()
    prepare(folder, port, None)
    since = time.monotonic()
    async with home_assistant(folder) as process, aiohttp.ClientSession() as session:
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        await until_running(await log_in(site, "owner"), process)
        seconds = time.monotonic() - since
        await asyncio.sleep(SETTLE_SECONDS)
        return seconds, resident_mb(process.pid)


async def measure(runs: int) -> Mapping[bool, Sequence[tuple[float, float]]]:
    """Return what each start took, with CAESAR (True) and without."""
    found: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        async with standing_house(parse(["--ask", "x", "--no-servers"]), folder):
            pass
        for on in turns(runs):
            switch(folder, on=on)
            found[on].append(await start(folder))
    return found


def turns(runs: int) -> Iterator[bool]:
    """Yield on and off in turn."""
    for _ in range(runs):
        yield True
        yield False


def main() -> int:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    found = asyncio.run(measure(runs))
    medians = {
        on: tuple(median(values) for values in zip(*starts, strict=True))
        for on, starts in found.items()
    }
    for on, label in ((False, "without"), (True, "with")):
        seconds, memory = medians[on]
        print(f"{label:8} CAESAR: {seconds:5.2f} s until running, {memory:6.1f} MB")
    added = [with_ - without for with_, without in zip(*medians.values(), strict=True)]
    print(
        f"added by CAESAR: {added[0]:+.2f} s, {added[1]:+.1f} MB ({runs} starts each)"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
