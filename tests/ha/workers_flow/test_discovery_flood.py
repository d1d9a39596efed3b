"""A worker of the house is heard through a flood of announcements, under its own name."""

import asyncio

from homeassistant.core import HomeAssistant
import pytest
from zeroconf import ServiceStateChange, Zeroconf

from custom_components.caesar.adapters.worker_discovery import (
    MAX_PENDING,
    SERVICE_TYPE,
    WorkerDiscovery,
)
from custom_components.caesar.legion.announce import label_of
from tests.ha.house import CaesarHouse

from .peers import DICE, Peers, enrol, peers

EVIL = [f"evil-{number}.{SERVICE_TYPE}" for number in range(200)]


async def flooded(
    hass: HomeAssistant, house: CaesarHouse, *names: str
) -> WorkerDiscovery:
    """Return a discovery that has heard a flood, and then these."""
    discovery = WorkerDiscovery(
        hass, house.entry, house.entry.runtime_data.workers, pause_s=0
    )
    air = Zeroconf(interfaces=["127.0.0.1"])
    try:
        for name in (*EVIL, *names):
            discovery.async_heard(air, SERVICE_TYPE, name, ServiceStateChange.Added)
    finally:
        await hass.async_add_executor_job(air.close)
    return discovery


async def until_heard(house: CaesarHouse, peer: Peers) -> None:
    """Wait for the answer to a hello."""
    async with asyncio.timeout(20):
        while not any(
            status.public_key == peer.key and status.online
            for status in house.entry.runtime_data.workers.statuses()
        ):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("title", ["shed", "The hut behind the house"])
async def test_it_is_looked_at_first(
    hass: HomeAssistant, house: CaesarHouse, title: str
) -> None:
    """It is announced with a part of its key, and not by the title it has here."""
    async with peers(house, DICE) as peer:
        worker = await enrol(hass, house, peer)
        hass.config_entries.async_update_subentry(house.entry, worker, title=title)
        await hass.async_block_till_done()
        await until_heard(house, peer)
        own = f"{label_of('shed', peer.key)}.{SERVICE_TYPE}"
        discovery = await flooded(hass, house, own)
        assert discovery.waiting == MAX_PENDING + 1
        assert discovery._next() == own
        assert discovery._next() == EVIL[0]


async def test_names_like_its_own_are_part_of_the_flood(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Its key is no secret: whoever adds a part of it to a name gains nothing."""
    async with peers(house, DICE) as peer:
        await enrol(hass, house, peer)
        await until_heard(house, peer)
        alike = [f"{label_of(f'shed-{n}', peer.key)}.{SERVICE_TYPE}" for n in range(99)]
        discovery = await flooded(hass, house, *alike)
        assert discovery.waiting == MAX_PENDING
