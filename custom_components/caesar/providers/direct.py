"""A brain without thoughts: it makes exactly the one call that was asked for.

So `caesar.call_tool` is a turn like any other: the same loop, the same gate, the same
questions to people, the same way of waiting for their answer.
"""

from collections.abc import AsyncGenerator, Mapping
import json
from typing import Final, override

from ..brain.provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    Provider,
    ProviderEvent,
    ProviderTraits,
    StopReason,
    UserMessage,
)
from ..legion.canonical import Json, canonical_json
from ..turn import ToolRequest

NAME: Final = "direct"


def as_text(tool: str, arguments: Mapping[str, Json]) -> str:
    """Return a call as the text of a turn that this provider understands."""
    return canonical_json({"tool": tool, "arguments": dict(arguments)})


class DirectProvider(Provider):
    """Implements the brain's Provider for one call."""

    @property
    @override
    def name(self) -> str:
        """Return the name that goes into the trail."""
        return NAME

    @property
    @override
    def traits(self) -> ProviderTraits:
        """Return that nothing leaves the house and nothing costs."""
        return ProviderTraits(local=True, literal=True, streaming=False)

    @override
    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Make the call; when it has been made, end without words."""
        messages = list(request.messages)
        asked = next(
            number
            for number in range(len(messages) - 1, -1, -1)
            if isinstance(messages[number], UserMessage)
        )
        if any(isinstance(each, AssistantMessage) for each in messages[asked:]):
            yield Completed(stop=StopReason.END)
            return
        last = messages[asked]
        assert isinstance(last, UserMessage)
        call = json.loads(last.text)
        yield ToolRequest(id="call-1", name=call["tool"], arguments=call["arguments"])
        yield Completed(stop=StopReason.TOOL_USE)

    @override
    async def check(self) -> None:
        """Need nothing that could be missing."""

    @override
    async def close(self) -> None:
        """Hold nothing."""
