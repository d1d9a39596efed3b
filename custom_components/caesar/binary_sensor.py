"""A connectivity sensor and a device for each worker."""

from collections.abc import Mapping
from typing import Any, override

from homeassistant.components.binary_sensor import (
    BinarySensorDeviceClass,
    BinarySensorEntity,
)
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .adapters.worker_status import LOCAL, WorkerStatus
from .const import DEFAULT_TITLE, DOMAIN, SUBENTRY_WORKER
from .runtime import CaesarConfigEntry

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add the local worker, and each enrolled one with its subentry."""
    async_add_entities([WorkerOnline(entry, LOCAL, None)])
    for subentry in entry.get_subentries_of_type(SUBENTRY_WORKER):
        async_add_entities(
            [WorkerOnline(entry, subentry.subentry_id, subentry.title)],
            config_subentry_id=subentry.subentry_id,
        )


class WorkerOnline(BinarySensorEntity):
    """On while a worker answers hellos.

    Attributes: `tools` it serves now, and `last_error` in English (a worker wrote it).
    Its version stands at the device.
    """

    _attr_has_entity_name = True
    _attr_should_poll = False
    _attr_translation_key = "worker"
    _attr_device_class = BinarySensorDeviceClass.CONNECTIVITY
    _attr_entity_category = EntityCategory.DIAGNOSTIC
    _unrecorded_attributes = frozenset({"last_error", "tools"})

    def __init__(
        self, entry: CaesarConfigEntry, worker: str, title: str | None
    ) -> None:
        """Watch a worker of this entry; without a title it is the local one."""
        self._entry = entry
        self._registry = entry.runtime_data.workers
        self._worker = worker
        key = f"{entry.entry_id}_{worker}" if title is None else worker
        self._attr_unique_id = f"{key}_online"
        self._identifier = (DOMAIN, key)
        self._attr_device_info = DeviceInfo(
            identifiers={self._identifier},
            manufacturer=DEFAULT_TITLE,
            entry_type=DeviceEntryType.SERVICE,
        )
        if title is None:
            self._attr_device_info["translation_key"] = "local_worker"
        else:
            self._attr_device_info["name"] = title

    @property
    def _status(self) -> WorkerStatus | None:
        return self._registry.status(self._worker)

    @property
    @override
    def is_on(self) -> bool:
        """Return whether it is well. A worker that is away is known to be away."""
        status = self._status
        return status is not None and status.online

    @property
    @override
    def extra_state_attributes(self) -> Mapping[str, Any]:
        """Return what it serves, and what went wrong last."""
        status = self._status
        return {
            "tools": list(status.tools) if status else [],
            "last_error": status.last_error if status else None,
        }

    @override
    async def async_added_to_hass(self) -> None:
        """Listen to the registry."""
        self.async_on_remove(self._registry.listen(self._changed))
        self._show_version()

    @callback
    def _changed(self) -> None:
        self._show_version()
        self.async_write_ha_state()

    def _show_version(self) -> None:
        status = self._status
        if status is None or status.version is None:
            return
        devices = dr.async_get(self.hass)
        device = devices.async_get_device_by_identifier(
            self._identifier, self._entry.entry_id
        )
        if device is not None and device.sw_version != status.version:
            devices.async_update_device(device.id, sw_version=status.version)
