"""Take each step of the gate out in turn and see a test fail that names it.

Usage: script/prove gate_steps [--small]

The sources are copied; in the copy one step's method is made to let everything pass,
then the gate's tests run. The step counts as guarded if a test whose name holds it
fails. `--small` is the same: the whole proof takes seconds.
"""

from dataclasses import dataclass
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
TESTS: Final = ("tests/core/test_gate.py", "tests/core/test_gate_admission.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A step, and the body that its method gets instead."""

    step: str
    method: str
    body: str
    file: str = "gate.py"


REMOVALS: Final = (
    Removal(
        step="resolve",
        method="def _resolve(",
        body=(
            "tool = self._parts.toolbox.get('call_service')\n"
            "        args = request.arguments or {}\n"
            "        from .policy.call import ServiceCall, Target\n"
            "        ids = (args.get('target') or {}).get('entity_id', ())\n"
            "        return tool, ServiceCall(domain=str(args.get('domain', 'light')),"
            " service=str(args.get('service', 'turn_on')),"
            " target=Target(entity_id=(ids,) if isinstance(ids, str) else tuple(ids)))"
        ),
    ),
    Removal(
        step="decide",
        method="def _decide(",
        body=(
            "from dataclasses import replace as change\n"
            "        parts = self._parts\n"
            "        decision = parts.policy().evaluate("
            "call, turn.caller, parts.home, parts.conditions)\n"
            "        return change(decision, verdict=Verdict.ALLOW)"
        ),
        file="judging.py",
    ),
    Removal(
        step="guard",
        method="def _guard(",
        body=(
            "return GuardResult("
            "verdict=Verdict.ALLOW, reason=Reason(code=Code.ALLOWED))"
        ),
        file="judging.py",
    ),
    Removal(
        step="approve",
        method="async def _approve(",
        body=(
            "decision = asked.decision\n"
            "        return _held(yes or ApprovedCall(approval_id='none',"
            " args_hash=args_hash(asked.call), digest=decision_digest(decision),"
            " decided_by=None, via=None)) if decision.verdict is Verdict.ASK else None"
        ),
        file="judging.py",
    ),
    Removal(step="admit", method="def _admit(", body="return None"),
    Removal(step="claim", method="async def _claim(", body="return None"),
    Removal(step="intend", method="async def _intend(", body="return None"),
    Removal(
        step="execute",
        method="async def _execute(",
        body="return flight.outcome(seq=row.seq if row else None, executed=True)",
    ),
    Removal(step="filter", method="async def _filter(", body="return outcome"),
    Removal(step="conclude", method="async def _conclude(", body="return outcome"),
)


def remove(source: str, removal: Removal) -> str:
    """Return the gate's source with a step's body replaced."""
    lines = source.splitlines()
    start = next(
        number
        for number, line in enumerate(lines)
        if line.strip().startswith(removal.method)
    )
    first = next(
        number
        for number in range(start, len(lines))
        if lines[number].rstrip().endswith(":")
    )
    last = next(
        number
        for number in range(first + 1, len(lines))
        if lines[number].strip() and not lines[number].startswith("        ")
    )
    return "\n".join([*lines[: first + 1], f"        {removal.body}", *lines[last:]])


def failed_tests(folder: Path) -> list[str]:
    """Run the gate's tests in a copy and return the names of those that fail."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            *TESTS,
        ],
        timeout=120,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )
    names = [
        line.split("::")[1].split("[")[0].split(" ")[0]
        for line in done.stdout.splitlines()
        if line.startswith("FAILED")
    ]
    if done.returncode not in (0, 1):
        raise SystemExit(f"the tests did not run:\n{done.stdout}{done.stderr}")
    return sorted(set(names))


def main() -> int:
    """Run the proof and print a line a step."""
    missed = 0
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "copy"
        for part in ("custom_components", "tests", "demo", "pyproject.toml"):
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(
                    source, copy / part, ignore=shutil.ignore_patterns("__pycache__")
                )
            else:
                shutil.copy(source, copy / part)
        sources = copy / "custom_components" / "caesar"
        if whole := failed_tests(copy):
            print(f"the gate's tests fail as they are: {', '.join(whole)}")
            return 1
        for removal in REMOVALS:
            source = sources / removal.file
            original = source.read_text()
            source.write_text(remove(original, removal))
            named = [name for name in failed_tests(copy) if removal.step in name]
            print(f"{removal.step:9} removed: {', '.join(named) or 'NOTHING FAILED'}")
            source.write_text(original)
            missed += not named
    print(f"{len(REMOVALS) - missed} passed, {missed} failed")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
