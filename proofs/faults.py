"""Whatever goes wrong with a brain, a person hears why, and nothing is done twice.

Usage: script/prove faults [--small]

Each fault of a model's server is played to each kind of model, through its real SDK, in
a turn of Home Assistant: alone, and with a second brain in the chain that is well. The
table says what the person heard and what the trail says; it is also written to
`.cache/faults.md`. Waiting is shortened: 0.3 s of silence instead of 30 to 60, 0.9 s for
a round instead of 120. `--small` plays each fault once, to one kind of model.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
import logging
from pathlib import Path
import sys
import tempfile
import time
from typing import Final

from proofs.crash_parts.findings import Unproven, must
from proofs.faults_parts.builtin import prove_builtin
from proofs.faults_parts.cases import FAULTS, Fault, let_go
from proofs.faults_parts.house import VENDORS, House, house
from proofs.faults_parts.judge import Row, judge

_KEPT: Final = Path(__file__).resolve().parent.parent / ".cache" / "faults.md"
_HEADS: Final = (
    "| Brain | Fault | Second brain | By | What the person hears | Done | Trail |",
    "|---|---|---|---|---|---|---|",
)


def main() -> int:
    """Run; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove faults")
    parser.add_argument("--small", action="store_true")
    small = parser.parse_args().small
    logging.disable(logging.CRITICAL)
    started = time.monotonic()
    lines = list(_HEADS)
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="caesar-faults-") as folder:
        try:
            asyncio.run(_prove(Path(folder), small, lines, wrong))
        except (Unproven, AssertionError) as err:
            wrong.append(str(err))
    print("\n".join(lines))
    _KEPT.parent.mkdir(exist_ok=True)
    _KEPT.write_text("\n".join([*lines, ""]))
    for each in wrong:
        print(f"NOT SO: {each}")
    spent = time.monotonic() - started
    print(f"{len(lines) - len(_HEADS)} cells, {len(wrong)} wrong ({spent:.0f} s)")
    return 1 if wrong else 0


async def _prove(folder: Path, small: bool, lines: list[str], wrong: list[str]) -> None:
    async with house(folder) as home:
        async for row in _rows(home, small):
            lines.append(row.line())
            wrong += judge(row)
    must(len(lines) > len(_HEADS), "something was played")


async def _rows(home: House, small: bool) -> AsyncIterator[Row]:
    for vendor in VENDORS:
        await home.async_use(vendor)
        for fault in _faults(vendor, small):
            for agent in ("alone", "chained"):
                yield await _row(home, vendor, fault, agent)
                if fault.calls:
                    yield await _row(home, vendor, fault, agent, by_voice=True)
    async for row in prove_builtin(home):
        yield row


def _faults(vendor: str, small: bool) -> Iterator[Fault]:
    """Yield what is played to a vendor; with `small`, every third, so that all are."""
    for number, fault in enumerate(FAULTS):
        known = [each for each in VENDORS if fault.steps(each) is not None]
        if vendor in known and not (small and known[number % len(known)] != vendor):
            yield fault


async def _row(
    home: House, vendor: str, fault: Fault, agent: str, *, by_voice: bool = False
) -> Row:
    home.play(vendor, fault.steps(vendor) or ())
    async with home.gone(vendor) if fault.down else nullcontext():
        cell = await home.async_ask(agent, by_voice=by_voice)
        let_go()
    return Row(
        vendor=vendor,
        fault=fault,
        chained=agent == "chained",
        by_voice=by_voice,
        cell=cell,
        issues=home.issues(),
        asked_again=home.asked_again(),
    )


if __name__ == "__main__":
    sys.exit(main())
