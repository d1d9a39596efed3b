"""Kill, starve and deceive the trail; nothing that was promised is lost or repeated.

Usage: script/prove crash [--small] [--kills N] [--real N]

Runs the real gate and trail with a device in a process of its own, a real Home
Assistant, a preloaded library that slows and counts fdatasync, a full disk, and files
that somebody changed. `--small` does a tenth of the kills and no real Home Assistant.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
import sys

from proofs.crash_parts.cancelling import prove_cancelling
from proofs.crash_parts.disk import (
    prove_count,
    prove_full,
    prove_planted,
    prove_rubbish,
    prove_slow,
)
from proofs.crash_parts.findings import prove_all
from proofs.crash_parts.kills import prove_kills
from proofs.crash_parts.real import prove_real
from proofs.crash_parts.tampering import prove_tampering


def main() -> int:
    """Run all parts; return 1 if a promise did not hold."""
    options = _options()
    parts: list[tuple[str, Callable[[Path], str]]] = [
        ("kills", lambda folder: prove_kills(folder, options.kills)),
        ("cancelled turns", prove_cancelling),
        ("fdatasync", prove_count),
        ("slow disk, 20 ms", lambda folder: prove_slow(folder, 20)),
        ("slow disk, 200 ms", lambda folder: prove_slow(folder, 200)),
        ("loop kept busy on purpose", prove_planted),
        ("full disk", prove_full),
        ("rubbish", prove_rubbish),
        ("changed files", prove_tampering),
    ]
    if options.real:
        parts.append(
            ("real Home Assistant", lambda folder: prove_real(folder, options.real))
        )
    return 0 if prove_all("crash", parts) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/prove crash")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--kills", type=int)
    parser.add_argument("--real", type=int)
    options = parser.parse_args()
    if options.kills is None:
        options.kills = 20 if options.small else 200
    if options.real is None:
        options.real = 0 if options.small else 20
    return options


if __name__ == "__main__":
    sys.exit(main())
