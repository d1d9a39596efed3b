"""Fixtures of the wire's tests."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from custom_components.caesar.legion.client import HttpWorkerClient
from tests.fakes.legion_peer import LegionPeer

from .dialling import HOUSE


@pytest.fixture
async def peer(socket_enabled: None) -> AsyncIterator[LegionPeer]:
    """Return a worker that does as told."""
    async with LegionPeer() as peer:
        yield peer


@pytest.fixture
async def client(socket_enabled: None) -> AsyncIterator[HttpWorkerClient]:
    """Return the house."""
    async with aiohttp.ClientSession() as session:
        yield HttpWorkerClient(session, HOUSE)
