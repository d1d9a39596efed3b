"""A round in our words turned into a request of Ollama's chat API. Pure.

Source: "Generate a chat completion" of Ollama's docs/api.md.
"""

from collections.abc import Iterable
import json
from typing import Final

from ..brain.provider import (
    AssistantMessage,
    Message,
    SystemBlock,
    ToolResultMessage,
    UserMessage,
)
from ..turn import ToolOutcome, ToolRequest
from .conversation import outcome_text
from .tool_offer import wire_name
from .wire import Wire, clean, plain

PROVIDER: Final = "ollama"

NO_TOOLS: Final = (
    "You have no tools in this conversation: you can neither read nor change anything "
    "in this home. Never say that you did."
)


def build_messages(
    system: Iterable[SystemBlock], messages: Iterable[Message]
) -> list[Wire]:
    """Return the conversation in the API's shape, the system prompt first.

    An outcome has no id on this wire: it belongs to a call by its place. So each call
    is answered at once, in the order of the calls, and an outcome without its call is
    left out.
    """
    wire: list[Wire] = []
    if prompt := "\n\n".join(clean(b.text) for b in system if b.text.strip()):
        wire.append({"role": "system", "content": prompt})
    kept = list(messages)
    for place, message in enumerate(kept):
        match message:
            case UserMessage():
                if message.text.strip():
                    wire.append({"role": "user", "content": clean(message.text)})
            case AssistantMessage():
                wire += _answer(message, _outcomes(kept[place + 1 :]))
    return wire


def _outcomes(following: Iterable[Message]) -> dict[str, ToolOutcome]:
    """Return the outcomes that stand before the next answer, by their call's id."""
    outcomes: dict[str, ToolOutcome] = {}
    for message in following:
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolResultMessage):
            outcomes.setdefault(message.outcome.request_id, message.outcome)
    return outcomes


def _answer(message: AssistantMessage, outcomes: dict[str, ToolOutcome]) -> list[Wire]:
    """Return a round's answer, and what came of each of its calls."""
    text = clean(message.text) if message.text.strip() else ""
    if not text and not message.requests:
        return []
    wire: Wire = {"role": "assistant", "content": text}
    if message.requests:
        wire["tool_calls"] = [_call(request) for request in message.requests]
    return [
        wire,
        *(_result(each, outcomes.get(each.id)) for each in message.requests),
    ]


def _call(request: ToolRequest) -> Wire:
    """Return a call as the model wrote it; what was no object stays readable."""
    arguments: object = {"INVALID_JSON": clean(request.raw)}
    if request.arguments is not None:
        text = json.dumps(request.arguments, ensure_ascii=False, default=plain)
        arguments = json.loads(clean(text))
    return {"function": {"name": wire_name(request.name), "arguments": arguments}}


def _result(request: ToolRequest, outcome: ToolOutcome | None) -> Wire:
    """Return what came of a call; it is known by its place and its tool's name."""
    return {
        "role": "tool",
        "content": outcome_text(outcome),
        "tool_name": wire_name(request.name),
    }
