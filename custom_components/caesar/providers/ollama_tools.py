"""Tools as Ollama's chat API takes them. Pure.

Source: "Chat request (with tools)" of Ollama's docs/api.md, and the types of its SDK. A
property holds a type, a description, an enumeration and items, nothing else: what more
a schema says would be lost on the way, so it goes into the description, which every
model's template shows.
"""

from collections.abc import Iterable, Mapping
import json
from typing import Any, Final

from ..legion.spec import ToolSpec
from .anthropic_tools import Tools, Wire, clean, plain, wire_name

_CARRIED: Final = frozenset({"type", "description", "enum", "items"})
# Words for people and for tools, which would only cost tokens.
_LEFT_OUT: Final = frozenset({"title", "examples", "$comment"})


def build_tools(specs: Iterable[ToolSpec]) -> Tools:
    """Return the tools sorted by name, so that the prefix the server keeps is the same.

    A tool whose schema Ollama would refuse is left out: one bad tool would otherwise
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
            parameters = _parameters(spec.input_schema)
        except (TypeError, ValueError, RecursionError) as err:
            dropped[spec.name] = str(err)
            continue
        names[name] = spec.name
        wire.append(
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": clean(spec.description),
                    "parameters": parameters,
                },
            }
        )
    return Tools(wire=tuple(wire), names=names, dropped=dropped)


def _parameters(schema: object) -> Wire:
    """Return a tool's schema as the API takes it. Raises ValueError or TypeError."""
    text = json.dumps(schema, allow_nan=False, ensure_ascii=False, default=plain)
    copy = json.loads(clean(text))
    if not isinstance(copy, dict) or copy.get("type", "object") != "object":
        raise ValueError("its schema isn't of type object")
    properties = copy.get("properties", {})
    if not isinstance(properties, dict):
        raise TypeError("its properties aren't an object")
    parameters: Wire = {
        "type": "object",
        "properties": {name: _property(each) for name, each in properties.items()},
    }
    required = copy.get("required", [])
    if not isinstance(required, list) or not all(isinstance(n, str) for n in required):
        raise TypeError("what it requires isn't a list of names")
    if required:
        parameters["required"] = required
    if "$defs" in copy:
        parameters["$defs"] = copy["$defs"]
    return parameters


def _property(schema: object) -> Wire:
    """Return one property. Raises ValueError or TypeError."""
    if schema is True:
        return {}
    if not isinstance(schema, Mapping):
        raise TypeError("one of its properties has no schema")
    wire: Wire = {}
    if (kind := schema.get("type")) is not None:
        if not _is_type(kind):
            raise ValueError("one of its properties has an odd type")
        wire["type"] = kind
    if (values := schema.get("enum")) is not None:
        if not isinstance(values, list):
            raise TypeError("one of its enumerations isn't a list")
        wire["enum"] = values
    if (items := schema.get("items")) is not None:
        wire["items"] = items
    if described := _described(schema):
        wire["description"] = described
    return wire


def _is_type(kind: object) -> bool:
    """Return whether a type is a name, or a list of names."""
    names = kind if isinstance(kind, list) else [kind]
    return bool(names) and all(isinstance(name, str) for name in names)


def _described(schema: Mapping[str, Any]) -> str:
    """Return a property's description, and after it what nothing else would carry."""
    described = schema.get("description", "")
    if not isinstance(described, str):
        raise TypeError("one of its descriptions isn't text")
    more = {
        key: value
        for key, value in schema.items()
        if key not in _CARRIED and key not in _LEFT_OUT
    }
    if not more:
        return described
    text = json.dumps(more, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"{described} JSON Schema: {text}".strip()
