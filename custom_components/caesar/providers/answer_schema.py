"""The shape that an answer must have, as each vendor's servers take it. Pure.

Source: the "Structured outputs" pages of Anthropic's and of OpenAI's API documentation.
What a server doesn't take is left out: whoever asked checks the answer against all of
the schema, whatever the server made of it.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..brain.provider import CompletionRequest
from ..legion.canonical import Json
from .wire import Wire

NAME: Final = "answer"
_DEEPEST: Final = 16
# Anthropic refuses bounds of numbers, lengths and patterns.
_AS_THEY_ARE: Final = ("const", "description", "enum", "title", "type")


def shape_of(
    request: CompletionRequest, say: Callable[[Mapping[str, Json]], Wire]
) -> Wire | None:
    """Return the shape of a round's answer; None where a server can't be told any.

    `say` raises TypeError or ValueError for a schema that it can't put into words.
    """
    if request.answer_schema is None:
        return None
    try:
        return say(request.answer_schema)
    except TypeError, ValueError:
        return None


def closed(schema: Mapping[str, Json]) -> Wire:
    """Return a schema as Anthropic takes it: no object has fields it doesn't name.

    Raises ValueError for one that can't be said there: an object of any fields, or one
    that is too deep.
    """
    return _closed(dict(schema), 0)


def is_strict(schema: Any) -> bool:
    """Return whether OpenAI holds an answer to it exactly: it wants every field."""
    if not isinstance(schema, dict):
        return True
    fields = schema.get("properties", {})
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("required", ())) != set(fields)
    ):
        return False
    inner = [*fields.values(), *schema.get("anyOf", ()), schema.get("items")]
    return "oneOf" not in schema and all(map(is_strict, inner))


def _closed(schema: Any, depth: int) -> Wire:
    if depth > _DEEPEST:
        raise ValueError("the schema is too deep")
    if not isinstance(schema, dict):
        raise ValueError("a part of the schema isn't an object")  # noqa: TRY004 one error for all that can't be said
    wire: Wire = {key: schema[key] for key in _AS_THEY_ARE if key in schema}
    for key in ("anyOf", "oneOf"):
        if isinstance(choices := schema.get(key), list):
            wire["anyOf"] = [_closed(one, depth + 1) for one in choices]
    if "items" in schema:
        wire["items"] = _closed(schema["items"], depth + 1)
    if schema.get("type") == "object":
        fields = schema.get("properties")
        if not isinstance(fields, dict) or schema.get("additionalProperties"):
            raise ValueError("an object may have any fields")
        wire["properties"] = {
            name: _closed(one, depth + 1) for name, one in fields.items()
        }
        wire["required"] = list(schema.get("required", ()))
        wire["additionalProperties"] = False
    return wire
