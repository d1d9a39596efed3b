"""Lights."""

import asyncio
from typing import Any, override

from homeassistant.components.light import (
    ATTR_BRIGHTNESS,
    ATTR_COLOR_TEMP_KELVIN,
    ATTR_HS_COLOR,
    ColorMode,
    LightEntity,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv, entity_platform
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
import probatio

from .const import SERVICE_SLOW_TWO_STEP
from .entity import HouseEntity
from .model import Thing
from .runtime import DemoHouseConfigEntry, House

ATTR_DELAY = "delay"
FULL = 255


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the lights and the two-step action."""
    house = entry.runtime_data
    async_add_entities(HouseLight(thing, house) for thing in house.things("light"))
    entity_platform.async_get_current_platform().async_register_entity_service(
        SERVICE_SLOW_TWO_STEP,
        {probatio.Optional(ATTR_DELAY, default=1.0): cv.positive_float},
        "async_slow_two_step",
    )


class HouseLight(HouseEntity, LightEntity):
    """A light that can be dimmed; some know colours as well."""

    def __init__(self, thing: Thing, house: House) -> None:
        """Start off or on, at full brightness."""
        super().__init__(thing, house)
        self._attr_is_on = thing.value == "on"
        self._attr_brightness = FULL
        if thing.colour:
            self._attr_supported_color_modes = {ColorMode.COLOR_TEMP, ColorMode.HS}
            self._attr_color_mode = ColorMode.COLOR_TEMP
            self._attr_color_temp_kelvin = 2700
        else:
            self._attr_supported_color_modes = {ColorMode.BRIGHTNESS}
            self._attr_color_mode = ColorMode.BRIGHTNESS

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        """Turn the light on, with the brightness and colour asked for."""
        await self._report("turn_on", **kwargs)
        self._attr_is_on = True
        if ATTR_BRIGHTNESS in kwargs:
            self._attr_brightness = kwargs[ATTR_BRIGHTNESS]
        if ATTR_HS_COLOR in kwargs:
            self._attr_hs_color = kwargs[ATTR_HS_COLOR]
            self._attr_color_mode = ColorMode.HS
        if ATTR_COLOR_TEMP_KELVIN in kwargs:
            self._attr_color_temp_kelvin = kwargs[ATTR_COLOR_TEMP_KELVIN]
            self._attr_color_mode = ColorMode.COLOR_TEMP
        self.async_write_ha_state()

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        """Turn the light off."""
        await self._report("turn_off")
        self._attr_is_on = False
        self.async_write_ha_state()

    async def async_slow_two_step(self, delay: float) -> None:
        """Turn the light on, wait `delay` seconds, then dim it to a third.

        Whoever is stopped in between leaves a bright light behind.
        """
        await self.async_turn_on(brightness=FULL)
        await asyncio.sleep(delay)
        await self.async_turn_on(brightness=FULL // 3)
