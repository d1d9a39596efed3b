"""A round in our words turned into a request of the Chat Completions API. Pure.

Source: the "Chat Completions" page of OpenAI's API reference.
"""

from collections.abc import Iterable
import hashlib
import json
import re
from typing import Final

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
from .anthropic_tools import Wire, clean, plain, wire_name
from .openai_compat_dialect import Dialect
from .openai_compat_tools import Tools

# OpenAI takes no longer id of a call.
_CALL_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_LOST: Final[Json] = {
    "error": "There is no record of what came of this call.",
    "code": "interrupted",
    "retryable": False,
}


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
    chat templates want the user first and the roles in turns. A history that was cut
    or interrupted is mended: else it would fail each later round too.
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
        self._results: dict[str, str] = {}
        self._texts: list[str] = []

    def said(self, text: str) -> None:
        """Add what a person said."""
        if text.strip():
            self._texts.append(clean(text))

    def came_of(self, outcome: ToolOutcome) -> None:
        """Add a call's outcome, if the call is there."""
        self._results.setdefault(wire_id(outcome.request_id), tool_result(outcome))

    def answered(self, message: AssistantMessage) -> None:
        """Add a round's answer; one without words and calls is none."""
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

    def finish(self) -> list[Wire]:
        """Return the whole conversation."""
        self._close_user()
        return self._wire

    def _close_user(self) -> None:
        """Write down what came since the last answer: results first, then words."""
        lost = json_text(_LOST)
        self._wire += [
            {
                "role": "tool",
                "tool_call_id": call_id,
                "content": self._results.get(call_id, lost),
            }
            for call_id in self._open
        ]
        if self._texts:
            self._wire.append({"role": "user", "content": "\n\n".join(self._texts)})
        self._open, self._results, self._texts = [], {}, []


def _call(request: ToolRequest) -> Wire:
    """Return a call as the model wrote it; what was no JSON stays readable.

    Servers read the arguments again and fail the round if they are no JSON.
    """
    arguments: Json = (
        {"INVALID_JSON": request.raw}
        if request.arguments is None
        else dict(request.arguments)
    )
    return {
        "id": wire_id(request.id),
        "type": "function",
        "function": {
            "name": wire_name(request.name),
            "arguments": json_text(arguments),
        },
    }


def wire_id(call_id: str) -> str:
    """Return a call's id as the API allows it; other brains have ids of their own."""
    if _CALL_ID.fullmatch(call_id):
        return call_id
    digest = hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()
    return f"call_{digest[:24]}"


def tool_result(outcome: ToolOutcome) -> str:
    """Return what came of a call: its data, or an error that a model can act on."""
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
