"""The fan."""

from typing import Any, override

from homeassistant.components.fan import FanEntity, FanEntityFeature
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HouseEntity
from .runtime import DemoHouseConfigEntry

USUAL_SPEED = 50


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the fans."""
    house = entry.runtime_data
    async_add_entities(HouseFan(thing, house) for thing in house.things("fan"))


class HouseFan(HouseEntity, FanEntity):
    """A fan with a speed in percent."""

    _attr_percentage = 0
    _attr_supported_features = (
        FanEntityFeature.SET_SPEED
        | FanEntityFeature.TURN_ON
        | FanEntityFeature.TURN_OFF
    )

    @override
    async def async_turn_on(
        self,
        percentage: int | None = None,
        preset_mode: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Turn the fan on, at the given or the usual speed."""
        await self._spin("turn_on", USUAL_SPEED if percentage is None else percentage)

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn the fan off."""
        await self._spin("turn_off", 0)

    @override
    async def async_set_percentage(self, percentage: int) -> None:
        """Set the speed."""
        await self._spin("set_percentage", percentage)

    async def _spin(self, action: str, percentage: int) -> None:
        await self._report(action, percentage=percentage)
        self._attr_percentage = percentage
        self.async_write_ha_state()
