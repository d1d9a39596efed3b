"""A round in our words turned into a request of Anthropic's Messages API. Pure.

Source: the "Messages", "Tool use", "Thinking" and "Prompt caching" pages of Anthropic's
documentation (version 2023-06-01 of the API).
"""

from collections.abc import Iterable, Mapping, Sequence
import json
import re
from typing import Final, override

from ..brain.provider import (
    AssistantMessage,
    Attachment,
    CompletionRequest,
    Message,
    SystemBlock,
    ToolChoice,
)
from ..turn import ToolOutcome, ToolRequest
from .answer_schema import closed, shape_of
from .anthropic_dialect import Dialect, Mode
from .attachments import anthropic_block
from .conversation import Conversation, arguments_text, outcome_text
from .tool_offer import Tools, wire_name
from .wire import Wire, clean

PROVIDER = "anthropic"


# The end of a conversation is another one in a moment; the vendor's default suits it.
_CACHE: Final[Wire] = {"type": "ephemeral"}
_THOUGHTS: Final = ("thinking", "redacted_thinking")


def build_request(request: CompletionRequest, tools: Tools, dialect: Dialect) -> Wire:
    """Return the body of the request, without the model's name."""
    thought_by = dialect.model if dialect.modes[0] != "disabled" else None
    messages = build_messages(request.messages, thought_by)
    mode: Mode = dialect.modes[0]
    if mode == "enabled" and not _may_think(messages):
        mode = "disabled"
        messages = build_messages(request.messages)
    thinking, room = dialect.thinking(mode)
    body: Wire = {
        "max_tokens": request.max_tokens + room,
        "messages": messages,
        "thinking": thinking,
    }
    if system := build_system(request.system, dialect.cache):
        body["system"] = system
    if tools.wire:
        may_call = request.tool_choice is ToolChoice.AUTO
        body["tools"] = list(tools.wire)
        body["tool_choice"] = {"type": "auto" if may_call else "none"}
        if may_call and messages:
            # Its calls bring a next round, which begins with all of this one.
            last = messages[-1]["content"]
            last[-1] = {**last[-1], "cache_control": _CACHE}
    output: Wire = {}
    if effort := dialect.effort_of(mode):
        output["effort"] = effort
    if dialect.shape and (shape := shape_of(request, closed)):
        output["format"] = {"type": "json_schema", "schema": shape}
    return {**body, "output_config": output} if output else body


def build_system(blocks: Iterable[SystemBlock], cache: Wire = _CACHE) -> list[Wire]:
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
        wire[last_stable]["cache_control"] = cache
    return wire


def build_messages(
    messages: Iterable[Message], thought_by: str | None = None
) -> list[Wire]:
    """Return the conversation in the API's shape.

    The API wants the user first, every call answered in the very next message, no
    answer without its call and no empty text. What the model `thought_by` thought goes
    back to it; no other model's thinking does.
    """
    return _Conversation(thought_by).build(messages)


def _may_think(messages: Sequence[Wire]) -> bool:
    """Return whether a model with a budget may think now.

    Not between a call and its answer, unless that round began with its thinking.
    """
    if len(messages) < 2 or messages[-1]["role"] != "user":
        return True
    if not any(each["type"] == "tool_result" for each in messages[-1]["content"]):
        return True
    return bool(messages[-2]["content"][0]["type"] in _THOUGHTS)


class _Conversation(Conversation):
    """Messages on their way to the wire."""

    call_ids = re.compile(r"[A-Za-z0-9_-]+")
    id_prefix = "toolu"

    def __init__(self, thought_by: str | None) -> None:
        """Take the model whose thinking goes back."""
        super().__init__()
        self._thought_by = thought_by

    @override
    def _answered(self, message: AssistantMessage) -> None:
        self._close_user()
        if not self._wire:
            return
        blocks = assistant_blocks(message, self._thought_by)
        if not blocks:
            return
        if self._wire[-1]["role"] == "assistant":
            self._wire[-1]["content"].extend(blocks)
        else:
            self._wire.append({"role": "assistant", "content": blocks})
        self._open = [block["id"] for block in blocks if block["type"] == "tool_use"]

    @override
    def _came(
        self,
        results: Sequence[tuple[str, ToolOutcome | None]],
        texts: Sequence[str],
        files: Sequence[Attachment],
    ) -> None:
        blocks = [tool_result_block(*result) for result in results]
        blocks += map(anthropic_block, files)
        blocks += [{"type": "text", "text": text} for text in texts]
        if blocks:
            self._wire.append({"role": "user", "content": blocks})


def assistant_blocks(message: AssistantMessage, thought_by: str | None) -> list[Wire]:
    """Return the blocks of a round's answer, in the order in which they came.

    Thinking must go back untouched and in its place, or the API refuses the round;
    without thinking the order is text, then calls.
    """
    calls = {request.id: _call_block(request) for request in message.requests}
    for vendor in message.vendor:
        if vendor.provider != PROVIDER or not isinstance(vendor.data, Mapping):
            continue
        if thought_by is None or vendor.data.get("model") != thought_by:
            continue
        kept = _in_order(vendor.data.get("blocks"), message.text, calls)
        if kept is not None:
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
