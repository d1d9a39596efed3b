"""The alarm panel."""

from typing import override

from homeassistant.components.alarm_control_panel import (
    AlarmControlPanelEntity,
    AlarmControlPanelEntityFeature,
    AlarmControlPanelState,
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
    """Set up the alarm panel."""
    house = entry.runtime_data
    async_add_entities(
        HouseAlarm(thing, house) for thing in house.things("alarm_control_panel")
    )


class HouseAlarm(HouseEntity, AlarmControlPanelEntity):
    """An alarm without a code, so that nothing but a policy guards it."""

    _attr_code_arm_required = False
    _attr_supported_features = (
        AlarmControlPanelEntityFeature.ARM_AWAY
        | AlarmControlPanelEntityFeature.ARM_HOME
        | AlarmControlPanelEntityFeature.ARM_NIGHT
    )

    def __init__(self, thing: Thing, house: House) -> None:
        """Start as the plan says."""
        super().__init__(thing, house)
        self._attr_alarm_state = AlarmControlPanelState(str(thing.value))

    @override
    async def async_alarm_disarm(self, code: str | None = None) -> None:
        """Disarm the alarm."""
        await self._set("alarm_disarm", AlarmControlPanelState.DISARMED)

    @override
    async def async_alarm_arm_home(self, code: str | None = None) -> None:
        """Arm the alarm for an evening at home."""
        await self._set("alarm_arm_home", AlarmControlPanelState.ARMED_HOME)

    @override
    async def async_alarm_arm_away(self, code: str | None = None) -> None:
        """Arm the alarm for an empty house."""
        await self._set("alarm_arm_away", AlarmControlPanelState.ARMED_AWAY)

    @override
    async def async_alarm_arm_night(self, code: str | None = None) -> None:
        """Arm the alarm for the night."""
        await self._set("alarm_arm_night", AlarmControlPanelState.ARMED_NIGHT)

    async def _set(self, action: str, state: AlarmControlPanelState) -> None:
        await self._report(action)
        self._attr_alarm_state = state
        self.async_write_ha_state()
