"""What goes to and comes from any model's API: JSON, as values and as text. Pure."""

from collections.abc import Mapping, Sequence
import json
from typing import Any

from ..legion.canonical import Json

type Wire = dict[str, Any]


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


def json_text(value: object) -> str:
    """Return a value as JSON text that is the same in each round."""
    return clean(
        json.dumps(
            value,
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
            default=plain,
        )
    )


def parse_arguments(text: str) -> dict[str, Json] | None:
    """Return a call's arguments, or None if they are no JSON object.

    NaN and Infinity, which Python's parser would take, are no JSON.
    """
    try:
        value = json.loads(text, parse_constant=_refuse)
    except ValueError, RecursionError:
        return None
    return value if isinstance(value, dict) else None


def _refuse(constant: str) -> None:
    """Refuse a constant that isn't JSON."""
    raise ValueError(constant)
