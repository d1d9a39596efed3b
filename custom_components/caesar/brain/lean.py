"""A tool as a model needs to see it: its schema without what only a check reads. Pure.

Each request carries every tool. The gate checks a call against the tool's own schema,
so that what is left out here weakens nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ..legion.canonical import Json
from ..legion.spec import ToolSpec

# A longer pattern tells a model nothing that the description doesn't tell it better.
LONGEST_PATTERN: Final = 64
# A text or a list of more than so many is none that a model writes by mistake.
LARGEST_LIMIT: Final = 200
_LIMITS: Final = ("maxItems", "maxLength")
_MAPS: Final = frozenset({"$defs", "patternProperties", "properties"})
# Values, and parts that would allow less if they said less.
_AS_THEY_ARE: Final = frozenset(
    {"const", "contains", "default", "else", "enum", "examples"}
    | {"if", "not", "oneOf", "required", "then"}
)


def lean(spec: ToolSpec) -> ToolSpec:
    """Return the tool with a shorter schema that allows at least as much."""
    return replace(spec, input_schema=_schema(spec.input_schema))


def _schema(schema: Mapping[str, Json]) -> dict[str, Json]:
    return {
        key: _part(key, value) for key, value in schema.items() if _told(key, value)
    }


def _told(key: str, value: Json) -> bool:
    if key == "pattern" and isinstance(value, str):
        return len(value) <= LONGEST_PATTERN
    if key in _LIMITS and isinstance(value, int):
        return value < LARGEST_LIMIT
    return not (key in ("minItems", "minLength") and value == 1)


def _part(key: str, value: Json) -> Json:
    if key in _AS_THEY_ARE:
        return value
    if isinstance(value, Mapping):
        if key in _MAPS:
            return {
                name: _schema(each) if isinstance(each, Mapping) else each
                for name, each in value.items()
            }
        return _schema(value)
    if isinstance(value, list | tuple):
        return [_schema(each) if isinstance(each, Mapping) else each for each in value]
    return value
