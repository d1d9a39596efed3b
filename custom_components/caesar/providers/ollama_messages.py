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
from .conversation import outcome_text, thought_before
from .tool_offer import wire_name
from .wire import Wire, clean, plain

PROVIDER: Final = "ollama"

NO_TOOLS: Final = (
    "You have no tools in this conversation: you can neither read nor change anything "
    "in this home. Never say that you did."
)


def build_messages(
    system: Iterable[SystemBlock],
    messages: Iterable[Message],
    thought_by: str | None = None,
) -> list[Wire]:
    """Return the conversation in the API's shape, the system prompt first.

    An outcome has no id on this wire: it belongs to a call by its place. So each call
    is answered at once, in the order of the calls, and an outcome without its call is
    left out. What the model `thought_by` thought before a call goes back to it ("Tool
    calling" of Ollama's documentation).
    """
    wire: list[Wire] = []
    if prompt := "\n\n".join(clean(b.text) for b in system if b.text.strip()):
        wire.append({"role": "system", "content": prompt})
    kept = list(messages)
    for place, message in enumerate(kept):
        match message:
            case UserMessage():
                said = clean(message.text) if message.text.strip() else ""
                # As bytes: the SDK takes a text for the path of a file.
                images = [file.data for file in message.attachments]
                if said or images:
                    files = {"images": images} if images else {}
                    wire.append({"role": "user", "content": said, **files})
            case AssistantMessage():
                wire += _answer(message, _outcomes(kept[place + 1 :]), thought_by)
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


def _answer(
    message: AssistantMessage,
    outcomes: dict[str, ToolOutcome],
    thought_by: str | None,
) -> list[Wire]:
    """Return a round's answer, and what came of each of its calls."""
    text = clean(message.text) if message.text.strip() else ""
    if not text and not message.requests:
        return []
    wire: Wire = {"role": "assistant", "content": text}
    if message.requests:
        wire["tool_calls"] = [_call(request) for request in message.requests]
        wire |= thought_before(message, PROVIDER, thought_by)
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
