"""A disk that is slow, full, or holds rubbish where the trail should be."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
import gc
import json
import os
from pathlib import Path
import subprocess
import sys
import time
from typing import Any, Final

from custom_components.caesar.audit.event import AuditEvent, AuditEventType

from . import loop_lag
from .findings import check, left_in, must
from .loop_lag import LagReport
from .small_house import DATABASE, SmallHouse, small_house

SHIM = Path(__file__).with_name("slow_fsync.c")
CALLS = 40
MOST_LAG_MS = 2.0
MEASURED_AT_MOST = 6
PLANTED_MS = 3
_IN_LINE: Final = {
    True: "",
    False: "; this kernel doesn't tell how long a thread stands in line for a core, so"
    " all of that counts as the program's",
}
RUBBISH = b"this is no database, whatever its name says. " * 2_000


def prove_count(folder: Path) -> str:
    """Return how many fdatasync calls an intent of a mutating call costs."""
    report = _measure(folder, 0)
    must(report["per_intent"] >= 1, "each mutating intent is on the disk itself")
    must(report["per_intent"] <= 1.5, f"and costs no more: {report['per_intent']}")
    # 40 rows may complete the 64 after which a head is signed, on the disk itself.
    must(report["reads"] <= 1, f"reads cost none: {report['reads']}")
    return (
        f"{report['per_intent']:.2f} fdatasync per mutating intent "
        f"({report['calls']} calls, one after the other), {report['together']} for "
        f"{report['calls']} intents at once, {report['reads']} for {CALLS // 2} reads "
        "(at most that of a signed head)"
    )


def prove_slow(folder: Path, milliseconds: int) -> str:
    """Return how the loop and the calls fare with that slow a disk."""
    worse: list[str] = []
    while True:
        report = _measure(folder / str(len(worse)), milliseconds)
        must(report["answered"] == report["calls"], "every turn answers")
        lag, idle = (LagReport.of(report[name]) for name in ("lag", "idle"))
        if lag.own <= MOST_LAG_MS:
            break
        # The same work takes several times as long on a core that others have used
        # meanwhile, which no kernel tells. What the disk has to do with it is shown by
        # the same calls, as far apart, on a quick one.
        quick = _measure(folder / f"quick{len(worse)}", 0, pause=milliseconds)
        same = LagReport.of(quick["lag"])
        worse.append(f"{lag}; on a quick disk: {same}")
        if lag.own <= same.own + MOST_LAG_MS:
            break
        must(
            len(worse) < MEASURED_AT_MOST,
            f"the loop lags at most {MOST_LAG_MS} ms by what the program does, or as it"
            f" does on a quick disk: {' / '.join(worse)}",
        )
    slow = f"THE CORE WAS SLOW, over {MOST_LAG_MS} ms: {' / '.join(worse)}; "
    return (slow if worse else "") + (
        f"{report['answered']} of {report['calls']} turns answered, a call took "
        f"{report['latency']:.0f} ms at the median; loop lag {lag}; longest collection "
        f"of garbage {report['garbage']:.2f} ms; the same loop with nothing to do: "
        f"{idle}{_IN_LINE[report['in_line']]}"
    )


def prove_planted(folder: Path) -> str:
    """Return that a loop which is kept busy, or from its lock, would be found."""
    said = []
    for plant in PLANTS:
        lag = LagReport.of(_measure(folder / plant, 20, plant)["lag"])
        must(lag.own > MOST_LAG_MS, f"{plant} of {PLANTED_MS} ms is found: {lag}")
        said.append(f"{plant}: own {lag.own:.2f} ms")
    return f"{PLANTED_MS} ms planted are found; {', '.join(said)}"


def prove_full(folder: Path) -> str:
    """Return what happened on a disk without any room, and after there was some."""
    (folder / "caesar").mkdir()
    with _tiny_disk(folder / "caesar") as mounted:
        if not mounted:
            return "not shown here: mounting a small disk needs root"
        return asyncio.run(_full(folder))


def prove_rubbish(folder: Path) -> str:
    """Return what happened when the file was replaced and overwritten."""
    return asyncio.run(_rubbish(folder))


def _measure(
    folder: Path, milliseconds: int, plant: str = "", pause: int = 0
) -> dict[str, Any]:
    """Run `_measured` in a process of its own, under the preloaded libraries."""
    folder.mkdir(exist_ok=True)
    library = folder / "slow_fsync.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", library, SHIM], check=True)
    environment = os.environ | {
        "LD_PRELOAD": f"{library} {loop_lag.library_in(folder)}",
        "FSYNC_MS": str(milliseconds),
        "FSYNC_COUNT": str(folder / "count"),
    }
    done = subprocess.run(
        [sys.executable, "-m", __name__, folder, plant, str(pause)],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


async def _measured(folder: Path, plant: str, pause: int) -> dict[str, Any]:
    count = folder / "count"

    def counted() -> int:
        return count.stat().st_size if count.exists() else 0

    async def nothing(_: str) -> None:
        return

    # Other programs must not stop a thread of ours that holds the interpreter's lock:
    # the loop's wait for it could not be told from a wait of our own making.
    with suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    idle = await loop_lag.lags_during(asyncio.sleep(0.1 if plant else 2))
    async with small_house(folder, nothing) as house:
        await house.act()
        latencies: list[float] = []
        answered = 0

        async def calls() -> None:
            nonlocal answered
            for number in range(CALLS):
                await asyncio.sleep(pause / 1_000)
                started = time.monotonic()
                outcome = await house.act()
                latencies.append(time.monotonic() - started)
                answered += outcome.error is None
                if plant and number == CALLS // 2:
                    await PLANTS[plant]()

        # What the start left behind is no part of the calls; what they leave is.
        gc.collect()
        before = counted()
        with loop_lag.pauses() as garbage:
            lag = await loop_lag.lags_during(calls())
        one_by_one = counted() - before
        before = counted()
        events = [_intent(house) for _ in range(CALLS)]
        await asyncio.gather(*events)
        together = counted() - before
        before = counted()
        for _ in range(CALLS // 2):
            await house.read()
        reads = counted() - before
    return {
        "calls": CALLS,
        "answered": answered,
        "latency": 1_000 * sorted(latencies)[CALLS // 2],
        "per_intent": one_by_one / CALLS,
        "together": together,
        "reads": reads,
        "lag": lag,
        "idle": idle,
        "garbage": max(garbage, default=0.0),
        "in_line": loop_lag.counts_standing_in_line(),
    }


async def _keep_loop_busy() -> None:
    until = time.perf_counter() + PLANTED_MS / 1_000
    while time.perf_counter() < until:
        pass


async def _keep_lock() -> None:
    """Keep the interpreter's lock in another thread, in one call of a C function."""

    def keep() -> None:
        until = time.perf_counter() + 2 * PLANTED_MS / 1_000
        while time.perf_counter() < until:
            # Some ms each; the lock is only given away between two of them.
            sum(range(1_000_000))

    await asyncio.to_thread(keep)


PLANTS: dict[str, Callable[[], Awaitable[None]]] = {
    "busy-loop": _keep_loop_busy,
    "kept-lock": _keep_lock,
}


async def _intent(house: SmallHouse) -> None:
    await house.audit.intend(
        AuditEvent(
            type=AuditEventType.TOOL_INTENDED,
            decision_id="together",
            caller=None,
            policy_rev="",
            payload={"tool": "light.turn_on", "domain": "light"},
            durable=True,
        )
    )


@contextmanager
def _tiny_disk(folder: Path) -> Iterator[bool]:
    """Mount a disk of 2 MB on the folder, if that is allowed here."""
    mounted = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder],
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
        == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", folder], check=True)


async def _full(folder: Path) -> str:
    effects: list[str] = []

    async def effect(context_id: str) -> None:
        effects.append(context_id)

    async with small_house(folder, effect) as house:
        must((await house.act()).error is None, "it works before")
        filler = folder / "caesar" / "filler"
        await asyncio.to_thread(_fill, filler)
        refused = 0
        while refused == 0:
            outcome = await house.act()
            refused += outcome.error is not None
        must(outcome.error is not None, "a mutating call is refused")
        assert outcome.error is not None
        must(outcome.error.code == "audit_unavailable", f"as {outcome.error.code}")
        had = len(effects)
        for _ in range(5):
            must((await house.act()).error is not None, "and the next ones")
            must((await house.read()).error is None, "a read is answered")
        must(len(effects) == had, "nothing happened")
        must(house.issue("audit_unavailable") is not None, "a repair issue says so")
        await asyncio.to_thread(filler.unlink)
        started = time.monotonic()
        while (await house.act()).error is not None:
            must(time.monotonic() - started < 60, "it recovers by itself")
            await asyncio.sleep(0.1)
        after = time.monotonic() - started
        await asyncio.sleep(0)
        must(house.issue("audit_unavailable") is None, "the repair issue is gone")
        said = outcome.error.message
    verdict = check(folder / DATABASE, folder)
    must(verdict.ok, f"the chain is whole: {verdict}")
    must(
        set(effects) <= set(left_in(folder / DATABASE).intents.values()),
        "no effect without an intent",
    )
    return (
        f"mutating calls refused ({said!r}), reads answered, repair issue; "
        f"working again {after:.1f} s after there was room; chain whole"
    )


def _fill(filler: Path) -> None:
    """Take all room there is."""
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4_096)
        except OSError:
            pass


async def _rubbish(folder: Path) -> str:
    effects: list[str] = []

    async def effect(context_id: str) -> None:
        effects.append(context_id)

    database = folder / DATABASE

    def replace() -> None:
        other = database.with_name("other")
        other.write_bytes(RUBBISH)
        other.rename(database)

    def overwrite() -> None:
        with database.open("r+b") as file:
            file.write(RUBBISH)

    said = []
    async with small_house(folder, effect) as house:
        for name, spoil in (
            ("unlinked", database.unlink),
            ("replaced", replace),
            ("overwritten", overwrite),
        ):
            for _ in range(5):
                await house.act()
            if name == "overwritten":
                # What was destroyed in place is gone; all before that must be there.
                _all_there(database, effects)
            await asyncio.to_thread(spoil)
            had = len(effects)
            outcome = await house.act()
            must(len(effects) == had, f"{name}: the call at that moment is refused")
            must((await house.read()).error is None, "a read is answered")
            must((await house.act()).error is None, f"{name}: then it is well again")
            await asyncio.sleep(0)
            issue = house.issue("audit_chain_broken")
            must(issue is not None or name == "unlinked", "a repair issue says so")
            key = issue.translation_key if issue else "nothing lost, no issue"
            code = outcome.error.code.value if outcome.error else "done"
            said.append(f"{name}: next call {code} ({key})")
    verdict = check(database, folder)
    must(verdict.ok, f"the chain is whole: {verdict}")
    kept = sorted(item.name for item in database.parent.glob("*.damaged-?"))
    return (
        f"{'; '.join(said)}; chain whole, it begins with {verdict.begins}; "
        f"kept aside: {', '.join(kept)}"
    )


def _all_there(database: Path, effects: list[str]) -> None:
    lost = set(effects) - set(left_in(database).intents.values())
    must(not lost, f"no row is lost by unlinking or replacing the file: {len(lost)}")


if __name__ == "__main__":
    place, planted, pause = sys.argv[1:]
    print(json.dumps(asyncio.run(_measured(Path(place), planted, int(pause)))))
