"""Finding by meaning: vectors of one model and one size, compared one by one."""

from array import array
from collections.abc import Sequence, Set as AbstractSet
from heapq import nlargest
from importlib import import_module
from importlib.util import find_spec
import math
from types import ModuleType
from typing import Any, Final, Protocol

# Few enough to stay in a processor's cache, and for numpy to begin no threads: with
# 8,192 at a time the same question took five times as much of the processor.
_CHUNK: Final = 1_024
_NOBODY: Final = -1


class Vectors(Protocol):
    """Vectors of unit length by their slot, each with the number of whose it is."""

    size: int

    def put(self, slot: int, owner: int, vector: Sequence[float]) -> None:
        """Keep one in a slot: one that was blanked, or the next after all others."""

    def blank(self, slot: int) -> None:
        """Overwrite one with zeros; it is nobody's then."""

    def best(
        self, query: Sequence[float], owners: AbstractSet[int], limit: int
    ) -> Sequence[tuple[int, float]]:
        """Return slots of these owners with their cosines above 0, in any order."""


class PlainVectors:
    """Without packages; 100,000 of 256 numbers take a third of a second."""

    def __init__(self, size: int) -> None:
        """Keep vectors of that size."""
        self.size = size
        self._all = array("f")
        self._owners = array("q")

    def put(self, slot: int, owner: int, vector: Sequence[float]) -> None:
        """Keep one."""
        start = slot * self.size
        self._all[start : start + self.size] = array("f", vector)
        self._owners[slot : slot + 1] = array("q", [owner])

    def blank(self, slot: int) -> None:
        """Overwrite one."""
        self.put(slot, _NOBODY, [0.0] * self.size)

    def best(
        self, query: Sequence[float], owners: AbstractSet[int], limit: int
    ) -> Sequence[tuple[int, float]]:
        """Return the best of these owners."""
        size, every = self.size, self._all
        scored = (
            (slot, math.sumprod(every[slot * size : (slot + 1) * size], query))
            for slot, owner in enumerate(self._owners)
            if owner in owners
        )
        return nlargest(
            limit, (each for each in scored if each[1] > 0), key=lambda each: each[1]
        )


class NumpyVectors:
    """With numpy: half as much memory, and many times as fast."""

    def __init__(self, size: int, numpy: ModuleType) -> None:
        """Keep vectors of that size."""
        self.size = size
        # Without its types: not every host of a worker has it.
        self._np: Any = numpy
        self._chunks: list[tuple[Any, Any]] = []

    def put(self, slot: int, owner: int, vector: Sequence[float]) -> None:
        """Keep one."""
        number, row = divmod(slot, _CHUNK)
        if number == len(self._chunks):
            matrix = self._np.zeros((_CHUNK, self.size), self._np.float16)
            owners = self._np.full(_CHUNK, _NOBODY, self._np.int64)
            self._chunks.append((matrix, owners))
        matrix, owners = self._chunks[number]
        matrix[row] = vector
        owners[row] = owner

    def blank(self, slot: int) -> None:
        """Overwrite one."""
        self.put(slot, _NOBODY, [0.0] * self.size)

    def best(
        self, query: Sequence[float], owners: AbstractSet[int], limit: int
    ) -> Sequence[tuple[int, float]]:
        """Return the best of these owners; the vectors of others aren't looked at."""
        np = self._np
        wanted = np.asarray(query, np.float32)
        of = np.asarray(sorted(owners), np.int64)
        slots, scores = [], []
        for number, (matrix, whose) in enumerate(self._chunks):
            rows = np.flatnonzero(np.isin(whose, of))
            slots.append(rows + number * _CHUNK)
            chosen = matrix if len(rows) == _CHUNK else matrix[rows]
            scores.append(chosen.astype(np.float32) @ wanted)
        slot, score = np.concatenate(slots), np.concatenate(scores)
        if len(score) > limit:
            first = np.argpartition(score, -limit)[-limit:]
            slot, score = slot[first], score[first]
        good = score > 0
        return list(zip(slot[good].tolist(), score[good].tolist(), strict=True))


def new_vectors(size: int) -> Vectors:
    """Return the best way to keep vectors that there is here."""
    # Only now: who finds by words, or reads what the tool says of itself, needs none.
    if find_spec("numpy") is None:
        return PlainVectors(size)
    return NumpyVectors(size, import_module("numpy"))


class VectorIndex:
    """Vectors by the ids of their rows."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self.clear()

    def clear(self) -> None:
        """Drop all, the size of a vector too."""
        self._vectors: Vectors | None = None
        self._ids: list[int] = []
        self._slots: dict[int, int] = {}
        self._free: list[int] = []
        self._owners: dict[str, int] = {}

    def fits(self, vector: Sequence[float]) -> bool:
        """Return whether a vector has the size of the others."""
        return self._vectors is None or self._vectors.size == len(vector)

    def add(self, id_: int, owner: str, vector: Sequence[float]) -> None:
        """Keep a row's vector, which must fit."""
        if self._vectors is None:
            self._vectors = new_vectors(len(vector))
        if self._free:
            slot = self._free.pop()
            self._ids[slot] = id_
        else:
            slot = len(self._ids)
            self._ids.append(id_)
        self._slots[id_] = slot
        number = self._owners.setdefault(owner, len(self._owners))
        self._vectors.put(slot, number, unit(vector))

    def erase(self, id_: int) -> None:
        """Drop a row and its vector."""
        slot = self._slots.pop(id_, None)
        if slot is not None and self._vectors is not None:
            self._vectors.blank(slot)
            self._free.append(slot)

    def find(
        self, query: Sequence[float], owners: frozenset[str], limit: int
    ) -> list[tuple[int, float]]:
        """Return ids with scores above 0 to 1, best first."""
        numbers = {self._owners[each] for each in owners if each in self._owners}
        if self._vectors is None or not numbers:
            return []
        best = self._vectors.best(unit(query), numbers, limit)
        found = [(self._ids[slot], min(score, 1.0)) for slot, score in best]
        return sorted(found, key=lambda each: (-each[1], -each[0]))


def unit(vector: Sequence[float]) -> list[float]:
    """Return a vector in the same direction, of length one."""
    length = math.hypot(*vector) or 1.0
    return [number / length for number in vector]
