"""Names in a policy file, looked up when it is loaded (DESIGN 5).

A name that means nobody, or several, is an error with the candidates: the pure side
only ever sees ids.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class NameKind(StrEnum):
    """What a name in a policy file can be the name of."""

    USER = "user"
    AREA = "area"
    DEVICE = "device"
    AGENT = "agent"
    PIN = "pin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Something that has a name: its id, and the name that a person reads."""

    id: str
    name: str


class Directory(Protocol):
    """Who and what exists in this house, by name. A snapshot; answers at once."""

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return what has this id or this name (case and outer spaces don't count).

        An id matches alone, before any name.
        """

    def names(self, kind: NameKind) -> Iterable[str]:
        """Return all names of a kind, for a did-you-mean."""


@dataclass(frozen=True, slots=True)
class EmptyDirectory:
    """The directory of nobody: no name means anything."""

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return nothing."""
        return ()

    def names(self, kind: NameKind) -> Iterable[str]:
        """Return nothing."""
        return ()
