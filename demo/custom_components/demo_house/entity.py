"""What all things of the demo house have in common."""

from typing import Any

from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity
from homeassistant.util import slugify

from .const import DOMAIN
from .effects import Effect
from .model import Thing
from .runtime import House


class HouseEntity(Entity):
    """A thing that reacts at once and keeps its state in memory."""

    _attr_should_poll = False

    def __init__(self, thing: Thing, house: House) -> None:
        """Give the thing its name, its fixed entity id and its device."""
        device = thing.device or thing.name
        self.entity_id = thing.entity_id
        self._attr_name = thing.name
        self._attr_unique_id = thing.entity_id
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, slugify(device))},
            name=device,
            manufacturer="Demo house",
        )
        self._house = house

    async def _report(self, action: str, **data: Any) -> None:
        """Report what is about to happen to the thing, and by which call."""
        await self._house.effects.write(
            Effect.of(self.entity_id, action, self._context, data)
        )
