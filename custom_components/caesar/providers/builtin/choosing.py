"""Understands a short answer to "which one do you mean?".

A name, a room, "the left one", "the second", "both": of the candidates and of nothing
else. Whatever isn't clearly one of these is no answer; it is heard as a new sentence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hassil.util import remove_punctuation
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    floor_registry as fr,
    intent,
)

from .heard import Heard, Source
from .match import LISTED, is_shared
from .open_question import OpenQuestion
from .sentences import choice_words
from .sentences.choice import ChoiceWords

# Who says more is not answering. In words.
LONGEST_ANSWER: Final = 10
_BOTH: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Those that an answer fits; `unclear` if it should have fitted one alone."""

    states: tuple[State, ...]
    unclear: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """One that may be meant: its names and those of its room and floor, as words."""

    state: State
    names: frozenset[frozenset[str]]
    places: frozenset[frozenset[str]]

    def fits(self, said: frozenset[str]) -> bool:
        """Return whether all that was said is in these names."""
        return said <= frozenset().union(*self.names, *self.places)


def choose(
    hass: HomeAssistant,
    question: OpenQuestion,
    text: str,
    language: str,
    house: frozenset[str],
) -> Choice | None:
    """Return who is meant by an answer; None for a text that is none.

    `house` are all names of the house in lower case: the whole name of something else
    chooses nobody.
    """
    spoken = _words(text)
    if not 0 < len(spoken) <= LONGEST_ANSWER:
        return None
    words = choice_words(language.partition("-")[0].casefold())
    if any(f" {wait} " in f" {' '.join(spoken)} " for wait in words.waits):
        return None
    asked = tuple(_candidates(hass, question, words))
    here = tuple(each for each in asked if each is not None)
    left = [word for word in spoken if word not in words.fillers]
    said = frozenset(map(words.stem, left))
    fits = _fitting(here, said, other=" ".join(left) in house)
    if len(fits) == 1:
        return Choice(states=fits)
    if 0 < len(fits) < len(here):
        return Choice(states=fits, unclear=True)
    if (one := _place(spoken, words, asked)) is not None:
        return Choice(states=(one.state,))
    if _means_all(said, words, len(asked)) and here:
        return Choice(states=tuple(each.state for each in here))
    return None


def in_room(
    hass: HomeAssistant, heard: Heard, text: str, language: str
) -> Heard | None:
    """Return "turn on the light" with the room, the floor or "all" that was said.

    None for a text that is none of these, or is several.
    """
    words = choice_words(language.partition("-")[0].casefold())
    spoken = _words(text)
    said = _stems(text, words)
    deed = heard.string("deed")
    if deed is None or not said or len(spoken) > LONGEST_ANSWER:
        return None
    whole = replace(heard, intent=deed)
    if said & words.every and said <= words.every | words.lights:
        slots = {"domain": "light", "name": "all"}
        return replace(whole, slots=slots, texts={}, response="light_all")
    found = [
        ("area", each.name)
        for each in ar.async_get(hass).async_list_areas()
        if said in {_stems(name, words) for name in (each.name, *each.aliases)}
    ] + [
        ("floor", each.name)
        for each in fr.async_get(hass).async_list_floors()
        if said in {_stems(name, words) for name in (each.name, *each.aliases)}
    ]
    if len(found) != 1:
        return None
    [(slot, name)] = found
    slots = {"domain": "light", slot: name}
    return replace(whole, slots=slots, texts={slot: name}, response=f"lights_{slot}")


def timer_sentence(text: str, language: str) -> str:
    """Return "set a timer for" with what was said; empty where nobody says so."""
    words = choice_words(language.partition("-")[0].casefold())
    said = _words(text)
    if not 0 < len(said) <= LONGEST_ANSWER or not words.timer:
        return ""
    if said[0] == words.timer.split()[-2]:
        said = said[1:]
    return words.timer.format(" ".join(said))


def _fitting(
    candidates: Sequence[_Candidate], said: frozenset[str], *, other: bool
) -> tuple[State, ...]:
    """Return those whose whole name was said, or room; else those that the words fit.

    `other` says that something is called just so: if none of these, none is meant.
    """
    if not said:
        return ()
    named = tuple(each.state for each in candidates if said in each.names)
    there = tuple(each.state for each in candidates if said in each.places)
    if named or there or other:
        return named or there
    return tuple(each.state for each in candidates if each.fits(said))


def _place(
    spoken: Sequence[str], words: ChoiceWords, asked: Sequence[_Candidate | None]
) -> _Candidate | None:
    """Return which one a number means, counted as they were read out."""
    left = [word for word in spoken if word not in words.fillers]
    listed = min(len(asked), LISTED)
    counted = [
        word for word in left if words.stem(word) in words.last | words.ordinals.keys()
    ]
    if len(spoken) > 1 and spoken[-2] in words.number:
        # "Not number two" chooses nothing: what is said before it counts as well.
        left = [word for word in spoken[:-2] if word not in words.fillers]
        counted, number = [], _number(spoken[-1], words)
    elif len(counted) == 1:
        stem = words.stem(counted[0])
        number = words.ordinals.get(stem, len(asked))
    elif len(left) == 1:
        counted, number = left, _number(left[0], words)
    else:
        return None
    if number is None or not 0 < number <= listed:
        return None
    # "The second lamp" is one only if that is a lamp.
    rest = frozenset(words.stem(word) for word in left if word not in counted)
    chosen = asked[number - 1]
    return chosen if chosen is not None and chosen.fits(rest) else None


def _number(word: str, words: ChoiceWords) -> int | None:
    """Return a number as it is said; None for what is none, or for a big one."""
    if word.isdecimal() and len(word) <= len(str(LISTED)):
        return int(word)
    return words.cardinals.get(word)


def _means_all(said: frozenset[str], words: ChoiceWords, count: int) -> bool:
    """Return whether all are meant, and all of them were read out."""
    if said & words.both:
        return said <= words.both | words.every and count == _BOTH
    return bool(said) and said <= words.every and count <= LISTED


def _candidates(
    hass: HomeAssistant, question: OpenQuestion, words: ChoiceWords
) -> Iterator[_Candidate | None]:
    """Yield the candidates in the order said; None for one that may not be meant now."""
    registry = er.async_get(hass)
    hidden = question.heard.source is Source.NOT_SHARED
    for entity_id in question.candidates:
        state = hass.states.get(entity_id)
        if state is None or (not hidden and not is_shared(hass, entity_id)):
            yield None
            continue
        entry = registry.async_get(entity_id)
        names = intent.async_get_entity_aliases(hass, entry, state=state)
        yield _Candidate(
            state=state,
            names=frozenset(_stems(name, words) for name in names),
            places=frozenset(_stems(name, words) for name in _places(hass, entry)),
        )


def _places(hass: HomeAssistant, entry: er.RegistryEntry | None) -> Iterator[str]:
    """Yield the names of the room and of the floor in which something is."""
    area_id = entry and er.async_get_effective_area_id(hass, entry)
    area = ar.async_get(hass).async_get_area(area_id) if area_id else None
    if area is None:
        return
    yield from (area.name, *area.aliases)
    floor = fr.async_get(hass).async_get_floor(area.floor_id or "")
    if floor is not None:
        yield from (floor.name, *floor.aliases)


def _stems(name: str, words: ChoiceWords) -> frozenset[str]:
    """Return the words of a name as they are compared, without "the" and the like."""
    return frozenset(
        words.stem(word) for word in _words(name) if word not in words.fillers
    )


def _words(text: str) -> list[str]:
    return remove_punctuation(text.replace("’", "'")).casefold().split()
