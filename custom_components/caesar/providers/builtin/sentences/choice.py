"""The words of a short answer to "which one do you mean?"."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceWords:
    """What a language says around the name of the one that is meant; all in lower case.

    `fillers` change nothing ("the", "in", "one"), `number` stands before a number
    ("number two"), `both` and `every` mean all that were named. `ordinals` and
    `cardinals` count from 1; `last` is the last. `endings` are those of a word that the
    sentence bends, the longest first. `waits` are phrases that only hold a number ("just a
    second"), and choose nothing. `lights` are lamps of any kind ("all lights");
    `timer` is how a timer is set, with the answer to "for how long?" in it.
    """

    fillers: frozenset[str] = frozenset()
    number: frozenset[str] = frozenset()
    ordinals: Mapping[str, int] = field(default_factory=dict)
    cardinals: Mapping[str, int] = field(default_factory=dict)
    last: frozenset[str] = frozenset()
    both: frozenset[str] = frozenset()
    every: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ()
    waits: frozenset[str] = frozenset()
    lights: frozenset[str] = frozenset()
    timer: str = ""

    def stem(self, word: str) -> str:
        """Return a word without its ending: "linken" and "linke" are one word."""
        for ending in self.endings:
            if word.endswith(ending) and len(word) - len(ending) > 2:
                return word.removesuffix(ending)
        return word
