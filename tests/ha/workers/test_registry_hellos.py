"""What hellos do, and that they leave nothing behind."""

import asyncio
from dataclasses import replace

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.legion.messages import WorkerAddress, WorkerHealth
from tests.ha.house import async_move_in

from .hosts import BINS, GATE, Host, events_of, registry_of, settled, status_of


async def test_a_hello_under_way_is_waited_for(
    hass: HomeAssistant,
    hass_admin_user: User,
    host: Host,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who wants to know how a worker is now hears of the answer, not of the question."""
    await host.start(BINS)
    house = await async_move_in(hass, hass_admin_user.id, others=[host.subentry(BINS)])
    await settled(hass, house, host)
    registry, hellos = registry_of(house), 0
    say_hello, go_on = registry._hello, asyncio.Event()

    async def held(address: WorkerAddress) -> WorkerHealth:
        nonlocal hellos
        hellos += 1
        await go_on.wait()
        return await say_hello(address)

    monkeypatch.setattr(registry, "_hello", held)
    await host.start(BINS, version="1.1")
    id_ = status_of(house, host).id
    asked = [asyncio.create_task(registry.async_refresh(id_)) for _ in range(3)]
    done, _ = await asyncio.wait(asked, timeout=0.05)
    assert (done, hellos) == (set(), 1)
    go_on.set()
    await asked[2]
    assert status_of(house, host).version == "1.1"
    await asyncio.gather(*asked)
    assert hellos == 1


async def test_a_thousand_hellos_leave_nothing_behind(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """What is kept depends on what was enrolled, not on what workers do."""
    await host.start(BINS, GATE)
    house = await async_move_in(hass, hass_admin_user.id, others=[host.subentry(BINS)])
    await settled(hass, house, host)
    registry = registry_of(house)
    record = registry._records[status_of(house, host).id]
    health = await registry.async_probe(
        WorkerAddress(url=host.url, public_key=host.key)
    )
    for number in range(1_000):
        tools = (BINS,) if number % 2 else (BINS, GATE)
        registry._heard(record, replace(health, tools=tools))
    await hass.async_block_till_done()
    assert len(registry._records) == 1
    assert len(registry._trail._told) < 10
    assert len(await events_of(house, "worker.rejected")) == 1
    assert len(await events_of(house, "worker.hello")) == 1
