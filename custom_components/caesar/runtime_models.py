"""The models that a house can have, built from what is kept of them."""

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from homeassistant.core import HomeAssistant

from .adapters.model_sdk import load_sdk
from .const import CONF_API_KEY, CONF_URL, ProviderKind
from .providers import anthropic, ollama, openai_compat


class Limits(TypedDict, total=False):
    """How long to wait for a server, in seconds, as in `ModelSettings`."""

    connect_s: float
    silence_s: float


async def async_claude(
    hass: HomeAssistant, key: str, model: str = anthropic.DEFAULT_MODEL
) -> anthropic.AnthropicProvider:
    """Return a model of Anthropic's. Raises SdkUnavailable."""
    sdk = await load_sdk(hass, "anthropic")
    settings = anthropic.AnthropicSettings(api_key=key, model=model)
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
            url=url, api_key=key or "", model=model, **limits
        )
        return await ollama.async_create_provider(hass, sdk, at_ollama)
    sdk = await load_sdk(hass, "openai_conversation")
    settings = openai_compat.OpenAICompatSettings(
        url=url, api_key=key, model=model, **limits
    )
    return await openai_compat.async_create_provider(hass, sdk, settings)
