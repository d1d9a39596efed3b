"""The house as Home Assistant's registries and states tell it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from homeassistant.components.homeassistant import async_should_expose
from homeassistant.components.homeassistant.exposed_entities import (
    async_listen_entity_updates,
)
from homeassistant.config_entries import SIGNAL_CONFIG_ENTRY_CHANGED
from homeassistant.const import (
    ATTR_DEVICE_CLASS,
    ATTR_ENTITY_ID,
    ATTR_FRIENDLY_NAME,
    EVENT_STATE_CHANGED,
    STATE_UNAVAILABLE,
    EntityCapabilityAttribute,
)
from homeassistant.core import (
    Event,
    EventStateChangedData,
    HomeAssistant,
    State,
    callback,
    split_entity_id,
    valid_entity_id,
)
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.target import (
    TargetSelection,
    async_extract_referenced_entity_ids,
)

from ..policy.actions import CONTENT_DOMAINS
from ..policy.call import Target
from ..policy.home import EntityFacts, Expansion, close_over_members
from .contents import contents_of
from .members import is_opaque, members_of

ASSISTANT: Final = "conversation"
SCRIPT: Final = "script"
KEPT_EXPANSIONS: Final = 1024
TELLING: Final = (
    ATTR_DEVICE_CLASS,
    ATTR_ENTITY_ID,
    ATTR_FRIENDLY_NAME,
    EntityCapabilityAttribute.GROUP_ENTITIES,
)
REGISTRY_EVENTS: Final = (
    ar.EVENT_AREA_REGISTRY_UPDATED,
    dr.EVENT_DEVICE_REGISTRY_UPDATED,
    er.EVENT_ENTITY_REGISTRY_UPDATED,
    fr.EVENT_FLOOR_REGISTRY_UPDATED,
    lr.EVENT_LABEL_REGISTRY_UPDATED,
)


class HomeAssistantHome:
    """Implements the policy's HomeView over registries, states and exposure.

    What was read is kept until the revision grows, for a decision asks the same
    things again and again. Nothing is kept before `async_start`, when nobody follows
    the changes.
    """

    def __init__(self, hass: HomeAssistant) -> None:
        """Look at this Home Assistant."""
        self._hass = hass
        self._revision = 0
        self._stop: list[Callable[[], None]] = []
        self._facts: dict[str, EntityFacts] = {}
        self._opaque: dict[str, bool] = {}
        self._expansions: dict[Target, Expansion] = {}
        self._exposed: tuple[EntityFacts, ...] | None = None

    @callback
    def async_start(self) -> None:
        """Follow every change that could make a decision another one."""
        hass = self._hass
        self._stop = [
            *(hass.bus.async_listen(str(e), self._changed) for e in REGISTRY_EVENTS),
            hass.bus.async_listen(EVENT_STATE_CHANGED, self._state_changed),
            async_listen_entity_updates(hass, ASSISTANT, self._changed),
            # A helper's options say what it stands for.
            async_dispatcher_connect(hass, SIGNAL_CONFIG_ENTRY_CHANGED, self._changed),
        ]

    @callback
    def async_stop(self) -> None:
        """Stop following."""
        while self._stop:
            self._stop.pop()()
        self._changed()

    @property
    def revision(self) -> int:
        """Return a number that grows with every change of the house's structure."""
        return self._revision

    def entity(self, entity_id: str) -> EntityFacts | None:
        """Return an entity by id or registry id."""
        if known := self._facts.get(entity_id):
            return known
        facts = self._read(entity_id)
        if facts is not None and self._stop:
            self._facts[entity_id] = facts
        return facts

    def expand(self, target: Target) -> Expansion:
        """Resolve the five kinds of ids to entities, groups not opened."""
        if known := self._expansions.get(target):
            return known
        expansion = self._expand(target)
        if self._stop:
            if len(self._expansions) >= KEPT_EXPANSIONS:
                self._expansions.clear()
            self._expansions[target] = expansion
        return expansion

    def script(self, name: str) -> EntityFacts | None:
        """Return the script that the service `script.<name>` runs, however renamed."""
        entity_id = er.async_get(self._hass).async_get_entity_id(SCRIPT, SCRIPT, name)
        return self.entity(entity_id) if entity_id else None

    def _read(self, entity_id: str) -> EntityFacts | None:
        registry = er.async_get(self._hass)
        entry = registry.async_get(entity_id)
        if entry is not None:
            entity_id = entry.entity_id
        state = self._hass.states.get(entity_id) if valid_entity_id(entity_id) else None
        if entry is None and state is None:
            return None
        devices = _devices_of(self._hass, entry)
        area_id = er.async_get_effective_area_id(self._hass, entry) if entry else None
        area = ar.async_get(self._hass).async_get_area(area_id) if area_id else None
        device_class = state.attributes.get(ATTR_DEVICE_CLASS) if state else None
        if entry is not None:
            device_class = (
                entry.device_class or device_class or entry.original_device_class
            )
        return EntityFacts(
            entity_id=entity_id,
            name=self._name(entity_id, entry),
            domain=split_entity_id(entity_id)[0],
            device_class=device_class,
            device_id=entry.device_id if entry else None,
            wider_devices=_wider_than(devices),
            area_id=area_id,
            floor_id=area.floor_id if area else None,
            labels=frozenset[str]().union(
                entry.labels if entry else (),
                area.labels if area else (),
                *(device.labels for device in devices),
            ),
            exposed=async_should_expose(self._hass, ASSISTANT, entity_id),
            members=members_of(self._hass, entity_id),
            contents=contents_of(self._hass, entity_id),
        )

    def _expand(self, target: Target) -> Expansion:
        selected = async_extract_referenced_entity_ids(
            self._hass,
            TargetSelection(
                {
                    key: ids
                    for key, ids in target.as_json().items()
                    if key != "entity_id"
                }
            ),
            expand_group=False,
        )
        found = {
            entity_id
            for entity_id in selected.indirectly_referenced
            if self._exists(entity_id)
        }
        missing = [
            *sorted(selected.missing_devices),
            *sorted(selected.missing_areas),
            *sorted(selected.missing_floors),
            *sorted(selected.missing_labels),
        ]
        for entity_id in target.entity_id:
            if facts := self.entity(entity_id):
                found.add(facts.entity_id)
            else:
                missing.append(entity_id)
        reached = close_over_members(self, found)
        return Expansion(
            entities=frozenset(found),
            members=reached - found,
            missing=tuple(missing),
            opaque=tuple(sorted(filter(self._is_opaque, reached))),
        )

    def _is_opaque(self, entity_id: str) -> bool:
        facts = self.entity(entity_id)
        if facts is not None and facts.contents is not None:
            return not facts.contents.whole
        if (known := self._opaque.get(entity_id)) is not None:
            return known
        opaque = is_opaque(self._hass, entity_id)
        if self._stop:
            self._opaque[entity_id] = opaque
        return opaque

    def exposed(self) -> tuple[EntityFacts, ...]:
        """Return all entities that are shared with the assistant.

        The same tuple until the revision grows.
        """
        if self._exposed is not None:
            return self._exposed
        exposed = tuple(
            facts
            for entity_id in self._hass.states.async_entity_ids()
            if async_should_expose(self._hass, ASSISTANT, entity_id)
            and (facts := self.entity(entity_id))
        )
        if self._stop:
            self._exposed = exposed
        return exposed

    def names(self, entity_ids: Iterable[str]) -> dict[str, str]:
        """Return the names of those of these entities that there are, by their ids."""
        return {each: facts.name for each in entity_ids if (facts := self.entity(each))}

    @property
    def exposed_domains(self) -> frozenset[str]:
        """Return the kinds of entities of which any is shared with the assistant."""
        return frozenset(facts.domain for facts in self.exposed())

    def aliases(self, entity_id: str) -> tuple[str, ...]:
        """Return the other names that a person gave an entity."""
        entry = er.async_get(self._hass).async_get(entity_id)
        return tuple(er.async_get_entity_aliases(self._hass, entry)) if entry else ()

    def area_name(self, area_id: str | None) -> str | None:
        """Return the name of an area."""
        if area_id is None:
            return None
        area = ar.async_get(self._hass).async_get_area(area_id)
        return area.name if area else None

    def _exists(self, entity_id: str) -> bool:
        return self._hass.states.get(entity_id) is not None

    def _name(self, entity_id: str, entry: er.RegistryEntry | None) -> str:
        if state := self._hass.states.get(entity_id):
            return state.name
        if entry is not None and (name := entry.name or entry.original_name):
            return name
        return entity_id

    @callback
    def _changed(self, *_: object) -> None:
        self._revision += 1
        self._facts.clear()
        self._opaque.clear()
        self._expansions.clear()
        self._exposed = None

    @callback
    def _state_changed(self, event: Event[EventStateChangedData]) -> None:
        if _is_another(event.data["old_state"], event.data["new_state"]):
            self._changed()


def _devices_of(
    hass: HomeAssistant, entry: er.RegistryEntry | None
) -> list[dr.AnyDeviceEntry]:
    """Return an entity's device, and the one that it is a part of.

    A target that means the second, or its label, means the first too.
    """
    registry = dr.async_get(hass)
    device = registry.async_get(entry.device_id) if entry and entry.device_id else None
    if device is None:
        return []
    if not isinstance(device, dr.ChildDeviceEntry):
        return [device]
    whole = registry.async_get(device.parent_device_id)
    return [device, whole] if whole else [device]


def _wider_than(devices: Sequence[dr.AnyDeviceEntry]) -> tuple[str, ...]:
    """Return the further ids by which a target means the first of these devices.

    One that several integrations shared before 2026.9 is still meant by its old id.
    """
    former = [
        device.composite_device_id
        for device in devices
        if isinstance(device, dr.DeviceEntry) and device.composite_device_id
    ]
    return (*(device.id for device in devices[1:]), *former)


def _is_another(old: State | None, new: State | None) -> bool:
    """Return whether an entity became one about which decisions may differ.

    A script that is edited is another one under the same id; it was unavailable
    meanwhile.
    """
    if old is None or new is None:
        return True
    if any(old.attributes.get(each) != new.attributes.get(each) for each in TELLING):
        return True
    reloaded = STATE_UNAVAILABLE in (old.state, new.state)
    return reloaded and new.domain in CONTENT_DOMAINS
