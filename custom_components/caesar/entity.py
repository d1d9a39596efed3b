"""What CAESAR's own entities share: their service devices."""

from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import Entity

from .const import DEFAULT_TITLE, DOMAIN, TRAIL_URL
from .runtime import CaesarConfigEntry


def service_device(identifier: str, name: str) -> DeviceInfo:
    """Return the device of the house, or of one of its agents."""
    return DeviceInfo(
        identifiers={(DOMAIN, identifier)},
        name=name,
        manufacturer=DEFAULT_TITLE,
        entry_type=DeviceEntryType.SERVICE,
        configuration_url=TRAIL_URL,
    )


class CaesarEntity(Entity):
    """An entity of the house as a whole, not of one agent."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, entry: CaesarConfigEntry, key: str) -> None:
        """Belong to this entry; `key` is unique within it."""
        self._attr_unique_id = f"{entry.entry_id}_{key}"
        self._attr_device_info = service_device(entry.entry_id, DEFAULT_TITLE)
