"""The sensors: how many questions wait, and what each agent's models were used for."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, override

from homeassistant.components.sensor import (
    SensorDeviceClass,
    SensorEntity,
    SensorEntityDescription,
    SensorStateClass,
)
from homeassistant.const import PERCENTAGE
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.helpers.event import async_track_time_change

from .adapters.ai_tasks import TaskRunner
from .adapters.assistant import Assistant
from .adapters.spending import HouseSpending, this_month, today
from .brain.spending import Spent
from .entity import CaesarEntity, service_device
from .runtime import CaesarConfigEntry
from .sentinel.approvals import PendingApproval

PARALLEL_UPDATES = 0


@dataclass(frozen=True, kw_only=True)
class UsageDescription(SensorEntityDescription):
    """A number of an agent: since when it counts, and what of it is shown."""

    since: Callable[[], datetime]
    value: Callable[[Spent], float | None]
    priced: bool = False


def _share(spent: Spent) -> float | None:
    share = spent.cached_share
    return None if share is None else share * 100


USAGE: Final = (
    UsageDescription(
        key="tokens_today",
        state_class=SensorStateClass.TOTAL,
        native_unit_of_measurement="tokens",
        since=today,
        value=lambda spent: spent.tokens,
    ),
    UsageDescription(
        key="calls_today",
        state_class=SensorStateClass.TOTAL,
        native_unit_of_measurement="calls",
        since=today,
        value=lambda spent: spent.calls,
    ),
    UsageDescription(
        key="cache_share_today",
        state_class=SensorStateClass.MEASUREMENT,
        native_unit_of_measurement=PERCENTAGE,
        suggested_display_precision=0,
        entity_registry_enabled_default=False,
        since=today,
        value=_share,
    ),
    UsageDescription(
        key="cost_this_month",
        device_class=SensorDeviceClass.MONETARY,
        state_class=SensorStateClass.TOTAL,
        suggested_display_precision=2,
        since=this_month,
        value=lambda spent: round(spent.cost, 6),
        priced=True,
    ),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the sensor of the house, and those of each agent that has a model."""
    house = entry.runtime_data
    async_add_entities([PendingApprovals(entry)])
    users: list[Assistant | TaskRunner] = [
        *house.assistants.values(),
        *house.tasks.runners.values(),
    ]
    for user in users:
        if not user.models:
            continue
        priced = any(model.prices is not None for model in user.models)
        async_add_entities(
            [
                Usage(
                    house.meter.spending,
                    user.settings.agent_id,
                    user.settings.title,
                    description,
                )
                for description in USAGE
                if priced or not description.priced
            ],
            config_subentry_id=user.settings.agent_id,
        )


class PendingApprovals(CaesarEntity, SensorEntity):
    """Counts what waits for an answer."""

    _attr_translation_key = "pending_approvals"
    _attr_state_class = SensorStateClass.MEASUREMENT

    def __init__(self, entry: CaesarConfigEntry) -> None:
        """Count at this entry's desk."""
        super().__init__(entry, "pending_approvals")
        self._approvals = entry.runtime_data.approvals

    @property
    @override
    def native_value(self) -> int:
        """Return the number."""
        return len(self._approvals.desk.pending())

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to what is asked and answered."""
        self.async_on_remove(self._approvals.listen(self._changed))

    @callback
    def _changed(self, pending: PendingApproval) -> None:
        self.async_write_ha_state()


class Usage(SensorEntity):
    """One number of what an agent's models were used for, in the house's own days."""

    _attr_has_entity_name = True
    _attr_should_poll = False
    entity_description: UsageDescription

    def __init__(
        self,
        spending: HouseSpending,
        agent_id: str,
        title: str,
        description: UsageDescription,
    ) -> None:
        """Show this number of this agent, on its device."""
        self.entity_description = description
        self._spending = spending
        self._agent_id = agent_id
        self._attr_translation_key = description.key
        self._attr_unique_id = f"{agent_id}_{description.key}"
        self._attr_device_info = service_device(agent_id, title)

    @property
    @override
    def native_value(self) -> float | None:
        """Return the number."""
        spent = self._spending.since(self._agent_id, self.entity_description.since())
        return self.entity_description.value(spent)

    @property
    @override
    def native_unit_of_measurement(self) -> str | None:
        """Return the unit; costs are in the currency of this Home Assistant."""
        if self.entity_description.priced:
            return self.hass.config.currency
        return self.entity_description.native_unit_of_measurement

    @property
    @override
    def last_reset(self) -> datetime | None:
        """Return when it was zero, for a number that grows."""
        if self.entity_description.state_class is SensorStateClass.TOTAL:
            return self.entity_description.since()
        return None

    @override
    async def async_added_to_hass(self) -> None:
        """Follow what is used, and begin anew with the day."""
        self.async_on_remove(self._spending.async_listen(self.async_write_ha_state))
        self.async_on_remove(
            async_track_time_change(
                self.hass, self._new_day, hour=0, minute=0, second=0
            )
        )

    @callback
    def _new_day(self, _now: datetime) -> None:
        self.async_write_ha_state()
