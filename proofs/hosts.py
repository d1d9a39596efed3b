"""Workers on another host: found, added, called, killed, found again, replaced.

Usage: script/prove hosts [--small]

Two network namespaces joined by a veth pair, which takes root: a real Home Assistant
with the demo house in one, workers in the other, installed from the wheel without Home
Assistant. `--small` leaves out what takes its time: a restart at the same port, which
only the next hello notices, and a breaker that closes again.
"""

import argparse
import asyncio
from pathlib import Path
import sys
import tempfile

from proofs.crash_parts.findings import Unproven
from proofs.hosts_parts.away import Installing
from proofs.hosts_parts.network import leave_network, second_host
from proofs.hosts_parts.story import tell
from proofs.hosts_parts.transcript import Transcript


def main() -> int:
    """Tell the story; return 1 if it went otherwise."""
    parser = argparse.ArgumentParser(prog="script/prove hosts")
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    transcript = Transcript()
    with tempfile.TemporaryDirectory(prefix="caesar-hosts-") as name:
        folder = Path(name)
        installing = Installing(folder / "environment")
        try:
            leave_network()
            with second_host() as host:
                asyncio.run(
                    tell(transcript, host, installing, folder, whole=not options.small)
                )
        except Unproven as err:
            transcript.say(f"NOT SO: {err}")
            return 1
        finally:
            installing.stop()
    transcript.say("all of it is so")
    return 0


if __name__ == "__main__":
    sys.exit(main())
