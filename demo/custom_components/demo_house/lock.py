"""Locks."""

from typing import Any, override

from homeassistant.components.lock import LockEntity, LockEntityFeature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HouseEntity
from .model import Thing
from .runtime import DemoHouseConfigEntry, House


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the locks."""
    house = entry.runtime_data
    async_add_entities(HouseLock(thing, house) for thing in house.things("lock"))


class HouseLock(HouseEntity, LockEntity):
    """A lock that can also pull the latch (`lock.open`)."""

    _attr_supported_features = LockEntityFeature.OPEN

    def __init__(self, thing: Thing, house: House) -> None:
        """Start locked, unless the plan says otherwise."""
        super().__init__(thing, house)
        self._attr_is_locked = thing.value == "locked"
        self._attr_is_open = False

    @override
    async def async_lock(self, **kwargs: Any) -> None:
        """Lock the door."""
        await self._turn("lock", locked=True)

    @override
    async def async_unlock(self, **kwargs: Any) -> None:
        """Unlock the door."""
        await self._turn("unlock", locked=False)

    @override
    async def async_open(self, **kwargs: Any) -> None:
        """Unlock the door and pull the latch."""
        await self._turn("open", locked=False, latch=True)

    async def _turn(self, action: str, *, locked: bool, latch: bool = False) -> None:
        await self._report(action)
        self._attr_is_locked = locked
        self._attr_is_open = latch
        self.async_write_ha_state()
