"""Rows as the house feeds them, and the order in which they may come.

A feed names its run: what was fed under another one is dropped first, so a house that
lost count, or could not have something erased, just begins anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from ...canonical import Json
from ...worker import TaskError

MAX_TEXT: Final = 2_000
MAX_ROWS: Final = 200_000
START_OVER: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the house: its id, whose it is (a tag), its kind, what it says."""

    id: int
    owner: str
    kind: str
    text: str


class Rows(Protocol):
    """What is kept of the rows."""

    def clear(self) -> None:
        """Drop all."""

    def add(self, row: Row) -> None:
        """Keep a row; its id is higher than all before."""

    def erase(self, id_: int) -> None:
        """Drop a row, if it is there."""

    def oldest(self) -> int | None:
        """Return the lowest id."""

    def __len__(self) -> int:
        """Return how many there are."""


class Feeding:
    """Takes feeds in their order."""

    def __init__(self, rows: Rows) -> None:
        """Feed these rows."""
        self._rows = rows
        self.run = ""
        self.last = 0

    def start_over(self) -> None:
        """Drop all; the house begins anew with its next feed."""
        self.run, self.last = "", 0
        self._rows.clear()

    def take(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Take a feed; `last` is the id from which the house goes on.

        Raises TaskError if it holds what is no row.
        """
        after = given["after"]
        if given["run"] != self.run:
            if after != 0:
                return {"last": START_OVER, "rows": len(self._rows)}
            self.start_over()
            self.run = str(given["run"])
        if after != self.last:
            return {"last": START_OVER, "rows": len(self._rows)}
        rows = given["rows"]
        assert isinstance(rows, list)
        for row in map(_row, rows):
            if row.id > self.last:
                self._rows.add(row)
                self.last = row.id
        # Last: a row may be erased while the message that brings it is on its way.
        erase = given["erase"]
        assert isinstance(erase, list)
        for id_ in erase:
            if isinstance(id_, int):
                self._rows.erase(id_)
        while len(self._rows) > MAX_ROWS:
            oldest = self._rows.oldest()
            assert oldest is not None
            self._rows.erase(oldest)
        return {"last": self.last, "rows": len(self._rows)}


def _row(given: Json) -> Row:
    match given:
        case [int(id_), str(owner), str(kind), str(text)] if len(text) <= MAX_TEXT:
            return Row(id=id_, owner=owner, kind=kind, text=text)
    raise TaskError("A row is not as rows are.", code="bad_row")
