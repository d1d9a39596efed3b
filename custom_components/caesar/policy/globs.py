"""Patterns of tool names: `*` is any run of characters, `?` is one.

Every tool has several names, and a pattern is tried against all of them: a service is
`light.turn_on` and `light__turn_on`, a worker's tool is `calculator` and
`legion__calculator`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
import re
from typing import Final

from .impact import of_the_house

MAX_GLOBS: Final = 200
MAX_LENGTH: Final = 128
CALL_SERVICE: Final = "call_service"
_SHAPE: Final = re.compile(r"[a-z0-9_.\-*?]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Glob:
    """A pattern with the path of its key and its line, to be named when it decides."""

    pattern: str
    path: str
    line: int


def is_glob(text: str) -> bool:
    """Return whether a text can be a pattern of tool names."""
    return len(text) <= MAX_LENGTH and _SHAPE.fullmatch(text) is not None


def names_of(tool: str, *, is_service: bool) -> tuple[str, ...]:
    """Return all names of a tool, the one it is known by first."""
    if is_service:
        return tool, tool.replace(".", "__", 1)
    if of_the_house(tool):
        return (tool,)
    return tool, f"legion__{tool}"


def first_match(globs: Iterable[Glob], names: Iterable[str]) -> Glob | None:
    """Return the first pattern that one of the names fits as a whole."""
    known = tuple(names)
    return next(
        (glob for glob in globs if any(fits(glob.pattern, name) for name in known)),
        None,
    )


def denies(globs: Iterable[Glob], tool: str, *, is_service: bool) -> Glob | None:
    """Return the first pattern that forbids a tool.

    Who forbids `call_service` forbids all services, for they are called by it.
    """
    names = names_of(tool, is_service=is_service)
    return first_match(globs, (*names, CALL_SERVICE) if is_service else names)


def fits(pattern: str, name: str) -> bool:
    """Return whether the whole name fits, in time proportional to both lengths."""
    at = start = 0
    star, mark = -1, 0
    while start < len(name):
        sign = pattern[at : at + 1]
        if sign == "*":
            star, mark = at, start
            at += 1
        elif sign and sign in ("?", name[start]):
            at += 1
            start += 1
        elif star >= 0:
            mark += 1
            at, start = star + 1, mark
        else:
            return False
    return not pattern[at:].strip("*")
