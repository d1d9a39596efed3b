"""Let a hostile model, an owner, people, crashes and a clock loose on the real gate.

Usage: script/prove stateful [--small] [--steps N] [--seed N]

A hypothesis state machine over the real gate, policy loader, sentinel, approval desk,
brain and stores. After each step: no effect without a grant of the policy of that
moment (an oracle of its own says so), no effect twice, no approval used twice, and no
row missing. Full size is 20,000 steps, `--small` 6,000 of them, always the same ones.
"""

import argparse
import logging
import sys
import time
from typing import Final

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from proofs.stateful_parts.machine import Story
from proofs.stateful_parts.stage import TOTALS

FULL: Final = 20_000
SMALL: Final = 6_000
_A_STORY: Final = 50
_AT_MOST: Final = 4
_SHOWN: Final = (
    "turns",
    "effects",
    "reads",
    "questions",
    "approvals",
    "approved effects",
    "allowed once",
    "parked turns",
    "resumed turns",
    "replays",
    "probes",
    "policies",
    "policies refused",
    "crashes",
)


def main() -> int:
    """Run stories until there were enough steps."""
    options = _options()
    logging.disable(logging.CRITICAL)
    started = time.monotonic()
    number = options.seed
    # Stories leave things out at random; until everything has happened, more are told.
    while TOTALS["steps"] < options.steps * (_AT_MOST if missing() else 1):
        left = max(options.steps - TOTALS["steps"], options.steps // 4)
        try:
            run_state_machine_as_test(
                seed(number)(Story),
                settings=settings(
                    max_examples=max(left // _A_STORY, 1),
                    stateful_step_count=_A_STORY,
                    deadline=None,
                    database=None,
                    print_blob=False,
                    phases=[Phase.generate]
                    if options.small
                    else [Phase.generate, Phase.shrink],
                    suppress_health_check=list(HealthCheck),
                ),
            )
        except Exception as err:  # noqa: BLE001 - whatever a story ends with is shown
            notes = "\n".join(getattr(err, "__notes__", ()))
            print(f"{notes}\n{type(err).__name__}: {err}")
            print(f"0 passed, 1 failed (seed {number}, {TOTALS['steps']} steps)")
            return 1
        number += 1
    said = ", ".join(f"{TOTALS[name]} {name}" for name in _SHOWN)
    print(f"{TOTALS['steps']} steps in {time.monotonic() - started:.0f} s: {said}")
    if empty := missing():
        print(f"These never happened, so nothing was shown of them: {empty}")
    print(f"{not empty:d} passed, {bool(empty):d} failed")
    return 1 if empty else 0


def missing() -> list[str]:
    """Return what no story has had in it yet."""
    return [name for name in _SHOWN if not TOTALS[name] and name != "policies refused"]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/prove stateful")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    if options.steps is None:
        options.steps = SMALL if options.small else FULL
    if options.seed is None:
        options.seed = 1 if options.small else time.time_ns() % 10**6
    return options


if __name__ == "__main__":
    sys.exit(main())
