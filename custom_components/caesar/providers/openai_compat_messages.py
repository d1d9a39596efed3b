"""A round in our words turned into a request of the Chat Completions API. Pure.

Source: the "Chat Completions" page of OpenAI's API reference.
"""

from collections.abc import Iterable, Mapping, Sequence
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
from .answer_schema import NAME, is_strict, shape_of
from .attachments import openai_part
from .conversation import Conversation, arguments_text, outcome_text, thought_before
from .openai_compat_dialect import Dialect
from .portable_schema import portable
from .thinking import Think
from .tool_offer import Tools, wire_name
from .wire import Wire, clean

PROVIDER: Final = "openai_compatible"
# Where a server puts beside a call what it wants back with it.
SIGNED: Final = "extra_content"
_EFFORTS: Final[Mapping[Think, str]] = {each: each.value for each in Think} | {
    Think.OFF: "none"
}


def build_request(
    request: CompletionRequest, tools: Tools, model: str, dialect: Dialect
) -> Wire:
    """Return the body of the request, in the server's dialect."""
    body: Wire = {
        "model": model,
        "messages": [
            *build_system(request.system),
            *build_messages(request.messages, model if dialect.thoughts else None),
        ],
        "stream": True,
    }
    if dialect.length is not None:
        body[dialect.length] = request.max_tokens + dialect.room
    if dialect.effort is not None:
        body["reasoning_effort"] = _EFFORTS[dialect.effort]
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
    if dialect.response_format and (shape := shape_of(request, portable)):
        strict = is_strict(shape)
        named = {"name": NAME, "strict": strict, "schema": shape}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    return body


def build_system(blocks: Iterable[SystemBlock]) -> list[Wire]:
    """Return the system prompt as one message, what is stable at its start.

    Chat templates of many models refuse a second system message.
    """
    ordered = sorted(blocks, key=lambda block: not block.stable)
    texts = [clean(block.text) for block in ordered if block.text.strip()]
    return [{"role": "system", "content": "\n\n".join(texts)}] if texts else []


def build_messages(
    messages: Iterable[Message], thought_by: str | None = None
) -> list[Wire]:
    """Return the conversation in the API's shape.

    The API wants every call answered right after it and no answer without its call;
    chat templates want the user first and the roles in turns. What the model
    `thought_by` thought before a call goes back to it.
    """
    return _Conversation(thought_by).build(messages)


class _Conversation(Conversation):
    """Messages on their way to the wire."""

    # OpenAI takes no longer id of a call.
    call_ids = re.compile(r"[A-Za-z0-9_-]{1,40}")
    id_prefix = "call"

    def __init__(self, thought_by: str | None) -> None:
        """Take the model whose thinking goes back."""
        super().__init__()
        self._thought_by = thought_by

    @override
    def _answered(self, message: AssistantMessage) -> None:
        signed = self._signed(message)
        calls = [
            _call(request) | signed.get(request.id, {}) for request in message.requests
        ]
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
            last |= thought_before(message, PROVIDER, self._thought_by)
        self._open = [call["id"] for call in calls]

    def _signed(self, message: AssistantMessage) -> dict[str, Wire]:
        """Return what has to go back beside each call, by the call's id."""
        for block in message.vendor:
            match block.data:
                case {"model": str(by), "extra_content": Mapping() as signed} if (
                    block.provider == PROVIDER and by == self._thought_by
                ):
                    return {call: {SIGNED: each} for call, each in signed.items()}
        return {}

    @override
    def _came(
        self,
        results: Sequence[tuple[str, ToolOutcome | None]],
        texts: Sequence[str],
        files: Sequence[Attachment],
    ) -> None:
        self._wire += [
            {
                "role": "tool",
                "tool_call_id": call_id,
                "content": outcome_text(outcome),
            }
            for call_id, outcome in results
        ]
        said = "\n\n".join(texts)
        if files:
            parts = [openai_part(file) for file in files]
            parts += [{"type": "text", "text": said}] if said else []
            self._wire.append({"role": "user", "content": parts})
        elif said:
            self._wire.append({"role": "user", "content": said})


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
