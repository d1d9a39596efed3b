"""The demo house, built inside Home Assistant's own test fixture."""

from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
import pytest

import custom_components.demo_house  # noqa: F401  before phcc's package of that name is found
from house.in_hass import async_build_house


@pytest.fixture
async def house(
    hass: HomeAssistant, enable_custom_integrations: None
) -> ConfigEntry[Any]:
    """Return the entry of a demo house that has just been built."""
    return await async_build_house(hass)
