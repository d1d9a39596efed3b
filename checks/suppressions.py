"""Who silences a checker names the rule and says why, on the same line."""

from pathlib import Path
import re
from typing import Final

from . import Problem
from ._files import files, relative

SILENCED: Final = re.compile(
    r"#\s*(?P<what>type:\s*ignore|noqa|mypy:|ruff:\s*noqa)(?P<rest>.*)$"
)
NAMED: Final = re.compile(
    r"^(?:\[[a-z-]+(?:,\s*[a-z-]+)*\]|:\s*[A-Z]+[0-9]+(?:,\s*[A-Z]+[0-9]+)*)(?P<why>.*)$"
)
# Shorter is no reason.
REASON_LENGTH: Final = 10
# They hold such comments in order to look for them.
EXEMPT: Final = frozenset({"checks/suppressions.py", "tests/test_checks.py"})


def check(root: Path) -> list[Problem]:
    """Return the comments that silence a checker without a rule or a reason."""
    problems: list[Problem] = []
    for path in files(root, ".py"):
        name = relative(root, path)
        if name in EXEMPT:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, 1):
            found = SILENCED.search(line)
            if found is None:
                continue
            named = NAMED.match(found["rest"])
            if named is None:
                message = f"{found['what']} must name the rule"
            elif len(named["why"].strip(" #-:")) < REASON_LENGTH:
                message = f"{found['what']} needs its reason on the same line"
            else:
                continue
            problems.append(Problem(path=name, line=number, message=message))
    return problems
