"""A conversation on its way to a model's API: what the APIs share. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
import hashlib
import re
from typing import ClassVar, Final

from ..brain.provider import (
    AssistantMessage,
    Attachment,
    Message,
    ToolResultMessage,
    UserMessage,
    VendorBlock,
)
from ..legion.canonical import Json
from ..turn import ToolOutcome, ToolRequest
from .wire import Wire, clean, json_text

_LOST: Final[Json] = {
    "error": "There is no record of what came of this call.",
    "code": "interrupted",
    "retryable": False,
}


class Conversation(ABC):
    """Messages in the shape of an API that wants each call answered right after it.

    An outcome without its call is left out. A history that was cut or interrupted is
    mended: else it would fail each later round too. `call_ids` and `id_prefix` say
    which ids of calls the API allows, and how one of ours begins.
    """

    call_ids: ClassVar[re.Pattern[str]]
    id_prefix: ClassVar[str]

    def __init__(self) -> None:
        """Start with nothing said."""
        self._wire: list[Wire] = []
        self._open: list[str] = []
        self._outcomes: dict[str, ToolOutcome] = {}
        self._texts: list[str] = []
        self._files: list[Attachment] = []

    def build(self, messages: Iterable[Message]) -> list[Wire]:
        """Return the messages on the wire; use it once."""
        for message in messages:
            match message:
                case UserMessage():
                    if message.text.strip():
                        self._texts.append(clean(message.text))
                    self._files += message.attachments
                case ToolResultMessage():
                    call_id = self.wire_id(message.outcome.request_id)
                    self._outcomes.setdefault(call_id, message.outcome)
                case AssistantMessage():
                    self._answered(message)
        self._close_user()
        return self._wire

    @classmethod
    def wire_id(cls, call_id: str) -> str:
        """Return a call's id as the API allows it; other brains have their own."""
        if cls.call_ids.fullmatch(call_id):
            return call_id
        digest = hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()
        return f"{cls.id_prefix}_{digest[:24]}"

    @abstractmethod
    def _answered(self, message: AssistantMessage) -> None:
        """Add a round's answer, and leave the ids of its calls open."""

    @abstractmethod
    def _came(
        self,
        results: Sequence[tuple[str, ToolOutcome | None]],
        texts: Sequence[str],
        files: Sequence[Attachment],
    ) -> None:
        """Add what came of the open calls, None if nobody knows; then files, words."""

    def _close_user(self) -> None:
        """Write down what came since the last answer."""
        results = [(call_id, self._outcomes.get(call_id)) for call_id in self._open]
        self._came(results, self._texts, self._files)
        self._open, self._outcomes = [], {}
        self._texts, self._files = [], []


def outcome_text(outcome: ToolOutcome | None) -> str:
    """Return what came of a call: its data, or an error that a model can act on."""
    if outcome is None:
        return json_text(_LOST)
    if (error := outcome.error) is None:
        return json_text(outcome.data)
    told: dict[str, Json] = {
        "error": error.message,
        "code": error.code.value,
        "retryable": error.retryable,
    }
    if error.retry_after is not None:
        told["retry_after"] = error.retry_after
    return json_text(told)


def arguments_text(request: ToolRequest) -> str:
    """Return a call's arguments as JSON; what was no object stays readable."""
    if request.arguments is None:
        return json_text({"INVALID_JSON": request.raw})
    return json_text(request.arguments)


def thinking_block(provider: str, model: str, field: str, thought: str) -> VendorBlock:
    """Return what a model thought before its calls, under the field it came in."""
    data = {"model": model, "field": field, "thought": thought}
    return VendorBlock(provider=provider, data=data)


def thought_before(
    message: AssistantMessage, provider: str, thought_by: str | None
) -> Wire:
    """Return the field with what the model `thought_by` thought; empty if not it.

    Models that think between calls lose the thread without it, and some servers refuse
    a call that comes back without its thinking.
    """
    for block in message.vendor:
        match block.data:
            case {"model": str(by), "field": str(field), "thought": str(thought)} if (
                block.provider == provider and by == thought_by
            ):
                return {field: clean(thought)}
    return {}
