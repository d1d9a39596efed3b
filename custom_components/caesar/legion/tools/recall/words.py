"""Finding by words: BM25 over words, their beginnings, and parts of long ones.

Needs no package. Parts of words let German compounds be found by what they are made of.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from heapq import nlargest
import math
import re
from typing import Final
import unicodedata

_WORD: Final = re.compile(r"[^\W_]+")
_STEM: Final = 5
_LONG: Final = 9
_K1: Final = 1.2
_MOST_FEATURES: Final = 400
_COMPACT_FROM: Final = 1_000
_STOP_TEXT: Final = (
    "a an and are as at be by can could did do does for from had has have he her his how"
    " i if in is it its me my of on or our she so than that the their them then there"
    " they this to was we were what when where which who will with would you your about"
    " aber als am an auch auf aus bei bin bist da das dass dem den der des die dir du"
    " ein eine einem einen einer er es fur habe haben hast hat ich ihr im in ist kann"
    " man mein meine mich mir mit nach nicht noch nur oder sie sind so uber um und uns"
    " vom von vor war was wenn wer wie wir wird wo zu zum zur"
)
_STOP: Final = frozenset(_STOP_TEXT.split())


def features(text: str) -> Iterator[str]:
    """Yield what a text is found by; the same feature may come several times."""
    folded = "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(letter)
    )
    for word in _WORD.findall(folded):
        if word in _STOP:
            continue
        yield word
        if len(word) >= _STEM:
            yield "~" + word[:_STEM]
        if len(word) >= _LONG:
            for start in range(1, min(len(word), 40) - _STEM + 1):
                yield "~" + word[start : start + _STEM]


class WordIndex:
    """Which rows hold which words."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self.clear()

    def clear(self) -> None:
        """Drop all."""
        self._ids: list[int] = []
        self._owners: list[str | None] = []
        self._slots: dict[int, int] = {}
        self._postings: dict[str, array[int]] = {}

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._slots)

    def add(self, id_: int, owner: str, text: str) -> None:
        """Keep a row's words."""
        slot = len(self._ids)
        self._ids.append(id_)
        self._owners.append(owner)
        self._slots[id_] = slot
        counts = Counter(features(text))
        for feature, count in counts.most_common(_MOST_FEATURES):
            postings = self._postings.setdefault(feature, array("Q"))
            # Slot and count share a number: half the memory of two lists.
            postings.append(slot << 8 | min(count, 255))

    def erase(self, id_: int) -> None:
        """Drop a row."""
        slot = self._slots.pop(id_, None)
        if slot is None:
            return
        self._owners[slot] = None
        dead = len(self._ids) - len(self._slots)
        if dead > _COMPACT_FROM and dead > len(self._slots):
            self._compact()

    def oldest(self) -> int | None:
        """Return the lowest id."""
        return next(iter(self._slots), None)

    def find(
        self, query: str, owners: frozenset[str], limit: int
    ) -> list[tuple[int, float]]:
        """Return ids with scores above 0 to 1, best first; of equals the newest."""
        scores: dict[int, float] = {}
        total, best = len(self._ids), 0.0
        for feature in set(features(query)):
            postings = self._postings.get(feature)
            known = 0 if postings is None else len(postings)
            weight = math.log(1 + (total - known + 0.5) / (known + 0.5))
            best += weight * (_K1 + 1)
            for posting in postings or ():
                count = posting & 255
                slot = posting >> 8
                scores[slot] = scores.get(slot, 0.0) + weight * (_K1 + 1) * count / (
                    count + _K1
                )
        ranked = nlargest(
            limit,
            (
                (min(score / best, 1.0), self._ids[slot])
                for slot, score in scores.items()
                if self._owners[slot] in owners and score > 0
            ),
        )
        return [(id_, score) for score, id_ in ranked]

    def _compact(self) -> None:
        """Forget the slots of rows that were erased."""
        new = {old: number for number, old in enumerate(self._slots.values())}
        self._ids = list(self._slots)
        self._owners = [self._owners[old] for old in new]
        self._slots = {id_: number for number, id_ in enumerate(self._ids)}
        kept: dict[str, array[int]] = {}
        for feature, postings in self._postings.items():
            left = array(
                "Q",
                (new[p >> 8] << 8 | p & 255 for p in postings if p >> 8 in new),
            )
            if left:
                kept[feature] = left
        self._postings = kept
