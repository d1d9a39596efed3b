"""A tool's schema as JSON Schema 2020-12, whatever draft it was written in. Pure.

Source: JSON Schema 2020-12, "Validation" and "Core"; OpenAPI 3.0, whose `nullable` and
boolean `exclusiveMinimum` many libraries still write. A vendor that checks schemas
refuses the whole round for one that isn't valid.
"""

from collections.abc import Callable, Mapping
import re
from typing import Any, Final

from .wire import Wire

_DEEPEST: Final = 16
_TYPES: Final = frozenset(
    {"object", "array", "string", "number", "integer", "boolean", "null"}
)
_REFS: Final = "#/$defs/"
_CHOICES: Final = ("allOf", "anyOf", "oneOf")
_MANY: Final = ("$defs", "dependentSchemas", "patternProperties", "properties")
_ONE: Final = (
    *("additionalProperties", "contains", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and all(map(_is_text, value))
        and len(set(value)) == len(value)
    )


def _is_pattern(value: Any) -> bool:
    try:
        re.compile(value)
    except TypeError, ValueError, re.error:
        return False
    return True


# What the value of a keyword may be; of another one the keyword is left out, for the
# gate checks each call against the tool's own schema.
_VALUES: Final[Mapping[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(
        ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum"), _is_number
    ),
    **dict.fromkeys(
        ("maxContains", "maxItems", "maxLength", "maxProperties", "minContains"),
        _is_count,
    ),
    **dict.fromkeys(("minItems", "minLength", "minProperties"), _is_count),
    **dict.fromkeys(("$comment", "description", "format", "title"), _is_text),
    "enum": lambda value: isinstance(value, list) and bool(value),
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "pattern": _is_pattern,
    "required": _is_names,
    "uniqueItems": lambda value: isinstance(value, bool),
}
_AS_THEY_ARE: Final = ("const", "default", "examples")


def current(schema: Wire) -> Wire:
    """Return a schema as 2020-12. Raises ValueError or TypeError for what can't be it."""
    defs = schema.get("$defs", {})
    if not isinstance(defs, dict):
        raise TypeError("its definitions aren't an object")
    mended = _current(schema, frozenset(defs), 0)
    assert isinstance(mended, dict)
    return mended


def _current(schema: Any, defs: frozenset[str], depth: int) -> Wire | bool:
    if depth > _DEEPEST:
        raise ValueError("its schema is too deep")
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict):
        raise TypeError("a part of its schema isn't an object")
    if (ref := schema.get("$ref")) is not None and (
        not isinstance(ref, str) or ref.removeprefix(_REFS) not in defs
    ):
        raise ValueError("its schema refers to something that isn't there")
    wire: Wire = {} if ref is None else {"$ref": ref}
    for key, value in _numbers(schema).items():
        if key in _AS_THEY_ARE or (key in _VALUES and _VALUES[key](value)):
            wire[key] = value
        elif key == "type":
            wire[key] = _type(value, nullable=schema.get("nullable") is True)
        elif key in _MANY:
            wire[key] = _schemas(value, defs, depth + 1)
        elif key in _ONE:
            wire[key] = _current(value, defs, depth + 1)
        elif key in _CHOICES and isinstance(value, list) and value:
            wire[key] = [_current(one, defs, depth + 1) for one in value]
    return wire


def _schemas(value: Any, defs: frozenset[str], depth: int) -> Wire:
    if not isinstance(value, dict):
        raise TypeError("a part of its schema isn't an object")
    return {name: _current(one, defs, depth) for name, one in value.items()}


def _numbers(schema: Wire) -> Wire:
    """Return a schema whose exclusive bounds are numbers."""
    wire = dict(schema)
    for bound in ("minimum", "maximum"):
        exclusive = f"exclusive{bound.capitalize()}"
        if wire.get(exclusive) is True and bound in wire:
            wire[exclusive] = wire.pop(bound)
    return wire


def _type(kinds: Any, *, nullable: bool) -> Any:
    """Return the type or types of a schema. Raises ValueError if they aren't JSON's."""
    listed = kinds if isinstance(kinds, list) else [kinds]
    if not _is_names(listed) or not listed or not _TYPES.issuperset(listed):
        raise ValueError(f"its schema has the type {kinds!r}")
    if nullable and "null" not in listed:
        return [*listed, "null"]
    return kinds
