"""A question to a person outlives a killed Home Assistant, and nothing gets round it.

Usage: script/prove approvals [--small]

A real Home Assistant with the real companion-app integration, fake phones, a satellite
and a fake model that obeys an attacker. It is killed while ten questions wait; then
files are changed behind its back, it is started again, and the phones' buttons are
pressed. `--small` is the same: there is nothing to leave out.
"""

import argparse
import asyncio
from pathlib import Path
import sys
import tempfile
import time

from proofs.approvals_parts.answering import prove_answers
from proofs.approvals_parts.asking import ask_all, change_behind_its_back
from proofs.approvals_parts.cases import CASES, POLICY
from proofs.approvals_parts.talking import SCRIPT_RULES, prove_talk
from proofs.crash_parts.findings import Unproven, must
from proofs.house_parts.household import household

# Questions that were changed in the file.
SPOILT = 4


def main() -> int:
    """Run; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove approvals")
    parser.add_argument("--small", action="store_true")
    parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="caesar-approvals-") as folder:
        try:
            for line in asyncio.run(_prove(Path(folder))):
                print(line)
        except (Unproven, AssertionError) as err:
            print(f"NOT SO: {err}")
            return 1
    print(f"({time.monotonic() - started:.0f} s)")
    return 0


async def _prove(folder: Path) -> list[str]:
    script = {
        "rules": [*(case.rule() for case in CASES.values()), *SCRIPT_RULES],
        "default": "I have nothing to say.",
    }
    said: list[str] = []
    async with household(folder, POLICY, script) as (house, process):
        asked = await ask_all(house, process)
        change_behind_its_back(house.folder, asked)
        async with house.up():
            said += await prove_answers(house, asked)
            said += await prove_talk(house, asked)
        complaints = house.complaints()
        kept = [line for line in complaints if "kept question" in line]
        must(len(kept) == SPOILT, f"each spoilt question is reported: {kept}")
        must(kept == complaints, f"nothing else of CAESAR's: {complaints}")
    return said


if __name__ == "__main__":
    sys.exit(main())
