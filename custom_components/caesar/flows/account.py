"""A key for a model's API, tried before it is kept."""

import logging

from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import probatio

from ..adapters.model_sdk import SdkUnavailable, load_sdk
from ..brain.provider import ErrorKind, ProviderError
from ..const import CONF_API_KEY
from ..providers.anthropic import AnthropicSettings, async_create_provider

_LOGGER = logging.getLogger(__name__)

# Handed to the texts as a placeholder: translations hold no addresses.
API_KEYS_URL = "https://console.anthropic.com/settings/keys"

ACCOUNT_SCHEMA = probatio.Schema(
    {
        probatio.Required(CONF_API_KEY): TextSelector(
            TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="off")
        )
    }
)

ERRORS: dict[ErrorKind, tuple[str, str]] = {
    ErrorKind.AUTH: (CONF_API_KEY, "invalid_auth"),
    ErrorKind.QUOTA: ("base", "quota"),
    ErrorKind.RATE: ("base", "rate_limited"),
    ErrorKind.OVERLOADED: ("base", "overloaded"),
    ErrorKind.TIMEOUT: ("base", "timeout_connect"),
    ErrorKind.REJECTED: ("base", "rejected"),
    ErrorKind.UNAVAILABLE: ("base", "cannot_connect"),
    ErrorKind.CUT: ("base", "cannot_connect"),
}


async def key_error(hass: HomeAssistant, key: str) -> dict[str, str]:
    """Return the form's errors for this key, by a real call; none if it works."""
    try:
        sdk = await load_sdk(hass, "anthropic")
    except SdkUnavailable as err:
        return {"base": err.reason}
    provider = await async_create_provider(hass, sdk, AnthropicSettings(api_key=key))
    try:
        await provider.check()
    except ProviderError as err:
        # Of a refused request only the log can say more than the form.
        refused = err.kind is ErrorKind.REJECTED
        _LOGGER.log(
            logging.WARNING if refused else logging.DEBUG,
            "Trying a key at Anthropic failed: %s",
            err,
        )
        field, error = ERRORS[err.kind]
        return {field: error}
    finally:
        await provider.close()
    return {}
