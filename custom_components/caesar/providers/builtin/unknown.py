"""What to say when a sentence was not understood."""

from typing import Final

from hassil.models import UnmatchedTextEntity
from hassil.recognize import MISSING_ENTITY, RecognizeResult
from homeassistant.components.homeassistant import async_should_expose
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar

from ...wording import Wording
from .vocabulary import ASSISTANT

_LONGEST_NAME: Final = 4
# A sentence that is mostly the unknown name was hardly about a device at all.
_FIXED_WORDS: Final = 2
_NO_NAMES: Final = frozenset(
    ("a", "an", "any", "it", "that", "them", "das", "ein", "eine", "es", "ihn", "sie")
)
# "What is …" and "tell me …" take any words for the name of an entity.
_GUESSES: Final = ("one", "where")


def unknown_text(
    wording: Wording, heard: RecognizeResult, text: str, known: frozenset[str]
) -> str:
    """Return which name is unknown; empty unless that is plainly the trouble.

    `known` are all names of the house in lower case: a known name in a sentence that
    isn't understood is not what is wrong with it.
    """
    unmatched = {
        key: entity.text.strip()
        for key, entity in heard.unmatched_entities.items()
        if isinstance(entity, UnmatchedTextEntity) and entity.text != MISSING_ENTITY
    }
    for slot in ("area", "floor", "name"):
        words = unmatched.get(slot)
        if words is None or len(unmatched) > 1:
            continue
        size = len(words.split())
        fixed = len(text.split()) - size
        first = words.partition(" ")[0].casefold()
        begins = text.strip().casefold().startswith(first)
        if (
            begins
            or words.casefold() in known
            or first in _NO_NAMES
            or heard.response in _GUESSES
            or size > _LONGEST_NAME
            or fixed < _FIXED_WORDS
        ):
            return ""
        return wording.text(f"brain_unknown_{slot}", **{slot: words})
    return ""


def examples(hass: HomeAssistant, wording: Wording) -> str:
    """Return three sentences that work in this house."""
    found = []
    shared = sorted(
        state.name
        for state in hass.states.async_all(("light", "switch"))
        if async_should_expose(hass, ASSISTANT, state.entity_id)
    )
    if shared:
        found.append(wording.text("brain_example_turn_on", name=shared[0]))
        found.append(wording.text("brain_example_which_lights"))
    warm = next(
        (
            area.name
            for area in ar.async_get(hass).async_list_areas()
            if area.temperature_entity_id
        ),
        None,
    )
    if warm:
        found.append(wording.text("brain_example_temperature", area=warm))
    found.append(wording.text("brain_example_time"))
    return ", ".join(found[:3])
