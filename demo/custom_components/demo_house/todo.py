"""The shopping list."""

from typing import override

from homeassistant.components.todo import (
    TodoItem,
    TodoItemStatus,
    TodoListEntity,
    TodoListEntityFeature,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util.ulid import ulid_now

from .entity import HouseEntity
from .model import Thing
from .runtime import DemoHouseConfigEntry, House

FIRST_ITEMS = ("Milk", "Apples")


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the to-do lists."""
    house = entry.runtime_data
    async_add_entities(HouseList(thing, house) for thing in house.things("todo"))


class HouseList(HouseEntity, TodoListEntity):
    """A list in memory."""

    _attr_supported_features = (
        TodoListEntityFeature.CREATE_TODO_ITEM
        | TodoListEntityFeature.UPDATE_TODO_ITEM
        | TodoListEntityFeature.DELETE_TODO_ITEM
    )

    def __init__(self, thing: Thing, house: House) -> None:
        """Start with two things to buy."""
        super().__init__(thing, house)
        self._attr_todo_items = [
            TodoItem(uid=summary, summary=summary, status=TodoItemStatus.NEEDS_ACTION)
            for summary in FIRST_ITEMS
        ]

    @override
    async def async_create_todo_item(self, item: TodoItem) -> None:
        """Add an item."""
        await self._report("add_item", item=item.summary)
        item.uid = ulid_now()
        self._attr_todo_items = [*(self.todo_items or []), item]
        self.async_write_ha_state()

    @override
    async def async_update_todo_item(self, item: TodoItem) -> None:
        """Rename an item, or tick it off."""
        await self._report("update_item", item=item.summary)
        self._attr_todo_items = [
            item if item.uid == old.uid else old for old in self.todo_items or []
        ]
        self.async_write_ha_state()

    @override
    async def async_delete_todo_items(self, uids: list[str]) -> None:
        """Remove items."""
        await self._report("remove_item", uids=uids)
        self._attr_todo_items = [
            item for item in self.todo_items or [] if item.uid not in uids
        ]
        self.async_write_ha_state()
