"""What of a tool's result goes on to a brain: bounded, and valid JSON to the end."""

from collections.abc import Mapping
import math
from typing import Final

from .legion.canonical import Json, canonical_json

MAX_RESULT_BYTES: Final = 8192
_MAX_INTEGER_BITS: Final = 1024


def plain(value: object) -> Json:
    """Return whatever a tool answered as JSON that can be written and hashed.

    What JSON lacks (NaN, infinities, lone surrogates, objects) becomes text. Raises
    what a foreign object's `__str__` raises, and RecursionError.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    if isinstance(value, int) and value.bit_length() <= _MAX_INTEGER_BITS:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, Mapping):
        return {str(plain(str(key))): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return plain(hex(value) if isinstance(value, int) else str(value))


def entities_in(data: Json) -> tuple[str, ...]:
    """Return the entities that a read without ids has answered with."""
    entities = data.get("entities") if isinstance(data, dict) else None
    if not isinstance(entities, list):
        return ()
    return tuple(
        str(entity["entity_id"])
        for entity in entities
        if isinstance(entity, dict) and "entity_id" in entity
    )


def size_of(data: Json) -> int:
    """Return the size of a result as UTF-8 JSON, in bytes."""
    return len(canonical_json(data).encode())


def clamp_result(data: Json, limit: int = MAX_RESULT_BYTES) -> tuple[Json, bool]:
    """Return `data` cut to `limit` bytes of UTF-8 JSON, and whether it was cut.

    Items are dropped from the end of the longest list, so that what remains is whole;
    what has no list becomes a text that is cut on a character's boundary.
    """
    total = size_of(data)
    if total <= limit:
        return data, False
    mark = {"truncated": True, "total_bytes": total}
    if isinstance(data, dict):
        longest = max(
            (key for key, value in data.items() if isinstance(value, list) and value),
            key=lambda key: size_of(data[key]),
            default=None,
        )
        if longest is not None:
            kept = _fitting(
                data[longest], limit - size_of({**data, longest: [], **mark})
            )
            if kept is not None:
                return {**data, longest: kept, **mark}, True
    text = canonical_json(data)
    room = limit - size_of({"text": "", **mark})
    while size_of(text) - 2 > room:
        text = text[: int(len(text) * room / (size_of(text) - 2))]
    return {"text": text, **mark}, True


def _fitting(items: list[Json], room: int) -> list[Json] | None:
    """Return the leading items that fit into `room` bytes; None if there is none."""
    kept: list[Json] = []
    for item in items:
        room -= size_of(item) + 1
        if room < 0:
            break
        kept.append(item)
    return kept or None
