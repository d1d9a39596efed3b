"""Thermostats."""

from typing import Any, override

from homeassistant.components.climate import (
    ATTR_HVAC_MODE,
    ClimateEntity,
    ClimateEntityFeature,
    HVACAction,
    HVACMode,
)
from homeassistant.const import ATTR_TEMPERATURE, UnitOfTemperature
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
    """Set up the thermostats."""
    house = entry.runtime_data
    async_add_entities(HouseClimate(thing, house) for thing in house.things("climate"))


class HouseClimate(HouseEntity, ClimateEntity):
    """A thermostat of a heating; the room's temperature never moves."""

    _attr_temperature_unit = UnitOfTemperature.CELSIUS
    _attr_hvac_modes = [HVACMode.OFF, HVACMode.HEAT, HVACMode.AUTO]
    _attr_min_temp = 5
    _attr_max_temp = 30
    _attr_target_temperature_step = 0.5
    _attr_supported_features = (
        ClimateEntityFeature.TARGET_TEMPERATURE
        | ClimateEntityFeature.TURN_ON
        | ClimateEntityFeature.TURN_OFF
    )

    def __init__(self, thing: Thing, house: House) -> None:
        """Start heating to 20 °C; the plan's value is the room's temperature."""
        super().__init__(thing, house)
        self._attr_current_temperature = float(thing.value or 0)
        self._attr_target_temperature = 20.0
        self._attr_hvac_mode = HVACMode.HEAT

    @property
    @override
    def hvac_action(self) -> HVACAction:
        """Return whether it heats right now."""
        if self.hvac_mode is HVACMode.OFF:
            return HVACAction.OFF
        is_cold = (self.current_temperature or 0) < (self.target_temperature or 0)
        return HVACAction.HEATING if is_cold else HVACAction.IDLE

    @override
    async def async_set_temperature(self, **kwargs: Any) -> None:
        """Set the wanted temperature in °C, and the mode if one is given."""
        await self._report("set_temperature", **kwargs)
        self._attr_target_temperature = kwargs[ATTR_TEMPERATURE]
        if ATTR_HVAC_MODE in kwargs:
            self._attr_hvac_mode = kwargs[ATTR_HVAC_MODE]
        self.async_write_ha_state()

    @override
    async def async_set_hvac_mode(self, hvac_mode: HVACMode) -> None:
        """Set the mode."""
        await self._report("set_hvac_mode", hvac_mode=hvac_mode)
        self._attr_hvac_mode = hvac_mode
        self.async_write_ha_state()

    @override
    async def async_turn_on(self) -> None:
        """Heat."""
        await self.async_set_hvac_mode(HVACMode.HEAT)

    @override
    async def async_turn_off(self) -> None:
        """Stop heating."""
        await self.async_set_hvac_mode(HVACMode.OFF)
