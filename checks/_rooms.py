"""The rooms of the house, what each may import, and which are pure (docs/adr)."""

from collections.abc import Mapping
from typing import Final

# Each room with the rooms whose doors it may open. What stands in no room is the edge:
# Home Assistant's platforms, which may use all of it.
BELOW_THE_LINE: Final[Mapping[str, frozenset[str]]] = {
    "legion": frozenset(),
    "policy": frozenset({"legion"}),
    "turn": frozenset({"policy", "legion"}),
    "sentinel": frozenset({"turn", "policy", "legion"}),
    "audit": frozenset({"turn", "policy", "legion"}),
    "gate": frozenset({"sentinel", "audit", "turn", "policy", "legion"}),
    "brain": frozenset({"gate", "sentinel", "audit", "turn", "policy", "legion"}),
}
ABOVE_THE_LINE: Final[Mapping[str, frozenset[str]]] = {
    "const": frozenset(),
    # Translated sentences, which both of the next two speak.
    "wording": frozenset({*BELOW_THE_LINE, "const"}),
    "adapters": frozenset({*BELOW_THE_LINE, "const", "wording"}),
    "providers": frozenset({*BELOW_THE_LINE, "const", "wording"}),
    "runtime": frozenset(
        {*BELOW_THE_LINE, "const", "wording", "adapters", "providers"}
    ),
}
ROOMS: Final = {**BELOW_THE_LINE, **ABOVE_THE_LINE}
EDGE: Final = "the edge"

# Files beside a room that belong to it.
ANNEXES: Final[Mapping[str, str]] = {
    "flight": "gate",
    "gate_parts": "gate",
    "judging": "gate",
    "preview": "gate",
    "repeats": "gate",
    "result": "gate",
    "result_filter": "gate",
    "runtime_agents": "runtime",
    "runtime_answers": "runtime",
    "runtime_brains": "runtime",
    "runtime_house": "runtime",
    "runtime_memory": "runtime",
    "runtime_models": "runtime",
    "runtime_recall": "runtime",
    "runtime_tasks": "runtime",
    "runtime_workers": "runtime",
    "serial": "gate",
    "tool": "gate",
    "trail": "gate",
}

# Rooms that do no I/O and take the clock as a parameter; of audit these files only.
PURE: Final = frozenset({"brain", "gate", "turn", "sentinel"})
PURE_FILES: Final = frozenset({"audit.event", "audit.clamp", "audit.chain"})


def room_of(inner: str) -> str:
    """Return the room of a module, given by its name within the integration."""
    first = inner.split(".", maxsplit=1)[0]
    first = ANNEXES.get(first, first)
    return first if first in ROOMS else EDGE


def is_pure(inner: str) -> bool:
    """Tell whether a module, named within the integration, stands in a pure room."""
    return room_of(inner) in PURE or inner in PURE_FILES
