"""A schema with only what every server of a model reads of it. Pure.

llama.cpp makes a grammar of each schema and fails the whole request for a pattern, a
length or a keyword that it can't turn into one (its `grammars/README.md`). The gate
checks a call against the tool's whole schema in any case.
"""

from collections.abc import Mapping
from typing import Any, Final

from ..legion.canonical import Json
from .tool_offer import object_schema
from .wire import Wire

_DEEPEST: Final = 16
_TYPES: Final = frozenset(
    {"object", "array", "string", "number", "integer", "boolean", "null"}
)
_AS_THEY_ARE: Final = ("const", "default", "maximum", "minimum")
_CHOICES: Final = ("anyOf", "oneOf")
_REFS: Final = "#/$defs/"


def portable(described: Mapping[str, Json]) -> Wire:
    """Return an object's schema with what all servers read of it.

    Raises ValueError or TypeError for one that can't be sent.
    """
    schema = object_schema(described)
    defs = schema.get("$defs", {})
    if not isinstance(defs, dict):
        raise TypeError("its definitions aren't an object")
    # No server takes a choice at the top.
    kept = {key: value for key, value in schema.items() if key not in _CHOICES}
    parameters = _portable({**kept, "type": "object"}, frozenset(defs), 0)
    parameters.setdefault("properties", {})
    if defs:
        parameters["$defs"] = {
            name: _portable(one, frozenset(defs), 1) for name, one in defs.items()
        }
    return parameters


def _portable(schema: object, defs: frozenset[str], depth: int) -> Wire:
    """Return a schema with only the keywords that all servers read."""
    if depth > _DEEPEST:
        raise ValueError("its schema is too deep")
    if not isinstance(schema, dict):
        if schema is True:
            return {}
        raise TypeError("a part of its schema isn't an object")
    if (ref := schema.get("$ref")) is not None:
        if not isinstance(ref, str) or ref.removeprefix(_REFS) not in defs:
            raise ValueError("its schema refers to something that isn't there")
        return {"$ref": ref}
    wire: Wire = {key: schema[key] for key in _AS_THEY_ARE if key in schema}
    if isinstance(about := schema.get("description"), str):
        wire["description"] = about
    if (kinds := schema.get("type")) is not None:
        wire["type"] = _types(kinds)
    if isinstance(values := schema.get("enum"), list) and values and depth:
        wire["enum"] = values
    for key in _CHOICES:
        if isinstance(choices := schema.get(key), list) and choices:
            wire[key] = [_portable(one, defs, depth + 1) for one in choices]
    wire.update(_object(schema, defs, depth))
    if "array" in _listed(kinds):
        # OpenAI refuses an array whose items aren't told.
        wire["items"] = _portable(schema.get("items", {}), defs, depth + 1)
    return wire


def _object(schema: Wire, defs: frozenset[str], depth: int) -> Wire:
    """Return what a schema says of an object's fields."""
    wire: Wire = {}
    if isinstance(properties := schema.get("properties"), dict):
        wire["properties"] = {
            key: _portable(one, defs, depth + 1) for key, one in properties.items()
        }
        required = schema.get("required")
        if isinstance(required, list) and (
            named := [key for key in required if key in properties]
        ):
            wire["required"] = named
    match schema.get("additionalProperties"):
        case bool() as more:
            wire["additionalProperties"] = more
        case dict() as more:
            wire["additionalProperties"] = _portable(more, defs, depth + 1)
    return wire


def _types(kinds: object) -> Any:
    """Return the type or types of a schema, if they are JSON's."""
    listed = _listed(kinds)
    if not listed or not all(isinstance(k, str) and k in _TYPES for k in listed):
        raise ValueError(f"its schema has the type {kinds!r}")
    return kinds


def _listed(kinds: object) -> list[object]:
    return kinds if isinstance(kinds, list) else [kinds]
