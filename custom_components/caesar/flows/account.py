"""Where a model is and the key to it, tried before they are kept."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
import ipaddress
import logging
import re
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import probatio
from yarl import URL

from ..adapters.model_sdk import SdkUnavailable
from ..brain.provider import ErrorKind, ProviderError
from ..const import (
    CONF_API_KEY,
    CONF_MODEL,
    CONF_PROVIDER,
    CONF_URL,
    DEFAULT_MODEL,
    MODELS,
    ProviderKind,
)
from ..providers.ollama import DEFAULT_URL
from ..providers.openai_compat_dialect import OPENAI, api_address
from ..runtime_models import async_claude, async_server_model
from ..wording import one_line
from .subentry import SECRET_FIELD, URL_FIELD, needs_https, web_url

_LOGGER = logging.getLogger(__name__)

# Handed to the texts as a placeholder: translations hold no addresses.
API_KEYS_URL: Final = "https://console.anthropic.com/settings/keys"
# The kinds of model that are somebody's server, with the address that is proposed.
SERVERS: Final[Mapping[str, str]] = {
    ProviderKind.OPENAI_COMPATIBLE: OPENAI,
    ProviderKind.OLLAMA: DEFAULT_URL,
}
# Models that don't talk; whoever wants one all the same can type it.
_NO_CHAT: Final = re.compile(
    r"embed|whisper|\btts\b|dall-e|moderation|rerank|transcribe|realtime", re.IGNORECASE
)
# Nobody looks at a form for longer; in seconds.
_CONNECT_S: Final = 5.0
_SILENCE_S: Final = 15.0

ACCOUNT_SCHEMA: Final = probatio.Schema({probatio.Required(CONF_API_KEY): SECRET_FIELD})

ERRORS: Final[Mapping[ErrorKind, tuple[str, str]]] = {
    ErrorKind.AUTH: (CONF_API_KEY, "invalid_auth"),
    ErrorKind.QUOTA: ("base", "quota"),
    ErrorKind.RATE: ("base", "rate_limited"),
    ErrorKind.OVERLOADED: ("base", "overloaded"),
    ErrorKind.TIMEOUT: ("base", "timeout_connect"),
    ErrorKind.REJECTED: ("base", "rejected"),
    ErrorKind.UNAVAILABLE: ("base", "cannot_connect"),
    ErrorKind.CUT: ("base", "cannot_connect"),
}
# The same of a server that has an address.
SERVER_ERRORS: Final[Mapping[ErrorKind, tuple[str, str]]] = {
    ErrorKind.AUTH: (CONF_API_KEY, "server_auth"),
    ErrorKind.QUOTA: ("base", "server_quota"),
    ErrorKind.RATE: ("base", "server_rate"),
    ErrorKind.OVERLOADED: ("base", "server_overloaded"),
    ErrorKind.TIMEOUT: ("base", "server_timeout"),
    ErrorKind.REJECTED: (CONF_URL, "server_rejected"),
    ErrorKind.UNAVAILABLE: ("base", "server_unreachable"),
    ErrorKind.CUT: (CONF_URL, "server_no_model_api"),
}
BAD_ADDRESS: Final = "bad_address"
NEEDS_HTTPS: Final = "key_needs_https"
NO_MODELS: Final = "server_no_models"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of a try: the form's errors, or what is kept and can be chosen."""

    errors: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()


def server_schema(kind: str) -> probatio.Schema:
    """Return the form that asks for a server's address and, if it wants one, a key."""
    return probatio.Schema(
        {
            probatio.Required(CONF_URL, default=SERVERS[kind]): URL_FIELD,
            probatio.Optional(CONF_API_KEY): SECRET_FIELD,
        }
    )


def model_field(models: tuple[str, ...]) -> SelectSelector:
    """Return a list of models; any other can be typed."""
    return SelectSelector(
        SelectSelectorConfig(
            options=list(models), mode=SelectSelectorMode.DROPDOWN, custom_value=True
        )
    )


def model_schema(models: tuple[str, ...]) -> probatio.Schema:
    """Return the form that asks which of a server's models thinks."""
    only = {"default": models[0]} if len(models) == 1 else {}
    return probatio.Schema({probatio.Required(CONF_MODEL, **only): model_field(models)})


async def key_error(hass: HomeAssistant, key: str) -> dict[str, str]:
    """Return the form's errors for a key of Anthropic's, by a real call."""
    try:
        provider = await async_claude(hass, key)
    except SdkUnavailable as err:
        return {"base": err.reason}
    try:
        await provider.check()
    except ProviderError as err:
        return _errors(err, ERRORS)
    finally:
        await provider.close()
    return {}


async def async_try_server(
    hass: HomeAssistant, kind: str, typed: Mapping[str, Any]
) -> Tried:
    """Ask a server for its models, with what was typed into its form.

    No key is kept where none was typed.
    """
    url = web_url(typed.get(CONF_URL, ""))
    if url is None or url.query_string:
        return Tried(errors={CONF_URL: BAD_ADDRESS})
    if kind == ProviderKind.OPENAI_COMPATIBLE:
        address = api_address(url)
    else:
        address = str(url).rstrip("/")
    key = typed.get(CONF_API_KEY, "").strip()
    if key and await _is_read_on_the_way(hass, address):
        return Tried(errors={CONF_URL: NEEDS_HTTPS})
    data = {CONF_URL: address, **({CONF_API_KEY: key} if key else {})}
    try:
        models = await _models(hass, kind, data)
    except SdkUnavailable as err:
        return Tried(errors={"base": err.reason})
    except ProviderError as err:
        return Tried(errors=_errors(err, SERVER_ERRORS))
    if not models and kind == ProviderKind.OLLAMA:
        return Tried(errors={"base": NO_MODELS})
    usable = tuple(name for name in models if not _NO_CHAT.search(name))
    return Tried(data=data, models=usable)


async def async_models(hass: HomeAssistant, data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what models an agent of this house can choose from.

    A server that doesn't answer offers only the one that was chosen for the house.
    """
    if data.get(CONF_PROVIDER) not in SERVERS:
        return MODELS
    own = data.get(CONF_MODEL, "")
    try:
        models = await _models(hass, data[CONF_PROVIDER], data)
    except (SdkUnavailable, ProviderError) as err:
        said = one_line(str(err))
        _LOGGER.debug("The list of models can't be had: %s", said)
        models = ()
    models = tuple(name for name in models if not _NO_CHAT.search(name))
    return models if own in models else tuple(filter(None, (own, *models)))


def house_model(data: Mapping[str, Any]) -> str:
    """Return the model that an agent of this house starts with."""
    return str(data.get(CONF_MODEL, DEFAULT_MODEL))


async def _is_read_on_the_way(hass: HomeAssistant, address: str) -> bool:
    """Return whether an address leads into the internet without encryption.

    A name is looked up; one that isn't found leads nowhere.
    """
    url = URL(address)
    if url.scheme == "https":
        return False
    try:
        async with asyncio.timeout(_CONNECT_S):
            found = await hass.loop.getaddrinfo(url.host, url.port)
    except OSError, TimeoutError:
        return needs_https(address)
    return any(ipaddress.ip_address(each[4][0]).is_global for each in found)


async def _models(
    hass: HomeAssistant, kind: str, data: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return a server's models. Raises SdkUnavailable and ProviderError."""
    provider = await async_server_model(
        hass, kind, data, connect_s=_CONNECT_S, silence_s=_SILENCE_S
    )
    try:
        return await provider.models()
    finally:
        await provider.close()


def _errors(
    err: ProviderError, words: Mapping[ErrorKind, tuple[str, str]]
) -> dict[str, str]:
    """Return a form's error for what went wrong."""
    # Of a refused request only the log can say more than the form.
    level = logging.WARNING if err.kind is ErrorKind.REJECTED else logging.DEBUG
    _LOGGER.log(level, "Trying a model failed: %s", one_line(str(err)))
    place, error = words[err.kind]
    return {place: error}
