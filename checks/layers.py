"""Imports point down: brain -> gate -> sentinel, audit -> turn -> policy -> legion.

Adapters and providers stand above that line and do not know each other, the edge stands
on top. Below the line nobody knows Home Assistant, and legion, which is also a package
of its own, knows nothing of ours.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
import sys
from typing import Final

from . import PACKAGE, Problem
from ._rooms import BELOW_THE_LINE, EDGE, ROOMS, room_of
from ._syntax import Source, imports, sources

OURS: Final = PACKAGE.replace("/", ".")
# Each has its reason: the wire, the schemas, the signatures of RFC 9421.
LEGION_NEEDS: Final = frozenset(
    {
        "aiohttp",
        "cryptography",
        "http_message_signatures",
        "multidict",
        "probatio",
        "yarl",
    }
)
# Extras of the wheel, and the part of legion that is loaded only where they are.
LEGION_EXTRAS: Final[Mapping[str, frozenset[str]]] = {
    "legion.announce": frozenset({"ifaddr", "zeroconf"}),
    "legion.tools.calendar_read": frozenset(
        {"caldav", "httpx", "icalendar", "recurring_ical_events"}
    ),
    "legion.tools.recall.embedders": frozenset({"safetensors", "tokenizers"}),
    "legion.tools.recall.vectors": frozenset({"numpy"}),
}


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
            yield from _foreign(node, top, room, inner)


def _ours(node: ast.AST, name: str, room: str) -> Iterator[tuple[ast.AST, str]]:
    target = room_of(name.removeprefix(OURS).removeprefix("."))
    if room == "legion" and isinstance(node, ast.ImportFrom) and not node.level:
        yield node, "legion must import itself by relative names: it has two homes"
    if room in (EDGE, target):
        return
    if target not in ROOMS[room]:
        yield node, f"{room} must not import {target} ({name.removeprefix(OURS)[1:]})"


def _foreign(
    node: ast.AST, top: str, room: str, inner: str
) -> Iterator[tuple[ast.AST, str]]:
    if top == "homeassistant":
        yield node, f"{room} must not know Home Assistant"
    elif (
        room == "legion"
        and top not in {"", *LEGION_NEEDS}
        and not any(
            top in extras and f"{inner}.".startswith(f"{part}.")
            for part, extras in LEGION_EXTRAS.items()
        )
        and top not in sys.stdlib_module_names
    ):
        yield node, f"legion must not need {top}: workers run without it"
