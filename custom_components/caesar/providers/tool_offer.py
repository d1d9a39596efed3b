"""The tools of a round as a model's API takes them: what all of the APIs share. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
import hashlib
import json
import re
from typing import Final

from ..legion.spec import ToolSpec
from .json_schema import current
from .wire import Wire, clean, json_text, plain

CHOICES_AT_TOP: Final = ("allOf", "anyOf", "oneOf")
_LONGEST_CHOICE: Final = 500
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools[T = Wire]:
    """A round's tools: as they are sent, and what each sent name stands for.

    `dropped` holds the name of each tool that can't be sent, with the reason.
    """

    wire: tuple[T, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)


def offer(
    specs: Iterable[ToolSpec],
    entry: Callable[[str, ToolSpec], Wire],
    *,
    most: int | None = None,
) -> Tools:
    """Return the tools sorted by name, so that the prefix a server keeps is the same.

    `entry` makes a tool's entry of the name to send and the tool. One for which it
    raises TypeError, ValueError or RecursionError is left out: one bad tool would
    otherwise fail every round. Of more than `most`, the first stay.
    """
    wire: dict[str, Wire] = {}
    names: dict[str, str] = {}
    dropped: dict[str, str] = {}
    for spec in specs:
        name = wire_name(spec.name)
        if name in names:
            dropped[spec.name] = "another tool has the same name"
            continue
        if len(names) == most:
            dropped[spec.name] = f"a server takes at most {most} tools"
            continue
        try:
            wire[name] = entry(name, spec)
        except (TypeError, ValueError, RecursionError) as err:
            dropped[spec.name] = str(err)
            continue
        names[name] = spec.name
    return Tools(
        wire=tuple(wire[name] for name in sorted(wire)), names=names, dropped=dropped
    )


def wire_name(name: str) -> str:
    """Return a tool's name as the APIs allow it: 1 to 64 of `A-Z a-z 0-9 _ -`.

    Others are shortened to 55 characters, `_` and 8 digits of their SHA-256, so that
    two names stay two.
    """
    if _NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]', '_', name)[:55]}_{digest}"


def object_schema(schema: object) -> Wire:
    """Return a copy of a tool's schema, plain JSON of the current draft.

    Raises ValueError or TypeError.
    """
    text = json.dumps(schema, allow_nan=False, ensure_ascii=False, default=plain)
    copy = json.loads(clean(text))
    if not isinstance(copy, dict) or copy.get("type", "object") != "object":
        raise ValueError("its schema isn't of type object")
    if not isinstance(copy.get("properties", {}), dict):
        raise TypeError("its properties aren't an object")
    return current(copy)


def description(spec: ToolSpec) -> str:
    """Return what a tool says of itself. Raises ValueError or TypeError.

    No vendor takes a choice at the top of a schema; so it is said in words.
    """
    said = clean(spec.description)
    if not any(key in spec.input_schema for key in CHOICES_AT_TOP):
        return said
    schema = object_schema(spec.input_schema)
    choices = {key: schema[key] for key in CHOICES_AT_TOP if key in schema}
    told = f"JSON Schema: {json_text(choices)}"
    if not choices or len(told) > _LONGEST_CHOICE:
        return said
    return f"{said} {told}".strip()


def function(name: str, spec: ToolSpec, parameters: Wire) -> Wire:
    """Return a tool in the shape of OpenAI's functions, which others took over."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description(spec),
            "parameters": parameters,
        },
    }
