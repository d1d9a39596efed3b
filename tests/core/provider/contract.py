"""What every provider must pass, whoever its vendor: servers, odd tools, odd talks.

Each vendor is a fake server that speaks its wire format and is as strict as the real
one, and the provider that talks to it. Steps are those of `messages_script`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
import random
from typing import Any, ClassVar

import anthropic
import httpx
import ollama
import openai

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Message,
    Provider,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.providers import (
    anthropic as claude,
    ollama as ollama_api,
    openai_compat,
)
from custom_components.caesar.turn import ToolOutcome, ToolRequest
from tests.fakes.chat_completions_api import (
    KEY as CHAT_KEY,
    MODEL as CHAT_MODEL,
    FakeChatApi,
)
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Block, Body, Other, Step, Steps
from tests.fakes.model_api import FakeModelApi
from tests.fakes.ollama_api import FakeOllama


class Vendor[A: FakeModelApi](ABC):
    """A vendor's fake server and how to build a provider for it.

    `refused` is the reason to stop of an answer that was refused; `foreign` is a piece
    that only a tool at the vendor leaves behind. None where the API knows no such thing.
    """

    name: ClassVar[str]
    refused: ClassVar[str | None] = None
    foreign: ClassVar[Block | None] = None
    api: A

    def __init__(self, api: A) -> None:
        """Take this server."""
        self.api = api
        self.built: list[Provider] = []

    @abstractmethod
    def provider(self, http: httpx.AsyncClient, **settings: Any) -> Provider:
        """Return a provider."""

    async def close(self) -> None:
        """Let go of the connections that its providers hold themselves."""
        for provider in self.built:
            await provider.close()

    def answers(self, *steps: Step) -> None:
        """Let the server answer with these."""
        self.api.script = Steps(*steps)

    @abstractmethod
    def tools(self, body: Body) -> list[str]:
        """Return the names of the tools that a request offers."""


class Claude(Vendor[FakeMessagesApi]):
    """Anthropic's Messages API."""

    name = "anthropic"
    refused = "refusal"
    foreign = Other(
        block={"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    )

    def __init__(self) -> None:
        """Build the server."""
        super().__init__(FakeMessagesApi())

    def provider(self, http: httpx.AsyncClient, **settings: Any) -> Provider:
        """Return a provider."""
        kept = claude.AnthropicSettings(
            **{"api_key": KEY, "base_url": self.api.url, **settings}
        )
        client = claude.build_client(anthropic, kept, http)
        return claude.AnthropicProvider(sdk=anthropic, client=client, settings=kept)

    def tools(self, body: Body) -> list[str]:
        """Return the names of the tools that a request offers."""
        return [tool["name"] for tool in body.get("tools", [])]


class ChatServer(Vendor[FakeChatApi]):
    """A server of OpenAI's Chat Completions API."""

    name = "openai_compatible"
    refused = "content_filter"
    foreign = Other(
        block={},
        deltas=[{"annotations": [{"type": "url_citation", "url": "https://a.test"}]}],
    )

    def __init__(self) -> None:
        """Build the server."""
        super().__init__(FakeChatApi())

    def provider(
        self, http: httpx.AsyncClient, **settings: Any
    ) -> openai_compat.OpenAICompatProvider:
        """Return a provider."""
        now = settings.pop("now", None)
        kept = openai_compat.OpenAICompatSettings(
            **{
                "api_key": CHAT_KEY,
                "model": CHAT_MODEL,
                "url": self.api.url,
                **settings,
            }
        )
        client = openai_compat.build_client(openai, kept, http)
        more = {} if now is None else {"now": now}
        return openai_compat.OpenAICompatProvider(
            sdk=openai, client=client, settings=kept, **more
        )

    def tools(self, body: Body) -> list[str]:
        """Return the names of the tools that a request offers."""
        return [tool["function"]["name"] for tool in body.get("tools", [])]


class Ollama(Vendor[FakeOllama]):
    """An Ollama server. It knows neither refusals nor tools of its own."""

    name = "ollama"

    def __init__(self) -> None:
        """Build the server."""
        super().__init__(FakeOllama())

    def provider(self, http: httpx.AsyncClient, **settings: Any) -> Provider:
        """Return a provider; it has an HTTP client of its own."""
        kept = ollama_api.OllamaSettings(
            **{"url": self.api.url, "model": self.api.model.name, **settings}
        )
        client = ollama_api.build_client(ollama, kept, verify=False)
        provider = ollama_api.OllamaProvider(
            sdk=ollama, client=client, settings=kept, cannot_act=_cannot_act
        )
        self.built.append(provider)
        return provider

    def tools(self, body: Body) -> list[str]:
        """Return the names of the tools that a request offers."""
        return [tool["function"]["name"] for tool in body.get("tools") or []]


async def _cannot_act(language: str) -> str:
    return "This model can use no tools."


VENDORS: dict[str, type[Claude | ChatServer | Ollama]] = {
    one.name: one for one in (Claude, ChatServer, Ollama)
}

_ARGUMENTS: tuple[dict[str, Json] | None, ...] = (None, {}, {"a": [1, {"b": None}]})
_NAMES = ("plain", "light.turn_on", "ÄÖÜ", "a b c", "x" * 90, "dash-ed", "9", "🔒")
_KEYS = ("entity_id", "a.b", "brightness pct", "", "ключ", "k" * 70, "$ref", "type")
_LEAVES: tuple[Any, ...] = (
    {"type": "string", "pattern": "[a-z]+", "maxLength": 100_000},
    {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
    {"type": ["string", "null"], "format": "date-time"},
    {"type": "array"},
    {"type": "array", "items": {"type": "array"}, "maxItems": 99_999},
    {"enum": ["on", "off", 3, None]},
    {"enum": []},
    {"const": "x"},
    {"anyOf": [{"type": "string"}, {"type": "number"}]},
    {"not": {"type": "string"}},
    {"$ref": "#/$defs/thing"},
    {"$ref": "#/$defs/nowhere"},
    {"$ref": "https://schemas.test/a.json"},
    {"type": "whatever"},
    {"description": "lone \udc80 surrogate", "default": "\udc80"},
    {"type": "number", "default": float("nan")},
    {},
    True,
    False,
    None,
    [],
    "string",
    {1: 2},
    {"default": object()},
)


def odd_tools(count: int, seed: int = 5) -> tuple[ToolSpec, ...]:
    """Return tools as the oddest worker or integration could bring them."""
    dice = random.Random(seed)
    return tuple(_odd_tool(dice, number) for number in range(count))


def _odd_tool(dice: random.Random, number: int) -> ToolSpec:
    properties = {
        dice.choice(_KEYS): _odd_schema(dice, 0) for _ in range(dice.randrange(4))
    }
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [*list(properties)[:1], *dice.choices(["gone"], k=1)],
        "$defs": {"thing": {"type": "string"}},
    }
    dice.choice(
        (
            lambda: None,
            lambda: None,
            lambda: schema.pop("type"),
            lambda: schema.pop("properties"),
            lambda: schema.update(type="array"),
            lambda: schema.update(anyOf=[{"required": ["entity_id"]}]),
            lambda: schema.update(properties=[]),
            lambda: schema.update(additionalProperties={"type": "integer"}),
        )
    )()
    return ToolSpec(
        name=f"{dice.choice(_NAMES)}_{number // 2}",
        title="Odd",
        description=dice.choice(("", "Does it.", "\udc80", "x" * 3000)),
        input_schema=schema,
    )


def _odd_schema(dice: random.Random, depth: int) -> Any:
    if depth > 3 or dice.random() < 0.7:
        return dice.choice(_LEAVES)
    inner = _odd_schema(dice, depth + 1)
    return dice.choice(
        (
            {"type": "array", "items": inner},
            {"type": "object", "properties": {"inner": inner}},
            {"anyOf": [inner, {"type": "null"}]},
            {"type": "object", "additionalProperties": inner},
        )
    )


def odd_talks(count: int, seed: int = 5) -> Iterator[tuple[Message, ...]]:
    """Yield histories that were cut, interrupted, or come from another brain."""
    dice = random.Random(seed)
    ids = ("call_1", "toolu_2", "x" * 60, "spaced id", "ü", "call_1")
    for _ in range(count):
        yield (
            *(_odd_message(dice, ids) for _ in range(dice.randrange(8))),
            UserMessage(text="And now?"),
        )


def _odd_message(dice: random.Random, ids: Sequence[str]) -> Message:
    said = dice.choice(("", " ", "Well.", "\udc80"))
    calls = tuple(
        ToolRequest(
            id=call_id,
            name=dice.choice(("get_state", "light.turn_on", "made up!")),
            arguments=dice.choice(_ARGUMENTS),
            raw=dice.choice(("", "{", "\udc80")),
        )
        for call_id in sorted(set(dice.sample(ids, dice.randrange(3))))
    )
    return dice.choice(
        (
            UserMessage(text=said),
            AssistantMessage(text=said, requests=calls),
            ToolResultMessage(
                outcome=ToolOutcome(
                    request_id=dice.choice(ids), tool="get_state", data={"n": 1}
                )
            ),
        )
    )
