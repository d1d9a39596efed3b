"""The demo house with CAESAR in it, and its options open to an admin."""

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import async_move_in

from .dialog import EVERYDAY, Options


@pytest.fixture
async def options(
    hass: HomeAssistant,
    hass_admin_user: User,
    hass_client: ClientSessionGenerator,
    request: pytest.FixtureRequest,
) -> Options:
    """Return the options of CAESAR in the demo house; the parameter is the policy."""
    await async_build_house(hass)
    assert await async_setup_component(hass, "config", {})
    house = await async_move_in(
        hass, hass_admin_user.id, getattr(request, "param", EVERYDAY)
    )
    return Options(house=house, client=await hass_client(), shown={})
