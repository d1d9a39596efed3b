"""A round in our words turned into a request of the Chat Completions API. Pure.

Source: the "Chat Completions" page of OpenAI's API reference.
"""

from collections.abc import Iterable, Sequence
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
from .conversation import Conversation, arguments_text, outcome_text
from .openai_compat_dialect import Dialect
from .tool_offer import Tools, wire_name
from .wire import Wire, clean


def build_request(
    request: CompletionRequest, tools: Tools, model: str, dialect: Dialect
) -> Wire:
    """Return the body of the request, in the server's dialect."""
    body: Wire = {
        "model": model,
        "messages": [
            *build_system(request.system),
            *build_messages(request.messages),
        ],
        "stream": True,
    }
    if dialect.length is not None:
        body[dialect.length] = request.max_tokens
    if dialect.temperature is not None:
        body["temperature"] = dialect.temperature
    if dialect.stream_options:
        body["stream_options"] = {"include_usage": True}
    # Where no choice can be sent, a model that may not call sees no tools.
    may_call = request.tool_choice is ToolChoice.AUTO
    if tools.wire and (dialect.tool_choice or may_call):
        body["tools"] = list(tools.wire)
        if dialect.tool_choice:
            body["tool_choice"] = "auto" if may_call else "none"
        if dialect.parallel_tool_calls:
            body["parallel_tool_calls"] = True
    return body


def build_system(blocks: Iterable[SystemBlock]) -> list[Wire]:
    """Return the system prompt as one message, what is stable at its start.

    Chat templates of many models refuse a second system message.
    """
    ordered = sorted(blocks, key=lambda block: not block.stable)
    texts = [clean(block.text) for block in ordered if block.text.strip()]
    return [{"role": "system", "content": "\n\n".join(texts)}] if texts else []


def build_messages(messages: Iterable[Message]) -> list[Wire]:
    """Return the conversation in the API's shape.

    The API wants every call answered right after it and no answer without its call;
    chat templates want the user first and the roles in turns.
    """
    return _Conversation().build(messages)


class _Conversation(Conversation):
    """Messages on their way to the wire."""

    # OpenAI takes no longer id of a call.
    call_ids = re.compile(r"[A-Za-z0-9_-]{1,40}")
    id_prefix = "call"

    @override
    def _answered(self, message: AssistantMessage) -> None:
        calls = [_call(request) for request in message.requests]
        text = clean(message.text) if message.text.strip() else None
        if not (text or calls):
            return
        self._close_user()
        if not self._wire:
            return
        last = self._wire[-1]
        if last["role"] == "assistant":
            # Nothing came between, so the one before made no calls.
            last["content"] = "\n\n".join(filter(None, (last["content"], text))) or None
        else:
            last = {"role": "assistant", "content": text}
            self._wire.append(last)
        if calls:
            last["tool_calls"] = calls
        self._open = [call["id"] for call in calls]

    @override
    def _came(
        self, results: Sequence[tuple[str, ToolOutcome | None]], texts: Sequence[str]
    ) -> None:
        self._wire += [
            {
                "role": "tool",
                "tool_call_id": call_id,
                "content": outcome_text(outcome),
            }
            for call_id, outcome in results
        ]
        if texts:
            self._wire.append({"role": "user", "content": "\n\n".join(texts)})


def _call(request: ToolRequest) -> Wire:
    """Return a call as the model wrote it.

    Servers read the arguments again and fail the round if they are no JSON.
    """
    return {
        "id": _Conversation.wire_id(request.id),
        "type": "function",
        "function": {
            "name": wire_name(request.name),
            "arguments": arguments_text(request),
        },
    }
