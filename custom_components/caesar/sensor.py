"""The sensor of open questions: how many wait for a person."""

from typing import override

from homeassistant.components.sensor import SensorEntity, SensorStateClass
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import CaesarEntity
from .runtime import CaesarConfigEntry
from .sentinel.approvals import PendingApproval

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the one sensor."""
    async_add_entities([PendingApprovals(entry)])


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
