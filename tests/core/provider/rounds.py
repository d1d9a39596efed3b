"""Rounds for a provider, and what comes of them."""

from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from custom_components.caesar.brain.provider import (
    CompletionRequest,
    Message,
    Provider,
    ProviderError,
    ProviderEvent,
    SystemBlock,
    TextDelta,
    UserMessage,
)
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.providers.anthropic import AnthropicProvider
from custom_components.caesar.turn import ToolRequest, Turn
from tests.fakes.messages_api import FakeMessagesApi
from tests.fakes.messages_script import Step, Steps

type MakeProvider = Callable[..., AnthropicProvider]


def spec(name: str, **changes: Any) -> ToolSpec:
    """Return a tool with one field."""
    return ToolSpec(
        name=name,
        title=name,
        description=f"Does {name}.",
        input_schema=changes
        or {"type": "object", "properties": {"entity_id": {"type": "string"}}},
    )


def request(*messages: Message, **changes: Any) -> CompletionRequest:
    """Return a round."""
    caller = Caller(origin=Origin.CHAT, agent_id="conversation.caesar", context_id="c")
    turn = Turn(decision_id="d", caller=caller, language="en", deadline=1e9)
    return CompletionRequest(
        **{
            "system": (SystemBlock(text="You are CAESAR."),),
            "messages": messages or (UserMessage(text="Hello"),),
            "turn": turn,
            **changes,
        }
    )


async def run(
    provider: Provider,
    round_: CompletionRequest | None = None,
    seen: list[ProviderEvent] | None = None,
) -> list[ProviderEvent]:
    """Run a round and return all that came, also in `seen` if it ends badly."""
    seen = [] if seen is None else seen
    async with aclosing(provider.stream(round_ or request())) as events:
        async for event in events:
            seen.append(event)  # what came before a failure counts
    return seen


async def fail(
    provider: Provider,
    seen: list[ProviderEvent] | None = None,
    round_: CompletionRequest | None = None,
) -> ProviderError:
    """Run a round that must fail and return why."""
    with pytest.raises(ProviderError) as raised:
        await run(provider, round_, seen)
    return raised.value


def text_of(events: list[ProviderEvent]) -> str:
    """Return what a person is told."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events: list[ProviderEvent]) -> list[ToolRequest]:
    """Return the calls of a round."""
    return [event for event in events if isinstance(event, ToolRequest)]


def answers(api: FakeMessagesApi, *steps: Step) -> None:
    """Let the API answer with these."""
    api.script = Steps(*steps)
