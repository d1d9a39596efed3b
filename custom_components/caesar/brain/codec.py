"""Values of a turn as bytes and back, exactly: for turns that wait on disk.

What a list, a tuple, a set, an enumeration or one of our own values is comes back as
the same. Only the values named here can be read; the bytes name them, they never name
a module. Pure.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import Enum
import json
import math
from typing import Any, Final, cast

from .. import turn
from ..legion.canonical import Json
from ..policy import caller, decision, impact, reason
from . import provider

_VALUES: Final[Mapping[str, type]] = {
    cls.__name__: cls
    for cls in (
        caller.Caller,
        decision.ApprovalTerms,
        decision.PolicyDecision,
        decision.ResultFilter,
        decision.RuleRef,
        reason.Reason,
        turn.ApprovalResult,
        turn.GuardResult,
        turn.ToolDecision,
        turn.ToolError,
        turn.ToolOutcome,
        turn.ToolRequest,
        provider.AssistantMessage,
        provider.ToolResultMessage,
        provider.Usage,
        provider.UserMessage,
        provider.VendorBlock,
    )
}
_ENUMS: Final[Mapping[str, type[Enum]]] = {
    cls.__name__: cls
    for cls in (
        caller.Origin,
        decision.Verdict,
        impact.Impact,
        reason.Code,
        turn.ApprovalState,
        turn.Taint,
        turn.ToolScope,
    )
}


class CodecError(Exception):
    """A value that can't be kept, or bytes that are none of ours."""


def encode(value: object) -> bytes:
    """Return a value as bytes. Raises CodecError for what can't come back exactly."""
    try:
        return json.dumps(
            _tagged(value), separators=(",", ":"), allow_nan=False
        ).encode()
    except (TypeError, ValueError, RecursionError) as err:
        raise CodecError(str(err)[:200]) from err


def decode(data: bytes) -> object:
    """Return the value that `encode` made bytes of. Raises CodecError."""
    try:
        return _plain(json.loads(data))
    except (TypeError, ValueError, KeyError, RecursionError) as err:
        raise CodecError(str(err)[:200]) from err


def _tagged(value: object) -> Json:
    """Return a value as JSON in which every object says what it is."""
    if isinstance(value, Enum) and _is_known(value, _ENUMS):
        return {type(value).__name__: value.name}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        # An enumeration that isn't ours comes back as the text or number it equals.
        return value
    if isinstance(value, list):
        return [_tagged(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_tagged(item) for item in value]}
    if isinstance(value, (set, frozenset)):
        return {type(value).__name__: _sorted(value)}
    if isinstance(value, Mapping):
        return {"map": {_key(key): _tagged(item) for key, item in value.items()}}
    if not _is_known(value, _VALUES):
        raise CodecError(f"a {type(value).__name__} can't be kept")
    return {
        type(value).__name__: {
            field.name: _tagged(getattr(value, field.name))
            for field in fields(cast(Any, value))
        }
    }


def _plain(value: Json) -> object:
    """Return the value that `_tagged` made JSON of."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    match kind:
        case "float":
            return float(str(inner))
        case "tuple":
            return tuple(_items(inner))
        case "set":
            return set(_items(inner))
        case "frozenset":
            return frozenset(_items(inner))
        case "map":
            return {key: _plain(item) for key, item in _object(inner).items()}
    if kind in _ENUMS:
        return _ENUMS[kind][str(inner)]
    return _VALUES[kind](**{key: _plain(item) for key, item in _object(inner).items()})


def _is_known(value: object, known: Mapping[str, type]) -> bool:
    """Return whether values of this class can be read again."""
    return known.get(type(value).__name__) is type(value)


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise CodecError(f"a key of type {type(key).__name__} can't be kept")
    return key


def _sorted(values: Iterable[object]) -> list[Json]:
    return sorted((_tagged(item) for item in values), key=json.dumps)


def _items(inner: Json) -> list[object]:
    if not isinstance(inner, list):
        raise CodecError("no list")
    return [_plain(item) for item in inner]


def _object(inner: Json) -> dict[str, Json]:
    if not isinstance(inner, dict):
        raise CodecError("no object")
    return inner
