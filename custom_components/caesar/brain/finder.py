"""Which entities a person's words may mean. Pure.

A home's names are too many for a prompt; those that share a word with what was said
are few. This saves a model the round trip of `find_entities`. It decides nothing: the
model chooses, and the gate judges the call.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from math import log
import re
from typing import Final

from .home_index import IndexEntry

MOST: Final = 8
_WORD: Final = re.compile(r"[^\W_]+")
# Shorter beginnings are in too many words.
_SHORTEST_STEM: Final = 4
# A word that fits so large a share of the home picks nothing out.
_COMMON: Final = 0.3
_MAX_WORDS: Final = 60
_MOST_LATELY: Final = 4


def words_of(text: str) -> list[str]:
    """Return a text's words, upper and lower case alike."""
    return _WORD.findall(text.casefold())


# Words that name nothing, though a name may hold them ("the robot").
_EMPTY: Final = frozenset(
    words_of(
        "a an and at for in is my of off on please the to turn "
        "am auf aus bitte das dem den der des die ein eine im ist mach mein und "
        "de del el en het il la las le les lo los un una une van"
    )
)


class Finder:
    """Finds entities of one home by words."""

    def __init__(self, entries: Iterable[IndexEntry]) -> None:
        """Read their names, areas and kinds once."""
        self._entries = sorted(entries, key=lambda entry: entry.entity_id)
        self._lengths: list[int] = []
        self._having: dict[str, list[int]] = {}
        for number, entry in enumerate(self._entries):
            words = set(words_of(f"{entry.entity_id} {entry.name}"))
            words.update(*map(words_of, (*entry.aliases, entry.area or "")))
            words -= _EMPTY
            self._lengths.append(len(words))
            for word in words:
                self._having.setdefault(word, []).append(number)
        self._words = sorted(self._having)

    def find(
        self,
        text: str,
        *,
        area_id: str | None = None,
        lately: Sequence[str] = (),
        without: frozenset[str] = frozenset(),
        most: int = MOST,
    ) -> tuple[IndexEntry, ...]:
        """Return the best matches, best first; none where no word picks anything out.

        Those in the person's own area come before others. `lately` are ids that the
        conversation was about, which are always among them; `without` are left out.
        """
        scores: dict[int, float] = {}
        picked: set[int] = set()
        for word in dict.fromkeys(words_of(text)[:_MAX_WORDS]):
            numbers = self._fitting(word)
            if not numbers:
                continue
            weight = log(1 + len(self._entries) / len(numbers))
            rare = len(numbers) <= max(most, _COMMON * len(self._entries))
            for number in numbers:
                scores[number] = scores.get(number, 0) + weight
                if rare or self._entries[number].area_id == area_id is not None:
                    picked.add(number)
        for number in picked:
            if area_id is not None and self._entries[number].area_id == area_id:
                scores[number] += 1
        best = sorted(
            picked, key=lambda each: (-scores[each], self._lengths[each], each)
        )
        late = set(lately[:_MOST_LATELY])
        recent = [entry for entry in self._entries if entry.entity_id in late]
        found = dict.fromkeys([*recent, *(self._entries[each] for each in best)])
        return tuple(
            [entry for entry in found if entry.entity_id not in without][:most]
        )

    def _fitting(self, word: str) -> Sequence[int]:
        """Return what has a word, or begins like it: "Küchenlicht" is of the "Küche"."""
        if exact := self._having.get(word):
            return exact
        if len(word) < _SHORTEST_STEM:
            return ()
        found: set[int] = set()
        for end in range(_SHORTEST_STEM, len(word)):
            found.update(self._having.get(word[:end], ()))
        for at in range(bisect_left(self._words, word), len(self._words)):
            if not self._words[at].startswith(word):
                break
            found.update(self._having[self._words[at]])
        return sorted(found)
