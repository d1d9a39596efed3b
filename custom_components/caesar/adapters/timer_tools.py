"""What the tools for timers say of themselves; timers.py carries them out."""

from collections.abc import Mapping
from typing import Final

from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec

MAX_NAME: Final = 40

_NAME: Final[Json] = {"type": "string", "minLength": 1, "maxLength": MAX_NAME}


def _up_to(most: int) -> Json:
    return {"type": "integer", "minimum": 0, "maximum": most}


_LENGTH: Final[dict[str, Json]] = {
    "hours": _up_to(99),
    "minutes": _up_to(1_000),
    "seconds": _up_to(10_000),
}
_WHICH: Final[dict[str, Json]] = {
    "name": _NAME,
    **{f"start_{unit}": schema for unit, schema in _LENGTH.items()},
}
# What they say is counts, times and names of a few plain words.
CHANGES: Final = Annotations(
    destructive=False, open_world=False, private_data=False, untrusted_result=False
)
READS: Final = Annotations(
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    private_data=False,
    untrusted_result=False,
)


def schema(*required: str, **properties: Json) -> dict[str, Json]:
    """Return the schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


TIMER_START: Final = ToolSpec(
    name="timer_start",
    title="Start a timer",
    description="Start a timer on the device that the person speaks to.",
    input_schema=schema(**_LENGTH, name=_NAME),
    annotations=CHANGES,
)
TIMER_CANCEL: Final = ToolSpec(
    name="timer_cancel",
    title="Cancel a timer",
    description="Cancel a timer of this device or room, by name or start, or `all`.",
    input_schema=schema(**_WHICH, all={"type": "boolean"}),
    annotations=CHANGES,
)
TIMER_CHANGE: Final = ToolSpec(
    name="timer_change",
    title="Change a timer",
    description="Add or remove time, pause or resume a timer of this device or room.",
    input_schema=schema(
        "action",
        action={"type": "string", "enum": ["add", "remove", "pause", "resume"]},
        **_LENGTH,
        **_WHICH,
    ),
    annotations=CHANGES,
)
TIMER_STATUS: Final = ToolSpec(
    name="timer_status",
    title="Timers",
    description="Tell what time is left on the timers of this device or room.",
    input_schema=schema(**_WHICH),
    annotations=READS,
)
TIMER_TOOLS: Final = (TIMER_START, TIMER_CANCEL, TIMER_CHANGE, TIMER_STATUS)


def seconds_of(given: Mapping[str, Json]) -> int:
    """Return how long `hours`, `minutes` and `seconds` are together, in seconds."""
    total = 0
    for unit, size in (("hours", 3600), ("minutes", 60), ("seconds", 1)):
        value = given.get(unit)
        total += size * value if isinstance(value, int) else 0
    return total
