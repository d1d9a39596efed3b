"""The local worker: small, quick, alive, walled in, and never left behind.

Usage: script/prove local_worker [--small] [--kills N] [--real N]

Runs real processes: started as Home Assistant starts them, killed over and over below a
house whose clock is injected, and below a real Home Assistant that is killed itself.
`--small` kills 10 times and once instead of 50 and 20 times.
"""

import argparse
import asyncio
from collections.abc import Callable
from pathlib import Path
import sys

from proofs.crash_parts.findings import prove_all
from proofs.local_worker_parts.keeping import prove_keeping
from proofs.local_worker_parts.measuring import prove_size
from proofs.local_worker_parts.orphans import prove_orphans


def main() -> int:
    """Run all parts; return 1 if a promise did not hold."""
    options = _options()
    parts: list[tuple[str, Callable[[Path], str]]] = [
        ("memory and start", lambda folder: prove_size(folder, options.starts)),
        (
            "killed under a house",
            lambda folder: asyncio.run(prove_keeping(folder, options.kills)),
        ),
        (
            "Home Assistant killed",
            lambda folder: asyncio.run(prove_orphans(folder, options.real)),
        ),
    ]
    return 0 if prove_all("local", parts) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/prove local_worker")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--real", type=int)
    options = parser.parse_args()
    if options.kills is None:
        options.kills = 10 if options.small else 50
    if options.real is None:
        options.real = 1 if options.small else 20
    options.starts = 3 if options.small else 10
    return options


if __name__ == "__main__":
    sys.exit(main())
