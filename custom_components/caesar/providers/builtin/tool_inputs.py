"""From the words of a sentence to the value of a tool's property, checked.

A tool's schema comes from a worker: its patterns run as `SafePattern`, whose cost is
bounded, and must fit the whole text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
import math
import re
from typing import Final

from ...legion.canonical import Json
from ...policy.pattern import PatternError, SafePattern
from .templates import TemplateError, Trouble

MAX_PATTERN: Final = 2000
MAX_STATES: Final = 4000
_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(?:[.,]\d{1,15})?")
_DECIMAL_COMMA: Final = frozenset(
    ("cs", "da", "de", "es", "fr", "it", "nl", "pl", "pt", "ru", "sv")
)
_TYPES: Final = frozenset(("integer", "number", "string"))
# What narrows a value and isn't understood here: such a property stays unfilled.
_NOT_READ: Final = frozenset(
    [
        "allOf",
        "anyOf",
        "const",
        "format",
        "if",
        "multipleOf",
        "not",
        "oneOf",
        "$ref",
        "exclusiveMaximum",
        "exclusiveMinimum",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A property of a tool's input, as far as a sentence can fill it."""

    type: str
    choices: Mapping[str, Json] | None
    pattern: SafePattern | None
    least: float
    most: float

    def cost(self, text: str) -> int:
        """Return how many steps `value` can take at most."""
        return len(text) * (self.pattern.states if self.pattern else 1)

    def value(self, text: str, language: str) -> Json:
        """Return what `text` means, None if it doesn't fit."""
        if self.choices is not None:
            return self.choices.get(text.casefold())
        if self.type == "string":
            fits = self.least <= len(text) <= self.most
            if fits and (self.pattern is None or self.pattern.matches(text)):
                return text
            return None
        if not _NUMBER.fullmatch(text):
            return None
        if "," in text and language not in _DECIMAL_COMMA:
            return None
        number = float(text.replace(",", "."))
        if not self.least <= number <= self.most:
            return None
        if self.type == "number":
            return number
        return int(number) if number.is_integer() else None


def properties(schema: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the properties of a tool's input schema; none if it has no such."""
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def required(schema: Mapping[str, Json]) -> frozenset[str]:
    """Return the properties that a call must have."""
    found = schema.get("required")
    items = found if isinstance(found, (list, tuple)) else ()
    return frozenset(item for item in items if isinstance(item, str))


def read_property(schema: Mapping[str, Json], name: str) -> Property:
    """Return a property. Raises TemplateError if a sentence can't fill it."""
    found = properties(schema).get(name)
    if not isinstance(found, Mapping):
        raise TemplateError(Trouble.PROPERTY, property=name)
    choices = found.get("enum")
    kind = found.get("type", "string" if choices is not None else None)
    if not isinstance(kind, str) or kind not in _TYPES or found.keys() & _NOT_READ:
        raise TemplateError(Trouble.PROPERTY_TYPE, property=name)
    words = kind == "string"
    low, high = ("minLength", "maxLength") if words else ("minimum", "maximum")
    return Property(
        type=kind,
        choices=None if choices is None else _choices(choices),
        pattern=_pattern(found, name),
        least=_bound(found.get(low), 1 if words else -math.inf),
        most=_bound(found.get(high), math.inf),
    )


def _choices(given: Json) -> Mapping[str, Json]:
    items = given if isinstance(given, (list, tuple)) else ()
    return {
        str(item).casefold(): item
        for item in items
        if isinstance(item, (str, int, float)) and not isinstance(item, bool)
    }


def _pattern(found: Mapping[str, Json], name: str) -> SafePattern | None:
    if (source := found.get("pattern")) is None:
        return None
    try:
        return SafePattern(str(source), max_length=MAX_PATTERN, max_states=MAX_STATES)
    except PatternError as err:
        raise TemplateError(Trouble.PROPERTY_TYPE, property=name) from err


def _bound(value: Json, without: float) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return without
