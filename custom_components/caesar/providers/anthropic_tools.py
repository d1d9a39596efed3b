"""Tools as Anthropic's Messages API takes them. Pure.

Source: the "Tool use" and "Prompt caching" pages of Anthropic's API documentation.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
import hashlib
import json
import re
from typing import Any

from ..legion.spec import ToolSpec

type Wire = dict[str, Any]

CACHE: Wire = {"type": "ephemeral"}
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_REFUSED_AT_TOP = frozenset({"oneOf", "anyOf", "allOf"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """A round's tools: as they are sent, and what each sent name stands for.

    `dropped` holds the name of each tool that can't be sent, with the reason.
    """

    wire: tuple[Wire, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, str] = field(default_factory=dict)


def wire_name(name: str) -> str:
    """Return a tool's name as the API allows it: 1 to 64 of `A-Z a-z 0-9 _ -`.

    Others are shortened to 55 characters, `_` and 8 digits of their SHA-256, so that
    two names stay two.
    """
    if _NAME.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9_-]', '_', name)[:55]}_{digest}"


def build_tools(specs: Iterable[ToolSpec]) -> Tools:
    """Return the tools sorted by name, so that the cached prefix stays the same.

    A tool whose schema the API would refuse is left out: one bad tool would otherwise
    fail every round.
    """
    wire: list[Wire] = []
    names: dict[str, str] = {}
    dropped: dict[str, str] = {}
    for spec in sorted(specs, key=lambda spec: wire_name(spec.name)):
        name = wire_name(spec.name)
        if name in names:
            dropped[spec.name] = "another tool has the same name"
            continue
        try:
            schema = _schema(spec.input_schema)
        except (TypeError, ValueError, RecursionError) as err:
            dropped[spec.name] = str(err)
            continue
        names[name] = spec.name
        wire.append(
            {
                "name": name,
                "description": clean(spec.description),
                "input_schema": schema,
            }
        )
    if wire:
        wire[-1]["cache_control"] = CACHE
    return Tools(wire=tuple(wire), names=names, dropped=dropped)


def _schema(schema: object) -> Wire:
    """Return a tool's schema as the API takes it. Raises ValueError or TypeError."""
    text = json.dumps(schema, allow_nan=False, ensure_ascii=False, default=plain)
    copy = json.loads(clean(text))
    if not isinstance(copy, dict) or copy.get("type", "object") != "object":
        raise ValueError("its schema isn't of type object")
    properties = copy.get("properties", {})
    if not isinstance(properties, dict):
        raise TypeError("its properties aren't an object")
    for key in properties:
        if not _PROPERTY.fullmatch(key):
            raise ValueError(f"the model can't use the property name {key!r}")
    kept = {key: value for key, value in copy.items() if key not in _REFUSED_AT_TOP}
    return {**kept, "type": "object"}


def clean(text: str) -> str:
    """Return text without lone surrogates, which no request can carry."""
    return text.encode("utf-8", "replace").decode()


def plain(value: object) -> object:
    """Return mappings and sequences of any kind as those that JSON knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} isn't JSON")
