"""How long a local worker takes to start, and how much memory it holds."""

import json
from pathlib import Path
import statistics
import subprocess
import time

from custom_components.caesar.adapters.worker_launch import environment, prepare
from custom_components.caesar.legion.keys import Identity
from proofs.crash_parts.findings import must

from .processes import status

_READY_S = 30.0


def prove_size(folder: Path, starts: int) -> str:
    """Start it as the house does, so many times; the first start warms the disk."""
    seconds, sizes = [], []
    for number in range(starts + 1):
        took, size = _start(folder)
        if number:
            seconds.append(took)
            sizes.append(size)
    return (
        f"{starts} starts with the calculator: {statistics.median(seconds):.2f} s at the"
        f" median, {max(seconds):.2f} s at most, until it says where it listens;"
        f" {max(sizes) / 1024:.0f} MB resident"
    )


def _start(folder: Path) -> tuple[float, int]:
    """Return the seconds to the first line, and the resident KiB after it."""
    launch = prepare(folder)
    values = {
        "CAESAR_LEGION__SEED": Identity.generate().seed,
        "CAESAR_LEGION__HA_PUBLIC_KEY": Identity.generate().public_key,
        "CAESAR_LEGION__TOOLS": '["calculator"]',
    }
    started = time.monotonic()
    process = subprocess.Popen(
        launch.command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd="/",
        env=environment("UTC", values),
    )
    try:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        took = time.monotonic() - started
        must(line["failed"] == {}, f"the calculator is served: {line}")
        return took, int(status(process.pid)["VmRSS"].split()[0])
    finally:
        process.communicate(timeout=_READY_S)
        launch.clean_up()
        must(process.returncode == 0, "it ends when its stdin closes")
