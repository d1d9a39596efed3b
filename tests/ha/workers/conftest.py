"""Shared by the tests of workers in the house."""

from collections.abc import AsyncIterator

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.worker_keys import async_load_identity
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house

from .hosts import Host


@pytest.fixture(autouse=True)
def _sockets(socket_enabled: None) -> None:
    """Let workers listen on loopback."""


@pytest.fixture
async def house_key(hass: HomeAssistant) -> str:
    """Build the demo house, and return the key that its workers have to trust."""
    await async_build_house(hass)
    return (await async_load_identity(hass)).public_key


@pytest.fixture
async def host(house_key: str) -> AsyncIterator[Host]:
    """Return a host that trusts the house; the test starts it."""
    one = Host(house_key)
    yield one
    await one.stop()


@pytest.fixture
async def other(house_key: str) -> AsyncIterator[Host]:
    """Return another one."""
    one = Host(house_key, "attic")
    yield one
    await one.stop()
