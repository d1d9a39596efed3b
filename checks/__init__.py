"""Checks of our own that no ready-made linter has: one rule a file, found by name.

A module here whose name has no leading underscore is a rule and offers
`check(root: Path) -> list[Problem]`, which reads the tree below `root` and changes
nothing. A tree that lacks what a rule is about has no problem by that rule.
`python -m checks` runs them all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

PACKAGE = "custom_components/caesar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One place that breaks a rule; `path` is relative to the root, `line` from 1."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        """Return the form that editors and terminals make a link of."""
        return f"{self.path}:{self.line}: {self.message}"


type Check = Callable[[Path], list[Problem]]


def discover() -> Mapping[str, Check]:
    """Return every rule of this package by its name.

    Raises:
        AttributeError: a rule's module offers no `check`.
    """
    return {
        module.name: import_module(f"{__name__}.{module.name}").check
        for module in iter_modules(__path__)
        if not module.name.startswith("_")
    }


def run(root: Path) -> list[Problem]:
    """Return the problems of all rules in the tree below `root`, sorted by place."""
    return sorted(
        {problem for check in discover().values() for problem in check(root)},
        key=lambda problem: (problem.path, problem.line, problem.message),
    )
