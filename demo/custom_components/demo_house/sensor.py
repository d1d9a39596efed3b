"""Sensors."""

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorStateClass,
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
    """Set up the sensors."""
    house = entry.runtime_data
    async_add_entities(HouseSensor(thing, house) for thing in house.things("sensor"))


class HouseSensor(HouseEntity, SensorEntity):
    """A sensor that always measures the plan's value."""

    _attr_state_class = SensorStateClass.MEASUREMENT

    def __init__(self, thing: Thing, house: House) -> None:
        """Take value, unit and kind from the plan."""
        super().__init__(thing, house)
        self._attr_device_class = SensorDeviceClass(str(thing.device_class))
        self._attr_native_unit_of_measurement = thing.unit
        self._attr_native_value = thing.value
