"""Imports point down: brain -> gate -> sentinel, audit -> turn -> policy -> legion.

Adapters and providers stand above that line and do not know each other, the edge stands
on top. Below the line nobody knows Home Assistant, and legion, which is also a package
of its own, knows nothing of ours.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
import sys
from typing import Final

from . import PACKAGE, Problem
from ._rooms import BELOW_THE_LINE, EDGE, ROOMS, room_of
from ._syntax import Source, imports, sources

OURS: Final = PACKAGE.replace("/", ".")
# Each has its reason: the wire, the schemas, the signatures of RFC 9421.
LEGION_NEEDS: Final = frozenset({"aiohttp", "probatio", "http_message_signatures"})


def check(root: Path) -> list[Problem]:
    """Return the imports that point the wrong way."""
    return [
        source.problem(node, message)
        for source in sources(root)
        for node, message in _wrong(source)
    ]


def _wrong(source: Source) -> Iterator[tuple[ast.AST, str]]:
    inner = source.module.removeprefix(OURS).removeprefix(".")
    room = room_of(inner)
    for node, name in imports(source):
        top = name.split(".")[0]
        if top == "voluptuous":
            yield node, "imports voluptuous; use probatio"
        elif name == OURS or name.startswith(f"{OURS}."):
            yield from _ours(node, name, room)
        elif top in {"custom_components", "demo", "house", "tests", "checks"}:
            yield node, f"imports {name}, which is not part of the integration"
        elif room in BELOW_THE_LINE:
            yield from _foreign(node, top, room)


def _ours(node: ast.AST, name: str, room: str) -> Iterator[tuple[ast.AST, str]]:
    target = room_of(name.removeprefix(OURS).removeprefix("."))
    if room == "legion" and isinstance(node, ast.ImportFrom) and not node.level:
        yield node, "legion must import itself by relative names: it has two homes"
    if room in (EDGE, target):
        return
    if target not in ROOMS[room]:
        yield node, f"{room} must not import {target} ({name.removeprefix(OURS)[1:]})"


def _foreign(node: ast.AST, top: str, room: str) -> Iterator[tuple[ast.AST, str]]:
    if top == "homeassistant":
        yield node, f"{room} must not know Home Assistant"
    elif (
        room == "legion"
        and top not in LEGION_NEEDS
        and top not in sys.stdlib_module_names
    ):
        yield node, f"legion must not need {top}: workers run without it"
