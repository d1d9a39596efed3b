"""What a call on an entity reaches besides the entity itself (DESIGN 2, resolve).

Home Assistant opens only its own groups before a call; bridges, forwarders and
entities made of scripts act further without saying so.
"""

from typing import Final

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, split_entity_id
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity import entity_sources
from homeassistant.helpers.group import get_group_entities

FORWARDER: Final = "switch_as_x"
GROUP: Final = "group"
TEMPLATE: Final = "template"
# What these do stands in a script, or a part of it; contents.py reads some of them.
MADE_OF_SCRIPTS: Final = frozenset(
    {TEMPLATE, "panasonic_viera", "universal", "wake_on_lan"}
)
# Their attribute `entity_id` lists no members: what a scene sets is its contents.
LISTS_OTHERS: Final = frozenset({"scene", "sensor"})
NEVER_ACT: Final = frozenset(
    {"binary_sensor", "device_tracker", "event", "image", "sensor", "weather"}
)


def members_of(hass: HomeAssistant, entity_id: str) -> tuple[str, ...]:
    """Return a group's members and what stands for the same thing as the entity."""
    found = _grouped(hass, entity_id) | _forwarded(hass, entity_id)
    found.discard(entity_id)
    return tuple(sorted(found))


def is_opaque(hass: HomeAssistant, entity_id: str) -> bool:
    """Return whether it can't be read what a call on the entity would reach.

    Only for what has no contents, which say so themselves.
    """
    domain = split_entity_id(entity_id)[0]
    platform = _platform(hass, entity_id)
    if platform in MADE_OF_SCRIPTS:
        return domain not in NEVER_ACT
    is_group = platform == GROUP or entity_id in get_group_entities(hass)
    return is_group and not members_of(hass, entity_id)


def _grouped(hass: HomeAssistant, entity_id: str) -> set[str]:
    found: set[str] = set()
    if group := get_group_entities(hass).get(entity_id):
        grouped = getattr(group, "group", None)
        found.update(getattr(grouped, "member_entity_ids", ()) or ())
    state = hass.states.get(entity_id)
    if state is not None and state.domain not in LISTS_OTHERS:
        listed = state.attributes.get(ATTR_ENTITY_ID, ())
        if isinstance(listed, (list, tuple, set)):
            found.update(item for item in listed if isinstance(item, str))
    return found


def _forwarded(hass: HomeAssistant, entity_id: str) -> set[str]:
    """Return the entities that stand for the same thing as this one.

    A switch shown as a lock is both: whoever switches it, unlocks. The switch needs
    no entry in the registry.
    """
    registry = er.async_get(hass)
    found: set[str] = set()
    for config_entry in hass.config_entries.async_entries(FORWARDER):
        source = er.async_resolve_entity_id(
            registry, str(config_entry.options.get(ATTR_ENTITY_ID, ""))
        )
        shown = [
            shown.entity_id
            for shown in er.async_entries_for_config_entry(
                registry, config_entry.entry_id
            )
        ]
        if source is not None and entity_id in (source, *shown):
            found.update((source, *shown))
    return found


def _platform(hass: HomeAssistant, entity_id: str) -> str | None:
    """Return the integration of an entity, also of one outside the registry."""
    if source := entity_sources(hass).get(entity_id):
        return source["domain"]
    entry = er.async_get(hass).async_get(entity_id)
    return entry.platform if entry else None
