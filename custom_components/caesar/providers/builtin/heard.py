"""What was understood of a sentence, before anybody looks at the house."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Source(StrEnum):
    """Where an understanding comes from.

    NOT_SHARED names an entity that isn't shared with Assist: it becomes a real call,
    so that the gate refuses it and the trail has a row.
    """

    HOME_ASSISTANT = "home_assistant"
    OWN = "own"
    NOT_SHARED = "not_shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An intent with its slots.

    `slots` are the values, `texts` the words for them, `response` the key of Home
    Assistant's answer template, `text` the sentence (or the half of one) itself.
    """

    intent: str
    slots: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    response: str = "default"
    source: Source
    text: str

    def strings(self, slot: str) -> tuple[str, ...]:
        """Return a slot that may hold one or several values; empty without it."""
        value = self.slots.get(slot)
        if value is None:
            return ()
        if isinstance(value, (list, tuple, set)):
            return tuple(str(item) for item in value)
        return (str(value),)

    def string(self, slot: str) -> str | None:
        """Return the one value of a slot as text, or None."""
        return next(iter(self.strings(slot)), None)
