"""Who may do what, under one policy file: an owner, a child, a satellite, an automation.

Usage: script/prove callers [--small]

A real Home Assistant and a fake model that obeys an attacker. Prints a table of who may
do what; forged devices and satellites over REST and websocket; another agent over MCP,
by the protocol's own client; a hundred refusals; a refusal made a rule; two dozen ways
to a door. `--small` is the same.
"""

import argparse
import asyncio
from pathlib import Path
import sys
import tempfile
import time

from proofs.callers_parts.forging import prove_forging
from proofs.callers_parts.hostile import attack_rules, prove_hostile
from proofs.callers_parts.matrix import POLICY, WISHES, prove_matrix
from proofs.callers_parts.other_agents import prove_other_agents
from proofs.callers_parts.refusals import prove_rule, prove_storm, storm_rule
from proofs.crash_parts.findings import Unproven, must
from proofs.house_parts.household import household


def main() -> int:
    """Run; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove callers")
    parser.add_argument("--small", action="store_true")
    parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="caesar-callers-") as folder:
        try:
            asyncio.run(_prove(Path(folder)))
        except (Unproven, AssertionError) as err:
            print(f"NOT SO: {err}")
            return 1
    print(f"({time.monotonic() - started:.0f} s)")
    return 0


async def _prove(folder: Path) -> None:
    script = {
        "rules": [
            *(wish.rule() for wish in WISHES),
            storm_rule(),
            *attack_rules(),
        ],
        "default": "I have nothing to say.",
    }
    async with household(folder, POLICY, script) as (house, _):
        print("who may do what:", await prove_matrix(house), sep="\n")
        print("forged satellites:", await prove_forging(house))
        print("another agent over MCP:", await prove_other_agents(house))
        print(await prove_storm(house))
        print(await prove_rule(house))
        print("ways to a door, none of them open:", await prove_hostile(house))
        verdict = await house.owner.action("caesar.verify_audit", {})
        must(verdict["ok"] is True, f"the chain is whole: {verdict}")
        print(f"the chain of {verdict['rows']} rows is whole")
        complaints = house.complaints()
        must(not complaints, f"nothing of CAESAR's in the log: {complaints[:3]}")


if __name__ == "__main__":
    sys.exit(main())
