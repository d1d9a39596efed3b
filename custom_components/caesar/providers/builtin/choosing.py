"""Understands a short answer to "which one do you mean?".

A name, a room, "the left one", "the second", "both": of the candidates and of nothing
else. Whatever isn't clearly one of these is no answer; it is heard as a new sentence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hassil.util import remove_punctuation
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import (
    area_registry as ar,
    entity_registry as er,
    floor_registry as fr,
    intent,
)

from .heard import Source
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
    asked = tuple(_candidates(hass, question, words))
    here = tuple(each for each in asked if each is not None)
    left = [word for word in spoken if word not in words.fillers]
    said = frozenset(map(words.stem, left))
    fits = _fitting(here, said, other=" ".join(left) in house)
    if len(fits) == 1:
        return Choice(states=fits)
    if 0 < len(fits) < len(here):
        return Choice(states=fits, unclear=True)
    if (place := _place(spoken, words, len(asked))) is not None:
        chosen = asked[place]
        return None if chosen is None else Choice(states=(chosen.state,))
    if _means_all(said, words, len(asked)) and here:
        return Choice(states=tuple(each.state for each in here))
    return None


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


def _place(spoken: Sequence[str], words: ChoiceWords, count: int) -> int | None:
    """Return which one a number means, counted from 0 as they were read out."""
    left = [word for word in spoken if word not in words.fillers]
    listed = min(count, LISTED)
    if len(spoken) > 1 and spoken[-2] in words.number:
        number = _number(spoken[-1], words)
    elif len(left) != 1:
        return None
    elif (stem := words.stem(left[0])) in words.last:
        number = count if count <= LISTED else None
    elif (number := words.ordinals.get(stem)) is None:
        number = _number(left[0], words)
    return number - 1 if number is not None and 0 < number <= listed else None


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
