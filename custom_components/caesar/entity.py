"""What CAESAR's own entities share: the service device of the entry."""

from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import Entity

from .const import DEFAULT_TITLE, DOMAIN
from .runtime import CaesarConfigEntry


class CaesarEntity(Entity):
    """An entity of the house as a whole, not of one agent."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, entry: CaesarConfigEntry, key: str) -> None:
        """Belong to this entry; `key` is unique within it."""
        self._attr_unique_id = f"{entry.entry_id}_{key}"
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, entry.entry_id)},
            name=DEFAULT_TITLE,
            manufacturer=DEFAULT_TITLE,
            entry_type=DeviceEntryType.SERVICE,
        )
