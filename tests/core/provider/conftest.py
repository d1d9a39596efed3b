"""A fake Messages API and providers that talk to it."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import anthropic
import httpx
import pytest

from custom_components.caesar.providers.anthropic import (
    AnthropicProvider,
    AnthropicSettings,
    build_client,
)
from tests.fakes.messages_api import KEY, FakeMessagesApi

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
