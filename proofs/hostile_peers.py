"""Hostile peers of a real Home Assistant: each is refused and written down.

Usage: script/prove hostile_peers [--small]

Workers that a house has enrolled lie in every way of the list; somebody on the line
bends and repeats what the house sends; ten thousand workers announce themselves by
mDNS. After each lie an honest worker is called, after all of them those that lied.
It takes place in a network namespace of its own, which takes root. `--small` sends a
thousand announcements.
"""

import argparse
import asyncio
from pathlib import Path
import sys
import tempfile

from proofs.crash_parts.findings import Unproven
from proofs.hostile_peers_parts.stage import prove
from proofs.hosts_parts.network import leave_network, lonely_cable
from proofs.hosts_parts.transcript import Transcript


def main() -> int:
    """Tell all lies; return 1 if one was believed."""
    parser = argparse.ArgumentParser(prog="script/prove hostile_peers")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    transcript = Transcript()
    with tempfile.TemporaryDirectory(prefix="caesar-hostile-") as name:
        try:
            leave_network()
            lonely_cable()
            floods = (1_000,) if options.small else (1_000, 10_000)
            asyncio.run(prove(transcript, Path(name) / "config", floods))
        except Unproven as err:
            transcript.say(f"NOT SO: {err}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
