"""A schema with only what every server of a model reads of it. Pure.

llama.cpp makes a grammar of each schema and fails the whole request for a pattern, a
length or a keyword that it can't turn into one (its `grammars/README.md`). The gate
checks a call against the tool's whole schema in any case.
"""

from collections.abc import Mapping
from typing import Final

from ..legion.canonical import Json
from .tool_offer import object_schema
from .wire import Wire

_AS_THEY_ARE: Final = ("const", "default", "description", "maximum", "minimum", "type")
_CHOICES: Final = ("anyOf", "oneOf")


def portable(described: Mapping[str, Json]) -> Wire:
    """Return an object's schema with what all servers read of it.

    Raises ValueError or TypeError for one that can't be sent.
    """
    schema = object_schema(described)
    # No server takes a choice at the top.
    kept = {key: value for key, value in schema.items() if key not in _CHOICES}
    parameters = _portable({**kept, "type": "object"}, top=True)
    parameters.setdefault("properties", {})
    if defs := schema.get("$defs"):
        parameters["$defs"] = {name: _portable(one) for name, one in defs.items()}
    return parameters


def _portable(schema: Wire | bool, *, top: bool = False) -> Wire:
    """Return a schema of the current draft with only what all servers read of it."""
    if schema is True:
        return {}
    if schema is False:
        raise TypeError("a part of its schema allows nothing")
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}
    wire: Wire = {key: schema[key] for key in _AS_THEY_ARE if key in schema}
    if "enum" in schema and not top:
        wire["enum"] = schema["enum"]
    for key in _CHOICES:
        if key in schema:
            wire[key] = [_portable(one) for one in schema[key]]
    wire.update(_object(schema))
    kinds = schema.get("type")
    if kinds == "array" or (isinstance(kinds, list) and "array" in kinds):
        # OpenAI refuses an array whose items aren't told.
        wire["items"] = _portable(schema.get("items", {}))
    return wire


def _object(schema: Wire) -> Wire:
    """Return what a schema says of an object's fields."""
    wire: Wire = {}
    if (properties := schema.get("properties")) is not None:
        wire["properties"] = {key: _portable(one) for key, one in properties.items()}
        required = schema.get("required", ())
        if named := [key for key in required if key in properties]:
            wire["required"] = named
    match schema.get("additionalProperties"):
        case bool() as more:
            wire["additionalProperties"] = more
        case dict() as more:
            wire["additionalProperties"] = _portable(more)
    return wire
