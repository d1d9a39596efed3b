"""What came back from the gate, in the shape that answer templates expect."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.core import HomeAssistant, split_entity_id
from homeassistant.helpers.translation import async_get_translations
from homeassistant.util import dt as dt_util

from ...legion.canonical import Json
from ...turn import ToolOutcome
from ...wording import Wording, async_wording, translation_of

_NO_STATE: Final = ("unavailable", "unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An entity's state as an outcome tells it.

    Has the attributes that Home Assistant's templates use of a state. `spoken` is
    the state in words of the language, `area` the name of its room, if it has one.
    """

    entity_id: str
    name: str
    state: str
    spoken: str
    attributes: Mapping[str, Any]
    area: str = ""

    @property
    def domain(self) -> str:
        """Return the entity's domain."""
        return split_entity_id(self.entity_id)[0]

    @property
    def state_with_unit(self) -> str:
        """Return the state as it is said, with its unit."""
        unit = self.attributes.get("unit_of_measurement")
        return f"{self.state} {unit}" if unit and self.has_value else self.spoken

    @property
    def has_value(self) -> bool:
        """Return whether the entity reports anything."""
        return self.state not in _NO_STATE

    @property
    def hass_state(self) -> str:
        """Return the bare state, as some languages' templates ask for it."""
        return self.state


async def readings(
    hass: HomeAssistant, language: str, outcomes: Iterable[ToolOutcome]
) -> list[Reading]:
    """Return the states that successful outcomes brought back, each entity once."""
    raw: dict[str, Mapping[str, Json]] = {}
    for outcome in outcomes:
        if outcome.error is not None or not isinstance(outcome.data, Mapping):
            continue
        entities = outcome.data.get("entities")
        for entity in entities if isinstance(entities, list) else ():
            if isinstance(entity, Mapping):
                raw[str(entity["entity_id"])] = entity
    domains = {split_entity_id(entity_id)[0] for entity_id in raw}
    words = await async_get_translations(
        hass, translation_of(language), "entity_component", domains
    )
    wording = await async_wording(hass, language)
    return [_reading(entity, words, wording) for entity in raw.values()]


def _reading(
    entity: Mapping[str, Json], words: Mapping[str, str], wording: Wording
) -> Reading:
    entity_id = str(entity["entity_id"])
    state = str(entity.get("state"))
    attributes = entity.get("attributes")
    attributes = attributes if isinstance(attributes, Mapping) else {}
    spoken = _spoken(entity_id, state, str(attributes.get("device_class")), words)
    return Reading(
        entity_id=entity_id,
        name=str(entity.get("name") or entity_id),
        state=state,
        spoken=_moment(state, attributes, wording) or spoken,
        attributes=attributes,
        area=str(entity.get("area") or ""),
    )


def _moment(state: str, attributes: Mapping[str, Json], wording: Wording) -> str | None:
    """Return a time that a sensor reports as a person says it; None for other states."""
    if attributes.get("device_class") != "timestamp":
        return None
    when = dt_util.parse_datetime(state)
    if when is None or when.tzinfo is None:
        return None
    return wording.moment(dt_util.as_local(when), dt_util.now(), "past_point")


def _spoken(
    entity_id: str, state: str, device_class: str, words: Mapping[str, str]
) -> str:
    """Return "locked" as the language says it, small, for it stands in a sentence."""
    domain = split_entity_id(entity_id)[0]
    for kind in (device_class, "_"):
        key = f"component.{domain}.entity_component.{kind}.state.{state}"
        if word := words.get(key):
            return word[:1].lower() + word[1:]
    return state
