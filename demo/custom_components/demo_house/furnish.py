"""Puts the plan into Home Assistant's registries.

Done once, when the house is built; what a person changes afterwards stays.
"""

from collections.abc import Iterable

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.config_entries import SOURCE_USER
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)

from .model import Group, Plan, Thing

ASSISTANT = "conversation"
GROUP_DOMAIN = "group"


@callback
def async_furnish(hass: HomeAssistant, plan: Plan) -> None:
    """Create floors, areas and labels, and put every thing in its place."""
    areas = _create_areas(hass, plan)
    labels = _create_labels(hass, plan.labels)
    for thing in plan.things:
        _place(hass, thing, areas[thing.area], {labels[name] for name in thing.labels})
    for saved in plan.saved:
        _name(hass, saved.entity_id, saved.aliases)
        async_expose_entity(hass, ASSISTANT, saved.entity_id, saved.exposed)


async def async_create_groups(hass: HomeAssistant, groups: Iterable[Group]) -> None:
    """Create the group helpers with Home Assistant's own flow.

    Raises HomeAssistantError if a group does not come out as planned.
    """
    for group in groups:
        flow = await hass.config_entries.flow.async_init(
            GROUP_DOMAIN, context={"source": SOURCE_USER}
        )
        for step in (
            {"next_step_id": group.domain},
            {
                "name": group.name,
                "entities": list(group.members),
                "hide_members": group.hide_members,
            },
        ):
            flow = await hass.config_entries.flow.async_configure(flow["flow_id"], step)
        if er.async_get(hass).async_get(group.entity_id) is None:
            raise HomeAssistantError(f"The group {group.entity_id} was not created")
        _name(hass, group.entity_id, group.aliases)
        async_expose_entity(hass, ASSISTANT, group.entity_id, True)


def _create_areas(hass: HomeAssistant, plan: Plan) -> dict[str, str]:
    floors = {
        floor.name: fr.async_get(hass)
        .async_create(floor.name, aliases=set(floor.aliases), level=floor.level)
        .floor_id
        for floor in plan.floors
    }
    registry = ar.async_get(hass)
    areas: dict[str, str] = {}
    for area in plan.areas:
        created = registry.async_get_or_create(area.name)
        registry.async_update(
            created.id,
            aliases=set(area.aliases),
            floor_id=floors[area.floor] if area.floor else None,
        )
        areas[area.name] = created.id
    return areas


def _create_labels(hass: HomeAssistant, names: Iterable[str]) -> dict[str, str]:
    registry = lr.async_get(hass)
    return {name: registry.async_create(name).label_id for name in names}


def _place(
    hass: HomeAssistant, thing: Thing, area_id: str, label_ids: set[str]
) -> None:
    registry = er.async_get(hass)
    entry = registry.async_get(thing.entity_id)
    if entry is None or entry.device_id is None:
        raise HomeAssistantError(f"{thing.entity_id} was not created")
    dr.async_get(hass).async_update_device(entry.device_id, area_id=area_id)
    registry.async_update_entity(thing.entity_id, labels=label_ids)
    _name(hass, thing.entity_id, thing.aliases)
    async_expose_entity(hass, ASSISTANT, thing.entity_id, thing.exposed)


def _name(hass: HomeAssistant, entity_id: str, aliases: tuple[str, ...]) -> None:
    registry = er.async_get(hass)
    if registry.async_get(entity_id) is not None:
        registry.async_update_entity(entity_id, aliases=[er.COMPUTED_NAME, *aliases])
