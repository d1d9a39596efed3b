"""The action with which a test or a script speaks to the satellite."""

from dataclasses import asdict
from typing import cast

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
import probatio

from .const import DOMAIN, SERVICE_HEAR
from .runtime import DemoHouseConfigEntry

ATTR_TEXT = "text"
ATTR_LANGUAGE = "language"
ATTR_CONVERSATION_ID = "conversation_id"

HEAR_SCHEMA = probatio.Schema(
    {
        probatio.Required(ATTR_TEXT): cv.string,
        probatio.Optional(ATTR_LANGUAGE): cv.string,
        probatio.Optional(ATTR_CONVERSATION_ID): cv.string,
    }
)


@callback
def async_register_actions(hass: HomeAssistant) -> None:
    """Register `demo_house.hear`."""
    hass.services.async_register(
        DOMAIN,
        SERVICE_HEAR,
        _async_hear,
        schema=HEAR_SCHEMA,
        supports_response=SupportsResponse.ONLY,
    )


async def _async_hear(call: ServiceCall) -> ServiceResponse:
    entries = call.hass.config_entries.async_loaded_entries(DOMAIN)
    entry = cast("DemoHouseConfigEntry | None", next(iter(entries), None))
    if entry is None or entry.runtime_data.satellite is None:
        raise ServiceValidationError("The demo house has no satellite.")
    heard = await entry.runtime_data.satellite.async_hear(
        call.data[ATTR_TEXT],
        call.data.get(ATTR_LANGUAGE),
        call.data.get(ATTR_CONVERSATION_ID),
    )
    return asdict(heard)
