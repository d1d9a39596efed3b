"""Shared by the tests of the forms of workers and tools."""

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from tests.fakes.servers import servers
from tests.ha.house import CaesarHouse, async_move_in

from .peers import POLICY

__all__ = ["house", "servers"]


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_admin_user: MockUser, socket_enabled: None
) -> CaesarHouse:
    """A house without workers of others."""
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "repairs", {})
    return await async_move_in(hass, hass_admin_user.id, POLICY)
