"""The family starter, filled in with the rooms of a house.

The starter itself names no room, so that it loads anywhere. Its rules for children's
rooms stand for a room that doesn't exist, those for voice are for every satellite.
"""

from collections.abc import Collection
import json
from typing import Final

_ROOM: Final = "[childrens_room]"
_VOICE: Final = "{origin: [voice]}"
_ENTRY: Final = "  - "


def fill_family(text: str, rooms: Collection[str], others: Collection[str]) -> str:
    """Return the family starter for these rooms, by their ids.

    `rooms` are the children's; without any, their rules become comments. `others` are
    all other rooms, in which satellites are the whole family's; without any, no
    satellite is known to be outside of a children's room.
    """
    if not rooms:
        return _as_comments(text, _ROOM)
    if not others:
        text = _as_comments(text, _VOICE)
    else:
        text = text.replace(_VOICE, f"{{area: {_listed(others)}}}")
    return text.replace(_ROOM, _listed(rooms))


def _as_comments(text: str, mark: str) -> str:
    """Return the text with the entries that hold a mark turned into comments."""
    return "".join(
        line.replace(_ENTRY, f"  # {_ENTRY.strip()} ", 1) if mark in line else line
        for line in text.splitlines(keepends=True)
    )


def _listed(ids: Collection[str]) -> str:
    return f"[{', '.join(json.dumps(each) for each in sorted(ids))}]"
