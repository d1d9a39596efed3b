"""The robot vacuum."""

from typing import Any, override

from homeassistant.components.vacuum import (
    StateVacuumEntity,
    VacuumActivity,
    VacuumEntityFeature,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HouseEntity
from .runtime import DemoHouseConfigEntry


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the vacuums."""
    house = entry.runtime_data
    async_add_entities(HouseVacuum(thing, house) for thing in house.things("vacuum"))


class HouseVacuum(HouseEntity, StateVacuumEntity):
    """A vacuum that is back at its dock as soon as it is told to return."""

    _attr_activity = VacuumActivity.DOCKED
    _attr_supported_features = (
        VacuumEntityFeature.STATE
        | VacuumEntityFeature.START
        | VacuumEntityFeature.PAUSE
        | VacuumEntityFeature.STOP
        | VacuumEntityFeature.RETURN_HOME
        | VacuumEntityFeature.LOCATE
    )

    @override
    async def async_start(self) -> None:
        """Start cleaning."""
        await self._do("start", VacuumActivity.CLEANING)

    @override
    async def async_pause(self) -> None:
        """Pause."""
        await self._do("pause", VacuumActivity.PAUSED)

    @override
    async def async_stop(self, **kwargs: Any) -> None:
        """Stop where it is."""
        await self._do("stop", VacuumActivity.IDLE)

    @override
    async def async_return_to_base(self, **kwargs: Any) -> None:
        """Go back to the dock."""
        await self._do("return_to_base", VacuumActivity.DOCKED)

    @override
    async def async_locate(self, **kwargs: Any) -> None:
        """Beep."""
        await self._report("locate")

    async def _do(self, action: str, activity: VacuumActivity) -> None:
        await self._report(action)
        self._attr_activity = activity
        self.async_write_ha_state()
