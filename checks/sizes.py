"""Files stay under 400 lines and functions under 60, or say why not."""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from . import Problem
from ._files import files, relative
from ._syntax import Source

FILE_LINES: Final = 400
FUNCTION_LINES: Final = 60

# "path" or "path:function" -> why it is better in one piece.
ALLOWED: Final[Mapping[str, str]] = {}


def check(root: Path) -> list[Problem]:
    """Return what has grown too long, and the exceptions that are not needed."""
    return oversized(root, ALLOWED)


def oversized(root: Path, allowed: Mapping[str, str]) -> list[Problem]:
    """Return what is too long and has no reason in `allowed`."""
    problems: list[Problem] = []
    needed: set[str] = set()

    def report(key: str, path: str, line: int, message: str) -> None:
        needed.add(key)
        if not allowed.get(key, "").strip():
            problems.append(Problem(path=path, line=line, message=message))

    for path in files(root, ".py"):
        source = Source(root, path)
        lines = source.text.count("\n")
        if lines > FILE_LINES:
            report(
                source.path, source.path, 1, f"has {lines} lines, {FILE_LINES} at most"
            )
        for node in ast.walk(source.tree):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                report(
                    f"{source.path}:{node.name}",
                    source.path,
                    node.lineno,
                    f"{node.name} has {length} lines, {FUNCTION_LINES} at most",
                )
    here = relative(Path(__file__).parent.parent, Path(__file__))
    problems.extend(
        Problem(path=here, line=1, message=f"{key} needs no exception any more")
        for key in allowed
        if key not in needed
    )
    return problems
