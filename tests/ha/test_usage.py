"""The meter of the house: what happens to its numbers when the file is in trouble."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.adapters.usage import HouseMeter
from custom_components.caesar.audit.event import AuditUnavailable
from custom_components.caesar.brain.meter import Room
from custom_components.caesar.brain.provider import Usage
from custom_components.caesar.sentinel.budget import Quota
from tests.fakes.clock import FakeClock

NOON = 1_796_040_000.0  # 2026-11-30 12:00 UTC
DAY = "2026-11-30"


class Trail(HouseAuditLog):
    """A trail whose file can be in trouble."""

    down = False

    async def async_work[T](
        self, work: Callable[[Any], T], *, durable: bool = False
    ) -> T:
        """Do it, unless it is down."""
        if self.down:
            raise AuditUnavailable("no disk")
        return await super().async_work(work, durable=durable)


@pytest.fixture
async def trail(hass: HomeAssistant) -> AsyncIterator[Trail]:
    """Return a trail that is open."""
    trail = Trail(hass)
    await trail.async_start()
    yield trail
    await trail.async_stop()


class House:
    """A meter and what it said."""

    def __init__(self, hass: HomeAssistant, trail: Trail) -> None:
        """Limit every agent to 100 tokens a day."""
        self.told: list[Quota] = []
        self.clock = FakeClock(NOON)
        self.meter = HouseMeter(
            hass, trail, lambda _: 100, self.told.append, self.clock
        )


def used(tokens: int) -> Usage:
    """Return so many tokens, of all four kinds."""
    return Usage(
        input_tokens=tokens - 3,
        output_tokens=1,
        cache_read_tokens=1,
        cache_write_tokens=1,
    )


async def spend(house: House, tokens: int) -> None:
    """Ask for room and spend so much."""
    room = await house.meter.room("a")
    assert room == Room(day=DAY)
    house.meter.spend("a", used(tokens), room)


async def test_numbers_survive(hass: HomeAssistant, trail: Trail) -> None:
    """What one run used counts in the next; stopping writes what waits."""
    first = House(hass, trail)
    await first.meter.async_start()
    await spend(first, 60)
    await first.meter.async_stop()
    second = House(hass, trail)
    await second.meter.async_start()
    await spend(second, 40)
    assert await second.meter.room("a") is None
    assert [(quota.used, quota.limit) for quota in second.told] == [(100, 100)]
    assert await second.meter.room("b") == Room(day=DAY)
    await second.meter.async_stop()


async def test_a_day_later_there_is_room(hass: HomeAssistant, trail: Trail) -> None:
    """Also if the file was read on the day before."""
    house = House(hass, trail)
    await house.meter.async_start()
    await spend(house, 100)
    house.clock.advance(12 * 3600)
    assert await house.meter.room("a") == Room(day="2026-12-01")
    await house.meter.async_stop()


async def test_a_file_that_can_not_be_read_yet(
    hass: HomeAssistant, trail: Trail
) -> None:
    """Meanwhile this run's own numbers count; later both do, and none is lost."""
    first = House(hass, trail)
    await first.meter.async_start()
    await spend(first, 30)
    await first.meter.async_stop()
    trail.down = True
    second = House(hass, trail)
    await second.meter.async_start()
    await spend(second, 60)
    await hass.async_block_till_done()
    assert await second.meter.room("a") == Room(day=DAY)
    trail.down = False
    assert await second.meter.room("a") == Room(day=DAY)
    await spend(second, 10)
    assert await second.meter.room("a") is None
    await second.meter.async_stop()
    third = House(hass, trail)
    await third.meter.async_start()
    assert await third.meter.room("a") is None


async def test_what_can_not_be_written_waits(hass: HomeAssistant, trail: Trail) -> None:
    """Until the next round or the end."""
    house = House(hass, trail)
    await house.meter.async_start()
    trail.down = True
    await spend(house, 90)
    await hass.async_block_till_done()
    trail.down = False
    await spend(house, 10)
    await hass.async_block_till_done()
    other = House(hass, trail)
    await other.meter.async_start()
    assert await other.meter.room("a") is None
    trail.down = True
    house.meter.spend("b", used(100), Room(day=DAY))
    await hass.async_block_till_done()
    trail.down = False
    await house.meter.async_stop()
    third = House(hass, trail)
    await third.meter.async_start()
    assert await third.meter.room("b") is None


async def test_a_write_that_is_cancelled(hass: HomeAssistant, trail: Trail) -> None:
    """What it had taken is written at the stop, which goes on."""
    first = House(hass, trail)
    await first.meter.async_start()
    await spend(first, 60)
    saving = first.meter._saving
    assert saving is not None
    await asyncio.sleep(0)
    saving.cancel()
    await first.meter.async_stop()
    assert saving.cancelled()
    second = House(hass, trail)
    await second.meter.async_start()
    assert second.meter._budget.used("a", DAY) == 60
