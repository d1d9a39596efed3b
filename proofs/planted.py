"""Plant ten faults, one at a time, and see each of them caught.

Usage: script/prove planted [--small] [--stateful]

The sources are copied; in the copy one fault is planted, then the test runs that is
named for it, and must fail. `--stateful` also lets the stories of `script/prove
stateful` look for it. `--small` is the same without: it takes seconds.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
import os
from pathlib import Path
import queue
import shutil
import subprocess
import sys
import tempfile
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CORE: Final = "tests/core"
WORKERS: Final = 2
STEPS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault: texts of the source, each there once, and what stands there instead.

    `test` is the one that is named for it, `stories` whether the state machine looks for
    it too: two lie where its house goes so rarely that it would take hours.
    """

    name: str
    changes: tuple[tuple[str, str, str], ...]
    test: str
    stories: bool = True


FAULTS: Final = (
    Fault(
        name="policy skipped for reads",
        changes=(
            (
                "judging.py",
                "        if parts.allowances is None:\n            return decision\n",
                "        if decision.impact.name == 'READ':\n"
                "            from dataclasses import replace\n"
                "            return replace(decision, verdict=Verdict.ALLOW)\n"
                "        if parts.allowances is None:\n            return decision\n",
            ),
        ),
        test=f"{CORE}/test_gate_reads.py::test_a_read_is_decided_like_all_else",
    ),
    Fault(
        name="decision not repeated after an approval",
        changes=(
            (
                "judging.py",
                "            policy, guard = flight.decision.policy,",
                "            if yes is not None:\n"
                "                return flight.judged(Verdict.ALLOW, _held(yes), yes)\n"
                "            policy, guard = flight.decision.policy,",
            ),
            (
                "judging.py",
                "        policy = self._decide(flight.call, flight.turn)\n"
                "        return (\n",
                "        if flight.yes is not None:\n"
                "            return True\n"
                "        policy = self._decide(flight.call, flight.turn)\n"
                "        return (\n",
            ),
        ),
        test=f"{CORE}/test_gate_changes.py::test_the_decision_is_made_again_after_a_yes",
    ),
    Fault(
        name="intent after the effect",
        changes=(
            (
                "gate.py",
                "            row = await self._intend(flight)\n",
                "            early = await self._execute(flight, None)\n"
                "            row = await self._intend(flight)\n",
            ),
            (
                "gate.py",
                "        outcome = await self._execute(flight, row)\n",
                "        outcome = replace(early, seq=row.seq if row else None)\n",
            ),
        ),
        test=f"{CORE}/test_gate.py::test_step_intend_before_the_effect",
    ),
    Fault(
        name="for ignored",
        changes=(
            (
                "policy/grants.py",
                "if rule.who is not None and not rule.who.covers(self.caller):",
                "if False:",
            ),
        ),
        test=f"{CORE}/policy/test_findings.py::test_the_caller_is_not_kept",
    ),
    Fault(
        name="two rules' targets joined",
        changes=(
            (
                "policy/finding.py",
                "                granted = Granted.of(rule.target, call.domain, now.home)\n",
                "                granted = Granted.of(rule.target, call.domain, now.home)\n"
                "                for other in self._services[tool]:\n"
                "                    if other.target is not None:\n"
                "                        more = Granted.of("
                "other.target, call.domain, now.home)\n"
                "                        granted = Granted("
                "named=granted.named | more.named,"
                " selected=granted.selected | more.selected)\n",
            ),
        ),
        test=f"{CORE}/policy/test_engine.py::test_rules_are_or_ed_but_never_added_up",
    ),
    Fault(
        name="expired approval accepted",
        changes=(
            (
                "sentinel/ledger.py",
                "        return self._now() >= pending.expires_at or",
                "        return False and",
            ),
        ),
        test=f"{CORE}/test_gate_approval.py::test_a_yes_that_ran_out",
    ),
    Fault(
        name="deny glob beaten by a rule",
        changes=(
            (
                "policy/modes.py",
                "        if not self.allow and not self.deny:\n",
                "        if tool in self.services or tool in self.tools:\n"
                "            return None\n"
                "        if not self.allow and not self.deny:\n",
            ),
        ),
        test=f"{CORE}/policy/test_modes.py::test_deny_wins",
    ),
    Fault(
        name="executing call repeated",
        changes=(
            (
                "sentinel/ledger.py",
                "                await self.end(pending, Standing.INTERRUPTED)\n",
                "                await self.move(pending, Standing.APPROVED)\n",
            ),
        ),
        test=f"{CORE}/sentinel/test_desk_restart.py::test_half_done_is_interrupted",
        stories=False,
    ),
    Fault(
        name="two half-open probes",
        changes=(
            (
                "sentinel/circuit_breaker.py",
                "            if breaker.probe is None or breaker.probe is call:\n"
                "                return PASS\n",
                "            return PASS\n",
            ),
        ),
        test=f"{CORE}/sentinel/test_circuit_breaker.py::test_two_half_open_probes",
    ),
    Fault(
        name="the model's arguments instead of the stored ones",
        changes=(
            (
                "judging.py",
                "if yes.args_hash != args_hash(asked.call):",
                "if False:",
            ),
            (
                "sentinel/desk.py",
                "(pending.args_hash, pending.digest) != (args_hash, digest)",
                "pending.digest != digest",
            ),
        ),
        test=f"{CORE}/test_gate_approval.py::test_other_arguments_have_no_yes",
        stories=False,
    ),
)


class Copies:
    """Copies of the sources, one for each worker."""

    def __init__(self, folder: Path, count: int) -> None:
        """Make them."""
        self._free: queue.Queue[Path] = queue.Queue()
        for number in range(count):
            copy = folder / str(number)
            for part in ("custom_components", "tests", "demo", "proofs"):
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / part, copy / part, ignore=ignored)
            shutil.copy(ROOT / "pyproject.toml", copy)
            self._free.put(copy)

    def run(self, fault: Fault, *command: str) -> subprocess.CompletedProcess[str]:
        """Plant a fault in one of them, run a module of Python there, take it out."""
        copy = self._free.get()
        sources = copy / "custom_components" / "caesar"
        originals: dict[Path, str] = {}
        try:
            for name, old, new in fault.changes:
                path = sources / name
                text = path.read_text()
                originals.setdefault(path, text)
                if text.count(old) != 1:
                    raise SystemExit(f"{fault.name}: {name} has changed: {old!r}")
                path.write_text(text.replace(old, new))
            return subprocess.run(
                [sys.executable, "-m", *command],
                timeout=600,
                cwd=copy,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PYTHONPATH": f"{copy}:{copy / 'demo'}"},
            )
        finally:
            for path, text in originals.items():
                path.write_text(text)
            self._free.put(copy)


def caught(copies: Copies, fault: Fault) -> tuple[bool, str]:
    """Return whether the fault's own test fails with it, and what it said."""
    done = copies.run(
        fault, "pytest", "-q", "--tb=no", "-p", "no:cacheprovider", fault.test
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{fault.test} did not run:\n{done.stdout}{done.stderr}")
    return done.returncode == 1, fault.test.partition("::")[2]


def found(copies: Copies, fault: Fault) -> tuple[bool, str]:
    """Return whether a story finds the fault, and how."""
    done = copies.run(
        fault, "proofs.stateful", "--small", "--steps", str(STEPS), "--seed", "7"
    )
    lines = done.stdout.splitlines()
    said = [line for line in lines if line.startswith("AssertionError: ")]
    steps = lines[-1] if lines else done.stderr
    return bool(said), f"{said[0][16:76] if said else 'NOTHING'} ({steps})"


def main() -> int:
    """Run the proof and print a line a fault."""
    options = _options()
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        copies = Copies(Path(temporary), WORKERS)
        nothing = Fault(name="nothing", changes=(), test="")
        tests = [fault.test for fault in FAULTS]
        whole = copies.run(
            nothing, "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", *tests
        )
        if whole.returncode:
            print(f"the tests fail as they are:\n{whole.stdout}{whole.stderr}")
            return 1
        with ThreadPoolExecutor(WORKERS) as pool:
            for fault, (failed, said) in zip(
                FAULTS, pool.map(lambda each: caught(copies, each), FAULTS), strict=True
            ):
                print(f"{fault.name}: {said if failed else 'NOTHING FAILED'}")
                missed += not failed
            if options.stateful:
                wrongly, said = found(copies, nothing)
                if wrongly:
                    print(f"a story fails as it is: {said}")
                    return 1
                stories = [fault for fault in FAULTS if fault.stories]
                for fault, (failed, said) in zip(
                    stories,
                    pool.map(lambda each: found(copies, each), stories),
                    strict=True,
                ):
                    print(f"{fault.name}, in a story: {said}")
                    missed += not failed
    total = len(FAULTS) + (len(stories) if options.stateful else 0)
    print(f"{total - missed} passed, {missed} failed")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/prove planted")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--stateful", action="store_true")
    options = parser.parse_args()
    options.stateful = options.stateful or not options.small
    return options


if __name__ == "__main__":
    sys.exit(main())
