"""The event entity of approvals: what was asked, and what became of it."""

from typing import Final, override

from homeassistant.components.event import EventEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import CaesarEntity
from .policy.call import tool_id
from .runtime import CaesarConfigEntry
from .sentinel.approvals import PendingApproval, Standing

PARALLEL_UPDATES = 0

_TYPES: Final = {
    Standing.WAITING: "requested",
    Standing.APPROVED: "approved",
    Standing.DENIED: "denied",
    Standing.EXPIRED: "expired",
    Standing.DONE: "done",
    Standing.FAILED: "failed",
    Standing.INTERRUPTED: "interrupted",
}


async def async_setup_entry(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the one entity."""
    async_add_entities([ApprovalEvent(entry)])


class ApprovalEvent(CaesarEntity, EventEntity):
    """Fires with every question and every answer; every user can see it.

    So it names what it is about, and neither ids of approvals nor values of calls.
    """

    _attr_translation_key = "approval"
    _attr_event_types = list(_TYPES.values())

    def __init__(self, entry: CaesarConfigEntry) -> None:
        """Watch this entry's desk."""
        super().__init__(entry, "approval")
        self._approvals = entry.runtime_data.approvals

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to what is asked and answered."""
        self.async_on_remove(self._approvals.listen(self._changed))

    @callback
    def _changed(self, pending: PendingApproval) -> None:
        if (event_type := _TYPES.get(pending.standing)) is None:
            return
        self._trigger_event(
            event_type,
            {
                "tool": tool_id(pending.call),
                "names": self._approvals.facts.names(pending),
                "origin": pending.caller.origin.value,
                "via": pending.via.value if pending.via else None,
            },
        )
        self.async_write_ha_state()
