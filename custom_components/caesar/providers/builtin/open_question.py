"""A question which one is meant, as a conversation keeps it until the next message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from ...legion.canonical import Json
from ...turn import PastCall
from .heard import Heard, Source

# What asks for a room or a time instead of one of several.
WHICH_ROOM: Final = "CaesarWhichRoom"
HOW_LONG: Final = "CaesarTimer"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """What was asked: the sentence it was about, and the entities in the order said.

    There are none of these where a room or a time was asked for.
    `last` are the calls that this sentence itself went on from ("turn it off").
    """

    heard: Heard
    candidates: tuple[str, ...]
    last: tuple[PastCall, ...] = ()

    def as_json(self) -> dict[str, Json]:
        """Return the question as JSON."""
        heard = self.heard
        return {
            "intent": heard.intent,
            "slots": {key: _plain(value) for key, value in heard.slots.items()},
            "texts": dict(heard.texts),
            "response": heard.response,
            "source": heard.source.value,
            "text": heard.text,
            "candidates": list(self.candidates),
            "last": [
                [call.tool, list(call.target), dict(call.data)] for call in self.last
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> OpenQuestion | None:
        """Return the question that `as_json` made; None for what is none."""
        value = cast(Mapping[str, Any], data)
        try:
            return cls(
                heard=Heard(
                    intent=value["intent"],
                    slots=value["slots"],
                    texts=value["texts"],
                    response=value["response"],
                    source=Source(value["source"]),
                    text=value["text"],
                ),
                candidates=tuple(value["candidates"]),
                last=tuple(
                    PastCall(tool=tool, target=tuple(target), done=True, data=given)
                    for tool, target, given in value["last"]
                ),
            )
        except KeyError, TypeError, ValueError:
            return None


def _plain(value: object) -> Json:
    """Return a slot's value as JSON."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    return str(value)
