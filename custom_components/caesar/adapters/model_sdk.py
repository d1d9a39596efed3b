"""The model SDKs: those that Home Assistant core pins, fetched when needed.

CAESAR's manifest names none of them, so CAESAR and core can never ask for two
versions of one package.
"""

import logging
from types import ModuleType
from typing import Literal

from homeassistant.core import HomeAssistant
from homeassistant.helpers.importlib import async_import_module
from homeassistant.loader import IntegrationNotFound, async_get_integration
from homeassistant.requirements import RequirementsNotFound, async_process_requirements

_LOGGER = logging.getLogger(__name__)

type CoreDomain = Literal["anthropic", "caldav", "ollama", "openai_conversation"]
type SdkReason = Literal["sdk_missing", "sdk_failed"]

# The package that a core integration's requirement installs.
_PACKAGES: dict[CoreDomain, str] = {
    "anthropic": "anthropic",
    "caldav": "caldav",
    "ollama": "ollama",
    "openai_conversation": "openai",
}


class SdkUnavailable(Exception):
    """A model's SDK can't be used.

    `reason` is the key of a form error: `sdk_missing` if Home Assistant was told not
    to install packages and it isn't there, `sdk_failed` if installing or loading it
    failed (Home Assistant doesn't try again before its next start).
    """

    def __init__(self, reason: SdkReason, detail: str) -> None:
        """Keep the reason for forms and the detail for the log."""
        super().__init__(detail)
        self.reason = reason


async def load_sdk(hass: HomeAssistant, core_domain: CoreDomain) -> ModuleType:
    """Return the SDK of a core integration, installed at core's version if missing.

    The integration itself isn't set up. Installing and importing happen off the event
    loop. Raises SdkUnavailable.
    """
    await install(hass, core_domain)
    try:
        return await async_import_module(hass, _PACKAGES[core_domain])
    except ModuleNotFoundError as err:
        told_not_to = hass.config.skip_pip or hass.config.skip_pip_packages
        reason: SdkReason = "sdk_missing" if told_not_to else "sdk_failed"
        raise SdkUnavailable(reason, str(err)) from err
    except Exception as err:
        # A package of another version or platform may fail in any way at import.
        _LOGGER.exception("Can't load %s", core_domain)
        raise SdkUnavailable("sdk_failed", str(err)) from err


async def install(hass: HomeAssistant, core_domain: CoreDomain) -> None:
    """Install what a core integration requires, at core's version, if it is missing.

    Nothing is loaded into Home Assistant: a worker's process may be who needs it. Under
    `--skip-pip` nothing is installed and nothing raised. Raises SdkUnavailable.
    """
    try:
        integration = await async_get_integration(hass, core_domain)
    except IntegrationNotFound as err:
        raise SdkUnavailable("sdk_failed", str(err)) from err
    if not integration.is_built_in:
        # A custom integration under core's name could ask for any package.
        raise SdkUnavailable("sdk_failed", f"{core_domain} isn't Home Assistant's own")
    # async_process_requirements installs whatever --skip-pip says: only its caller
    # in HA's loader looks at that option.
    if not hass.config.skip_pip:
        try:
            await async_process_requirements(
                hass, "caesar", integration.requirements, is_built_in=False
            )
        except RequirementsNotFound as err:
            _LOGGER.error("Can't install %s: %s", integration.requirements, err)
            raise SdkUnavailable("sdk_failed", str(err)) from err
