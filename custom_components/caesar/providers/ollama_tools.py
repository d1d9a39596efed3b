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
from .tool_offer import Tools, function, object_schema, offer
from .wire import Wire

_CARRIED: Final = frozenset({"type", "description", "enum", "items"})
# Words for people and for tools, which would only cost tokens.
_LEFT_OUT: Final = frozenset({"title", "examples", "$comment"})


def build_tools(specs: Iterable[ToolSpec]) -> Tools:
    """Return the tools, without those whose schema Ollama would refuse."""
    return offer(specs, _entry)


def _entry(name: str, spec: ToolSpec) -> Wire:
    """Return a tool as the API takes it. Raises ValueError or TypeError."""
    schema = object_schema(spec.input_schema)
    properties = schema.get("properties", {})
    parameters: Wire = {
        "type": "object",
        "properties": {name: _property(each) for name, each in properties.items()},
    }
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(n, str) for n in required):
        raise TypeError("what it requires isn't a list of names")
    if required:
        parameters["required"] = required
    if "$defs" in schema:
        parameters["$defs"] = schema["$defs"]
    return function(name, spec, parameters)


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
