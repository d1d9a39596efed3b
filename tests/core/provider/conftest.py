"""Fakes of the models' APIs and providers that talk to them."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from types import ModuleType
from typing import Any

import anthropic
import httpx
import ollama
import pytest

from custom_components.caesar.providers.anthropic import (
    AnthropicProvider,
    AnthropicSettings,
    build_client,
)
from custom_components.caesar.providers.ollama import (
    OllamaProvider,
    OllamaSettings,
    build_client as build_ollama,
)
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.ollama_api import FakeOllama

from .contract import ChatServer
from .rounds import MakeProvider


@pytest.fixture
async def api(socket_enabled: None) -> AsyncIterator[FakeMessagesApi]:
    """Run the fake API."""
    async with FakeMessagesApi() as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    """Return an HTTP client that many providers share, as in Home Assistant."""
    # Loading the system's certificates would cost more than all the rest.
    async with httpx.AsyncClient(verify=False) as client:
        yield client


@pytest.fixture
def make(api: FakeMessagesApi, http: httpx.AsyncClient) -> MakeProvider:
    """Return how to build a provider."""

    def build(**settings: Any) -> AnthropicProvider:
        now = settings.pop("now", None)
        kept = AnthropicSettings(**{"api_key": KEY, "base_url": api.url, **settings})
        provider = partial(
            AnthropicProvider,
            sdk=anthropic,
            client=build_client(anthropic, kept, http),
            settings=kept,
        )
        return provider() if now is None else provider(now=now)

    return build


type MakeOllama = Callable[..., OllamaProvider]


@pytest.fixture
async def server(socket_enabled: None) -> AsyncIterator[FakeOllama]:
    """Run the fake Ollama."""
    async with FakeOllama() as fake:
        yield fake


@pytest.fixture
async def make_ollama(server: FakeOllama) -> AsyncIterator[MakeOllama]:
    """Return how to build a provider at the fake Ollama; all are closed in the end."""
    built: list[OllamaProvider] = []

    async def cannot_act(language: str) -> str:
        return f"I can't act ({language})."

    def build(sdk: ModuleType = ollama, **settings: Any) -> OllamaProvider:
        kept = OllamaSettings(
            **{"url": server.url, "model": server.model.name, **settings}
        )
        provider = OllamaProvider(
            sdk=sdk,
            client=build_ollama(sdk, kept, False),
            settings=kept,
            cannot_act=cannot_act,
        )
        built.append(provider)
        return provider

    yield build
    for provider in built:
        await provider.close()


@pytest.fixture
async def chat(socket_enabled: None) -> AsyncIterator[ChatServer]:
    """Run the fake of the compatible servers."""
    one = ChatServer()
    async with one.api:
        yield one
