"""The names of the house as people say them, kept until something changes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hassil.intents import SlotList, TextSlotList
from hassil.util import remove_punctuation
from homeassistant.components.homeassistant import async_should_expose
from homeassistant.components.homeassistant.exposed_entities import (
    async_listen_entity_updates,
)
from homeassistant.const import ATTR_DEVICE_CLASS, EVENT_STATE_CHANGED
from homeassistant.core import (
    Event,
    EventStateChangedData,
    HomeAssistant,
    State,
    callback,
)
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    intent,
)

ASSISTANT = "conversation"

_TOP: Final = ("upstairs", "oben")
_BOTTOM: Final = ("downstairs", "unten")

type _Name = tuple[str, str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """All names at one moment.

    `shared` and `hidden` are the slot lists for sentences about entities that are
    and are not shared with Assist; `spoken` are all names in lower case,
    `apostrophes` the words among them that have one, by the word without it.
    """

    shared: dict[str, SlotList]
    hidden: dict[str, SlotList]
    spoken: frozenset[str]
    apostrophes: Mapping[str, str]

    def as_written(self, text: str) -> str:
        """Return "children's room" for "childrens room", if a name is spelt so."""
        text = text.replace("’", "'")
        return " ".join(
            self.apostrophes.get(word.casefold(), word) for word in text.split()
        )


class Vocabulary:
    """Builds the words when they are first needed after a change."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Listen to nothing yet."""
        self._hass = hass
        self._words: Words | None = None
        self._stop: list[Callable[[], None]] = []

    @callback
    def words(self) -> Words:
        """Return the names as they are now."""
        if self._words is None:
            self._words = self._build()
            self._listen()
        return self._words

    @callback
    def close(self) -> None:
        """Forget the names and stop listening."""
        self._words = None
        for stop in self._stop:
            stop()
        self._stop = []

    @callback
    def _changed(self, event: Event[Any] | None = None) -> None:
        self.close()

    @callback
    def _listen(self) -> None:
        bus = self._hass.bus
        self._stop = [
            bus.async_listen(event_type, self._changed)
            for event_type in (
                ar.EVENT_AREA_REGISTRY_UPDATED,
                fr.EVENT_FLOOR_REGISTRY_UPDATED,
                er.EVENT_ENTITY_REGISTRY_UPDATED,
                dr.EVENT_DEVICE_REGISTRY_UPDATED,
            )
        ]
        self._stop.append(
            bus.async_listen(
                EVENT_STATE_CHANGED, self._changed, event_filter=_came_or_went
            )
        )
        self._stop.append(
            async_listen_entity_updates(self._hass, ASSISTANT, self._changed)
        )

    def _build(self) -> Words:
        areas = list(self._area_names())
        floors = list(self._floor_names())
        shared: list[_Name] = []
        hidden: list[_Name] = []
        registry = er.async_get(self._hass)
        for state in self._hass.states.async_all():
            names = _entity_names(self._hass, registry, state)
            if async_should_expose(self._hass, ASSISTANT, state.entity_id):
                shared.extend(names)
            else:
                hidden.extend(names)
        places: dict[str, SlotList] = {
            "area": TextSlotList.from_tuples(areas, name="area", allow_template=False),
            "floor": TextSlotList.from_tuples(
                floors, name="floor", allow_template=False
            ),
        }
        spoken = frozenset(
            said.casefold()
            for said in (
                *(name for name, _ in (*areas, *floors)),
                *(name for name, _, _ in (*shared, *hidden)),
            )
        )
        return Words(
            shared={**places, "name": _list_of(shared)},
            hidden={**places, "name": _list_of(hidden)},
            spoken=spoken,
            apostrophes={
                word.replace("'", ""): word
                for name in spoken
                for word in name.split()
                if "'" in word
            },
        )

    def _area_names(self) -> Iterator[tuple[str, str]]:
        for area in ar.async_get(self._hass).async_list_areas():
            for name in (area.name, *area.aliases):
                if cleaned := remove_punctuation(name).strip():
                    yield cleaned, name

    def _floor_names(self) -> Iterator[tuple[str, str]]:
        floors = list(fr.async_get(self._hass).async_list_floors())
        for floor in floors:
            for name in (floor.name, *floor.aliases):
                if cleaned := remove_punctuation(name).strip():
                    yield cleaned, floor.name
        # "Upstairs" means the top one, unless a floor is really called so.
        levels = sorted((f.level, f.name) for f in floors if f.level is not None)
        if len(levels) > 1:
            yield from ((word, levels[-1][1]) for word in _TOP)
            yield from ((word, levels[0][1]) for word in _BOTTOM)


@callback
def _came_or_went(event: EventStateChangedData) -> bool:
    return not event["old_state"] or not event["new_state"]


def _list_of(names: Iterable[_Name]) -> TextSlotList:
    return TextSlotList.from_tuples(names, name="name", allow_template=False)


def _entity_names(
    hass: HomeAssistant, registry: er.EntityRegistry, state: State
) -> Iterator[_Name]:
    context: dict[str, Any] = {"domain": state.domain}
    if device_class := state.attributes.get(ATTR_DEVICE_CLASS):
        context[ATTR_DEVICE_CLASS] = device_class
    entry = registry.async_get(state.entity_id)
    for name in intent.async_get_entity_aliases(hass, entry, state=state):
        if cleaned := remove_punctuation(name).strip():
            yield cleaned, name, context
