"""A house's life: upgrade, downgrade, backup and restore, removal, set up again.

Usage: script/prove life [--small]

Real Home Assistants. One is started on what version 0.1.0 left, then meets a newer
file and a newer entry. Another is furnished, backed up by Home Assistant's own backup
while people talk, and restored into a Home Assistant that never heard of CAESAR, by
the page that greets its owner; there CAESAR is removed, and set up again. What was seen
stays in `.cache/life.md`. `--small` leaves out the downgrade, and the restore into the
house that the backup is of.
"""

import argparse
import asyncio
from pathlib import Path
import sys
import tempfile
import traceback
from typing import Final

from house.seed import ROOT
from proofs.crash_parts.findings import Unproven
from proofs.hosts_parts.transcript import Transcript
from proofs.life_parts.restoring import live_on
from proofs.life_parts.upgrading import downgrade, upgrade

_KEPT: Final = ROOT / ".cache" / "life.md"


def main() -> int:
    """Run; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove life")
    parser.add_argument("--small", action="store_true")
    small: bool = parser.parse_args().small
    told = Transcript()
    good = True
    with tempfile.TemporaryDirectory(prefix="caesar-life-") as folder:
        try:
            asyncio.run(_prove(Path(folder), told, whole=not small))
        except (Unproven, AssertionError, TimeoutError) as err:
            # Where it waited is all that a TimeoutError says.
            traceback.print_exc()
            told.say(f"NOT SO: {err!r}")
            good = False
    if good:
        told.say("all of it is so")
    told.keep(_KEPT)
    return 0 if good else 1


async def _prove(folder: Path, told: Transcript, *, whole: bool) -> None:
    async def first_version() -> None:
        port = await upgrade(folder / "first", told)
        if whole:
            await downgrade(folder / "first", port, told)

    # Two houses that know nothing of each other.
    await asyncio.gather(first_version(), live_on(folder, told, whole=whole))


if __name__ == "__main__":
    sys.exit(main())
