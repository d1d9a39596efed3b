"""What is wrong with a policy file, and where."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import Protocol

MAX_PROBLEMS = 50


class ProblemCode(StrEnum):
    """Kinds of faults; all but the last refuse the file."""

    SYNTAX = "syntax"
    TOO_LARGE = "too_large"
    NOT_SUPPORTED = "not_supported"
    UNKNOWN_KEY = "unknown_key"
    MISSING_KEY = "missing_key"
    DUPLICATE = "duplicate"
    EMPTY = "empty"
    WRONG_TYPE = "wrong_type"
    BAD_VALUE = "bad_value"
    QUOTE_IT = "quote_it"
    NO_EFFECT = "no_effect"


class Placed(Protocol):
    """Anything with a place in the file, counted from 1."""

    @property
    def line(self) -> int:
        """Return the line."""

    @property
    def column(self) -> int:
        """Return the column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault: its place (from 1), the path of the key, English words, a hint."""

    line: int
    column: int
    path: str
    code: ProblemCode
    message: str
    hint: str | None = None

    def __str__(self) -> str:
        """Return the fault in one line, for logs and forms."""
        where = f"line {self.line}, column {self.column}"
        if self.path:
            where = f"{where} ({self.path})"
        return f"{where}: {self.message}{f' {self.hint}' if self.hint else ''}"


class PolicyError(Exception):
    """A policy file that can't be used; `problems` is never empty."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        """Keep the first problems, in the order of the file."""
        ordered = sorted(problems, key=lambda problem: (problem.line, problem.column))
        self.problems = tuple(ordered[:MAX_PROBLEMS])
        super().__init__("; ".join(map(str, self.problems)))


@dataclass(slots=True)
class Report:
    """Collects what is found while a file is read."""

    problems: list[Problem] = field(default_factory=list)
    lints: list[Problem] = field(default_factory=list)

    def problem(
        self,
        node: Placed,
        path: str,
        code: ProblemCode,
        message: str,
        hint: str | None = None,
    ) -> None:
        """Note a fault that refuses the file."""
        self.problems.append(
            Problem(
                line=node.line,
                column=node.column,
                path=path,
                code=code,
                message=message,
                hint=hint,
            )
        )

    def lint(self, node: Placed, path: str, message: str) -> None:
        """Note something that is safe but surely not what the owner meant."""
        self.lints.append(
            Problem(
                line=node.line,
                column=node.column,
                path=path,
                code=ProblemCode.NO_EFFECT,
                message=message,
            )
        )

    def raise_problems(self) -> None:
        """Raise PolicyError if anything refuses the file."""
        if self.problems:
            raise PolicyError(self.problems)


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return a hint with the known word that is closest, if one is close."""
    close = get_close_matches(word.lower(), sorted(known), n=1, cutoff=cutoff)
    return f"Did you mean '{close[0]}'?" if close else None
