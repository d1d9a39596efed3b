"""Blinds and the garage door."""

from typing import Any, override

from homeassistant.components.cover import (
    ATTR_POSITION,
    CoverDeviceClass,
    CoverEntity,
    CoverEntityFeature,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HouseEntity
from .model import Thing
from .runtime import DemoHouseConfigEntry, House

OPEN = 100
CLOSED = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the covers."""
    house = entry.runtime_data
    async_add_entities(HouseCover(thing, house) for thing in house.things("cover"))


class HouseCover(HouseEntity, CoverEntity):
    """A cover that moves at once."""

    _attr_supported_features = (
        CoverEntityFeature.OPEN
        | CoverEntityFeature.CLOSE
        | CoverEntityFeature.STOP
        | CoverEntityFeature.SET_POSITION
    )

    def __init__(self, thing: Thing, house: House) -> None:
        """Start where the plan says."""
        super().__init__(thing, house)
        if thing.device_class:
            self._attr_device_class = CoverDeviceClass(thing.device_class)
        self._place(OPEN if thing.value == "open" else CLOSED)

    @override
    async def async_open_cover(self, **kwargs: Any) -> None:
        """Open the cover."""
        await self._move("open_cover", OPEN)

    @override
    async def async_close_cover(self, **kwargs: Any) -> None:
        """Close the cover."""
        await self._move("close_cover", CLOSED)

    @override
    async def async_set_cover_position(self, **kwargs: Any) -> None:
        """Move to `position`: 0 is closed, 100 is open."""
        await self._move("set_cover_position", kwargs[ATTR_POSITION])

    @override
    async def async_stop_cover(self, **kwargs: Any) -> None:
        """Stop where it is."""
        await self._report("stop_cover")

    async def _move(self, action: str, position: int) -> None:
        await self._report(action, position=position)
        self._place(position)
        self.async_write_ha_state()

    def _place(self, position: int) -> None:
        self._attr_current_cover_position = position
        self._attr_is_closed = position == CLOSED
