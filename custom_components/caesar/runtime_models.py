"""The models that a house can have, built from what is kept of them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypedDict, Unpack

from homeassistant.core import HomeAssistant

from .adapters.model_sdk import load_sdk
from .const import (
    CONF_API_KEY,
    CONF_CACHE_TTL,
    CONF_KEEP_ALIVE,
    CONF_MODEL,
    CONF_NUM_CTX,
    CONF_PROVIDER,
    CONF_THINK,
    CONF_URL,
    ProviderKind,
)
from .providers import anthropic, ollama, ollama_dialect, openai_compat
from .providers.thinking import Think


class Limits(TypedDict, total=False):
    """How long to wait for a server, in seconds, as in `ModelSettings`."""

    connect_s: float
    silence_s: float


async def async_model(
    hass: HomeAssistant,
    data: Mapping[str, Any],
    model: str = "",
    **limits: Unpack[Limits],
) -> (
    anthropic.AnthropicProvider
    | openai_compat.OpenAICompatProvider
    | ollama.OllamaProvider
):
    """Return the model of an entry or of a model's subentry; `model` is another of it.

    Raises SdkUnavailable, and ProviderError for an address that can't be one.
    """
    kind = ProviderKind(data[CONF_PROVIDER])
    named = model or str(data.get(CONF_MODEL, ""))
    if kind is ProviderKind.ANTHROPIC:
        return await async_claude(hass, data[CONF_API_KEY], named, data)
    return await async_server_model(hass, kind, data, named, **limits)


async def async_claude(
    hass: HomeAssistant,
    key: str,
    model: str = anthropic.DEFAULT_MODEL,
    data: Mapping[str, Any] = MappingProxyType({}),
) -> anthropic.AnthropicProvider:
    """Return a model of Anthropic's; `data` may hold options. Raises SdkUnavailable."""
    sdk = await load_sdk(hass, "anthropic")
    settings = anthropic.AnthropicSettings(
        api_key=key,
        model=model,
        think=Think(data.get(CONF_THINK, Think.OFF)),
        cache_ttl="1h" if data.get(CONF_CACHE_TTL) == "1h" else "5m",
    )
    return await anthropic.async_create_provider(hass, sdk, settings)


async def async_server_model(
    hass: HomeAssistant,
    kind: str,
    data: Mapping[str, Any],
    model: str = "",
    **limits: Unpack[Limits],
) -> openai_compat.OpenAICompatProvider | ollama.OllamaProvider:
    """Return a model of somebody's server, whose address and key are in `data`.

    Raises SdkUnavailable, and ProviderError for an address that can't be one.
    """
    url, key = data[CONF_URL], data.get(CONF_API_KEY)
    if kind == ProviderKind.OLLAMA:
        sdk = await load_sdk(hass, "ollama")
        at_ollama = ollama.OllamaSettings(
            url=url,
            api_key=key or "",
            model=model,
            keep_alive=ollama_dialect.KEEP_ALIVE[
                data.get(CONF_KEEP_ALIVE, ollama_dialect.FOREVER)
            ],
            num_ctx=data.get(CONF_NUM_CTX, ollama_dialect.DEFAULT_NUM_CTX),
            think=ollama_dialect.THINK[Think(data.get(CONF_THINK, Think.OFF))],
            **limits,
        )
        return await ollama.async_create_provider(hass, sdk, at_ollama)
    sdk = await load_sdk(hass, "openai_conversation")
    think = data.get(CONF_THINK)
    settings = openai_compat.OpenAICompatSettings(
        url=url,
        api_key=key,
        model=model,
        think=Think(think) if think else None,
        **limits,
    )
    return await openai_compat.async_create_provider(hass, sdk, settings)
