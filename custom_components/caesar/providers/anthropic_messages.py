"""A round in our words turned into a request of Anthropic's Messages API. Pure.

Source: the "Messages", "Tool use" and "Prompt caching" pages of Anthropic's API
documentation (version 2023-06-01 of the API).
"""

from collections.abc import Iterable, Mapping, Sequence
import json
import re
from typing import override

from ..brain.provider import (
    AssistantMessage,
    CompletionRequest,
    Message,
    SystemBlock,
    ToolChoice,
)
from ..turn import ToolOutcome, ToolRequest
from .anthropic_tools import CACHE
from .conversation import Conversation, arguments_text, outcome_text
from .tool_offer import Tools, wire_name
from .wire import Wire, clean

PROVIDER = "anthropic"


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
    answer without its call and no empty text.
    """
    return _Conversation().build(messages)


class _Conversation(Conversation):
    """Messages on their way to the wire."""

    call_ids = re.compile(r"[A-Za-z0-9_-]+")
    id_prefix = "toolu"

    @override
    def _answered(self, message: AssistantMessage) -> None:
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

    @override
    def _came(
        self, results: Sequence[tuple[str, ToolOutcome | None]], texts: Sequence[str]
    ) -> None:
        blocks = [tool_result_block(*result) for result in results]
        blocks += [{"type": "text", "text": text} for text in texts]
        if blocks:
            self._wire.append({"role": "user", "content": blocks})


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
    """Return a call as the model wrote it."""
    return {
        "type": "tool_use",
        "id": _Conversation.wire_id(request.id),
        "name": wire_name(request.name),
        "input": json.loads(arguments_text(request)),
    }


def tool_result_block(call_id: str, outcome: ToolOutcome | None) -> Wire:
    """Return what came of a call, by its id on the wire."""
    return {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": outcome_text(outcome),
        "is_error": outcome is None or outcome.error is not None,
    }
