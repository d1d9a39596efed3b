"""A round in our words turned into a request of Anthropic's Messages API. Pure.

Source: the "Messages", "Tool use" and "Prompt caching" pages of Anthropic's API
documentation (version 2023-06-01 of the API).
"""

from collections.abc import Iterable, Mapping
import hashlib
import json
import re

from ..brain.provider import (
    AssistantMessage,
    CompletionRequest,
    Message,
    SystemBlock,
    ToolChoice,
    ToolResultMessage,
    UserMessage,
)
from ..legion.canonical import Json
from ..turn import ToolOutcome, ToolRequest
from .anthropic_tools import CACHE, Tools, Wire, clean, plain, wire_name

PROVIDER = "anthropic"

_CALL_ID = re.compile(r"[A-Za-z0-9_-]+")
_LOST = {
    "error": "There is no record of what came of this call.",
    "code": "interrupted",
    "retryable": False,
}


def build_request(request: CompletionRequest, tools: Tools) -> Wire:
    """Return the body of the request, without the model."""
    body: Wire = {
        "max_tokens": request.max_tokens,
        "messages": build_messages(request.messages),
    }
    if system := build_system(request.system):
        body["system"] = system
    if tools.wire:
        body["tools"] = list(tools.wire)
        body["tool_choice"] = {
            "type": "auto" if request.tool_choice is ToolChoice.AUTO else "none"
        }
    return body


def build_system(blocks: Iterable[SystemBlock]) -> list[Wire]:
    """Return the system prompt; what is stable at its start is cached."""
    wire: list[Wire] = []
    last_stable = -1
    in_prefix = True
    for block in blocks:
        if not block.text.strip():
            continue
        in_prefix = in_prefix and block.stable
        if in_prefix:
            last_stable = len(wire)
        wire.append({"type": "text", "text": clean(block.text)})
    if last_stable >= 0:
        wire[last_stable]["cache_control"] = CACHE
    return wire


def build_messages(messages: Iterable[Message]) -> list[Wire]:
    """Return the conversation in the API's shape.

    The API wants the user first, every call answered in the very next message, no
    answer without its call and no empty text. A history that was cut or interrupted
    is mended: else it would fail each later round too.
    """
    conversation = _Conversation()
    for message in messages:
        match message:
            case UserMessage():
                conversation.said(message.text)
            case ToolResultMessage():
                conversation.came_of(message.outcome)
            case AssistantMessage():
                conversation.answered(message)
    return conversation.finish()


class _Conversation:
    """Messages on their way to the wire."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self._wire: list[Wire] = []
        self._open: list[str] = []
        self._results: dict[str, Wire] = {}
        self._texts: list[Wire] = []

    def said(self, text: str) -> None:
        """Add what a person said."""
        if text.strip():
            self._texts.append({"type": "text", "text": clean(text)})

    def came_of(self, outcome: ToolOutcome) -> None:
        """Add a call's outcome, if the call is there."""
        self._results.setdefault(
            wire_id(outcome.request_id), tool_result_block(outcome)
        )

    def answered(self, message: AssistantMessage) -> None:
        """Add a round's answer."""
        self._close_user()
        if not self._wire:
            return
        blocks = assistant_blocks(message)
        if not blocks:
            return
        if self._wire[-1]["role"] == "assistant":
            self._wire[-1]["content"].extend(blocks)
        else:
            self._wire.append({"role": "assistant", "content": blocks})
        self._open = [block["id"] for block in blocks if block["type"] == "tool_use"]

    def finish(self) -> list[Wire]:
        """Return the whole conversation."""
        self._close_user()
        return self._wire

    def _close_user(self) -> None:
        """Write down what came since the last answer: results first, then words."""
        blocks = [
            self._results.get(call_id)
            or {
                "type": "tool_result",
                "tool_use_id": call_id,
                "content": _json(_LOST),
                "is_error": True,
            }
            for call_id in self._open
        ]
        blocks += self._texts
        if blocks:
            self._wire.append({"role": "user", "content": blocks})
        self._open, self._results, self._texts = [], {}, []


def assistant_blocks(message: AssistantMessage) -> list[Wire]:
    """Return the blocks of a round's answer, in the order in which they came.

    Thinking must go back untouched and in its place, or the API refuses the round;
    without thinking the order is text, then calls.
    """
    calls = {request.id: _call_block(request) for request in message.requests}
    for vendor in message.vendor:
        kept = _in_order(vendor.data, message.text, calls)
        if vendor.provider == PROVIDER and kept is not None:
            return kept
    blocks: list[Wire] = []
    if message.text.strip():
        blocks.append({"type": "text", "text": clean(message.text)})
    return [*blocks, *calls.values()]


def _in_order(data: object, text: str, calls: Mapping[str, Wire]) -> list[Wire] | None:
    """Return a kept answer's blocks, or None if it isn't the answer that is meant."""
    if not isinstance(data, list | tuple):
        return None
    blocks: list[Wire] = []
    said = ""
    seen: set[str] = set()
    for block in data:
        match block:
            case {"type": "text", "text": str(part)}:
                said += part
                if part.strip():
                    blocks.append({"type": "text", "text": clean(part)})
            case {"type": "tool_use", "id": str(call_id)}:
                if call_id in calls:
                    seen.add(call_id)
                    blocks.append(calls[call_id])
            case {"type": "thinking" | "redacted_thinking"}:
                blocks.append(dict(block))
    return blocks if said == text and seen == set(calls) else None


def _call_block(request: ToolRequest) -> Wire:
    """Return a call as the model wrote it; what was no JSON stays readable."""
    return {
        "type": "tool_use",
        "id": wire_id(request.id),
        "name": wire_name(request.name),
        "input": {"INVALID_JSON": clean(request.raw)}
        if request.arguments is None
        else json.loads(_json(request.arguments)),
    }


def wire_id(call_id: str) -> str:
    """Return a call's id as the API allows it; other brains have ids of their own."""
    if _CALL_ID.fullmatch(call_id):
        return call_id
    digest = hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()
    return f"toolu_{digest[:24]}"


def tool_result_block(outcome: ToolOutcome) -> Wire:
    """Return what came of a call: its data, or an error that a model can act on."""
    content = outcome.data
    if (error := outcome.error) is not None:
        waiting: dict[str, Json] = {}
        if error.retry_after is not None:
            waiting["retry_after"] = error.retry_after
        content = {
            "error": error.message,
            "code": error.code.value,
            "retryable": error.retryable,
            **waiting,
        }
    return {
        "type": "tool_result",
        "tool_use_id": wire_id(outcome.request_id),
        "content": _json(content),
        "is_error": error is not None,
    }


def _json(value: object) -> str:
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
