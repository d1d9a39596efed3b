"""Switches."""

from typing import Any, override

from homeassistant.components.switch import SwitchDeviceClass, SwitchEntity
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
    """Set up the switches."""
    house = entry.runtime_data
    async_add_entities(HouseSwitch(thing, house) for thing in house.things("switch"))


class HouseSwitch(HouseEntity, SwitchEntity):
    """A switch or an outlet."""

    def __init__(self, thing: Thing, house: House) -> None:
        """Start off, unless the plan says on."""
        super().__init__(thing, house)
        self._attr_is_on = thing.value == "on"
        if thing.device_class:
            self._attr_device_class = SwitchDeviceClass(thing.device_class)

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn the switch on."""
        await self._report("turn_on")
        self._attr_is_on = True
        self.async_write_ha_state()

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn the switch off."""
        await self._report("turn_off")
        self._attr_is_on = False
        self.async_write_ha_state()
