"""Windows, motion and smoke."""

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
)
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
    """Set up the binary sensors."""
    house = entry.runtime_data
    async_add_entities(
        HouseBinarySensor(thing, house) for thing in house.things("binary_sensor")
    )


class HouseBinarySensor(HouseEntity, BinarySensorEntity):
    """A sensor that stays as the plan says."""

    def __init__(self, thing: Thing, house: House) -> None:
        """Take state and kind from the plan."""
        super().__init__(thing, house)
        self._attr_device_class = BinarySensorDeviceClass(str(thing.device_class))
        self._attr_is_on = thing.value == "on"
