"""Change the engine, the sentinel and the gate a little, everywhere, and see tests fail.

Usage: script/prove mutants [--small] [--jobs N] [--results FOLDER]

mutmut makes the changes, in a copy of the sources, and runs the tests that reach each
of them. What no test notices must stand in mutants_survivors.json with its reason: by
file, function and change, so that it holds while other lines move. Full size takes
about an hour; `--small` is a fixed few files. `--results` reads an earlier run's folder.
"""

import argparse
import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
CAESAR: Final = "custom_components/caesar"
LISTED: Final = Path(__file__).with_name("mutants_survivors.json")
# Exit codes of a mutant's tests; all others mean that they noticed, or took too long.
_SURVIVED: Final = (0, 33)
_AROUND: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Files to change, and the tests that must notice; globs."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


FULL: Final = (
    Part(
        sources=(
            "policy/engine.py",
            "policy/grants.py",
            "policy/matchers.py",
        ),
        tests=(
            *(
                f"tests/core/policy/test_{name}.py"
                for name in (
                    "details",
                    "engine",
                    "engine_targets",
                    "findings",
                    "hostile",
                    "inputs",
                    "inside",
                    "inside_rules",
                    "model",
                    "modes",
                    "reach",
                    "refusal_details",
                    "settings",
                    "table",
                    "terms",
                    "values",
                    "when",
                    "who",
                )
            ),
        ),
    ),
    Part(
        sources=("gate.py", "judging.py", "sentinel/[a-z]*.py"),
        tests=(
            "tests/core/test_gate*.py",
            "tests/core/sentinel/test_[b-z]*.py",
            "tests/core/sentinel/test_answering.py",
        ),
    ),
)
SMALL: Final = (
    Part(
        sources=(
            "sentinel/circuit_breaker.py",
            "sentinel/scope.py",
            "sentinel/sentinel.py",
        ),
        tests=(
            "tests/core/sentinel/test_breaker_return.py",
            "tests/core/sentinel/test_circuit_breaker.py",
            "tests/core/sentinel/test_details_guards.py",
            "tests/core/sentinel/test_scope.py",
            "tests/core/sentinel/test_sentinel.py",
        ),
    ),
)
# Hundreds of examples for each change would take days.
_SLOW: Final = ("test_desk_property.py",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change: where, and the lines before and after it."""

    file: str
    function: str
    change: str
    exit_code: int | None

    @property
    def key(self) -> str:
        """Return what it is known by, wherever its lines are."""
        return f"{self.file}: {self.function}: {self.change}"

    @property
    def survived(self) -> bool:
        """Return whether no test has noticed it."""
        return self.exit_code in _SURVIVED


def run(part: Part, folder: Path, jobs: int) -> None:
    """Let mutmut do its work on a copy in that folder."""
    for name in ("custom_components", "tests", "demo"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    sources = sorted(
        path for glob in part.sources for path in (folder / CAESAR).glob(glob)
    )
    tests = sorted({path for glob in part.tests for path in folder.glob(glob)})
    lines = ["[mutmut]", "source_paths="]
    lines += [f"    {path.relative_to(folder)}" for path in sources]
    lines += ["pytest_add_cli_args_test_selection="]
    lines += [
        f"    {path.relative_to(folder)}" for path in tests if path.name not in _SLOW
    ]
    lines += ["also_copy=", "    custom_components", "    demo", "    tests"]
    lines += ["    pyproject.toml", ""]
    (folder / "setup.cfg").write_text("\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-m", "mutmut", "run", "--max-children", str(jobs)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"mutmut failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def mutants(folder: Path) -> Iterator[Mutant]:
    """Yield what came of each change of a run."""
    made = folder / "mutants"
    for meta in sorted(made.rglob("*.py.meta")):
        codes: dict[str, int | None] = json.loads(meta.read_text())["exit_code_by_key"]
        source = meta.with_suffix("")
        bodies = _functions(source)
        for name, code in codes.items():
            short = name.rpartition(".")[2]
            function, _, _ = short.partition("__mutmut_")
            yield Mutant(
                file=str(source.relative_to(made / CAESAR)),
                function=function.removeprefix("x").strip("ǁ_").replace("ǁ", "."),
                change=_change(bodies[f"{function}__mutmut_orig"], bodies[short]),
                exit_code=code,
            )


def _functions(source: Path) -> dict[str, list[str]]:
    """Return the lines of all functions of a file, without their names."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name, node.name = node.name, "f"
            found[name] = ast.unparse(node).splitlines()
    return found


def _change(before: Sequence[str], after: Sequence[str]) -> str:
    """Return what was changed, with some of what stands around it."""
    old, new = (" ".join(map(str.strip, lines)) for lines in (before, after))
    start = _shared(old, new)
    most = min(len(old), len(new)) - start
    end = _shared(old[::-1][:most], new[::-1][:most])
    gone, come = old[start : len(old) - end], new[start : len(new) - end]
    left, right = old[max(start - _AROUND, 0) : start], old[len(old) - end :][:_AROUND]
    return f"{left}⟦{gone} → {come}⟧{right}"


def _shared(one: str, other: str) -> int:
    """Return how many signs two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def main() -> int:
    """Run the proof and print what survived without a reason."""
    options = _options()
    found: list[Mutant] = []
    if options.results:
        for folder in options.results:
            found += mutants(folder)
    else:
        for part in SMALL if options.small else FULL:
            with tempfile.TemporaryDirectory(prefix="caesar-mutants-") as folder:
                run(part, Path(folder), options.jobs)
                found += mutants(Path(folder))
    reasons: dict[str, str] = json.loads(LISTED.read_text())
    tried = [mutant for mutant in found if mutant.exit_code is not None]
    survivors = Counter(mutant.key for mutant in tried if mutant.survived)
    new = sorted(set(survivors) - set(reasons))
    for key in new:
        print(f"no test notices: {key}")
    left_out = len(found) - len(tried)
    print(
        f"{len(tried)} changes ({left_out} not tried): {len(tried) - survivors.total()}"
        f" noticed, {survivors.total()} not, {len(new)} of these without a reason"
    )
    good = bool(tried) and not new
    print(f"{good:d} passed, {not good:d} failed")
    return 0 if good else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/prove mutants")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, nargs="*")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
