"""recall_memory: ids of the newest rows; the house has their words."""

from collections.abc import Mapping
from typing import ClassVar

from ...canonical import Json
from ...environment import Environment
from ...worker import Task, Worker
from .fed import Feeding, Row
from .specs import FEED, RECALL_MEMORY, TRY, messages


class NewestRows:
    """Whose each row is and of what kind, in the order of the ids."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._rows: dict[int, tuple[str, str]] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._rows)

    def clear(self) -> None:
        """Drop all."""
        self._rows.clear()

    def add(self, row: Row) -> None:
        """Keep a row."""
        self._rows[row.id] = (row.owner, row.kind)

    def erase(self, id_: int) -> None:
        """Drop a row."""
        self._rows.pop(id_, None)

    def oldest(self) -> int | None:
        """Return the lowest id."""
        return next(iter(self._rows), None)

    def find(self, owners: frozenset[str], kind: str | None, limit: int) -> list[int]:
        """Return the newest ids of these owners."""
        found: list[int] = []
        for id_ in reversed(self._rows):
            owner, its_kind = self._rows[id_]
            if owner in owners and kind in (None, its_kind):
                found.append(id_)
                if len(found) == limit:
                    break
        return found


class RecallMemory(Worker):
    """Knows in which order things happened."""

    tools = (RECALL_MEMORY,)
    messages: ClassVar = messages(RECALL_MEMORY.name)

    def __init__(self) -> None:
        """Know nothing yet."""
        self._rows = NewestRows()
        self._feeding = Feeding(self._rows)

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Take a feed, or answer with ids."""
        if task.tool.endswith(FEED):
            return self._feeding.take(task.input)
        if task.tool.endswith(TRY):
            return {"found_by": "time"}
        given = task.input
        if given.get("run") != self._feeding.run:
            return {"fed": False, "hits": []}
        owners, kind, limit = given["owners"], given.get("kind"), given["limit"]
        assert isinstance(owners, list)
        assert isinstance(limit, int)
        ids = self._rows.find(
            frozenset(map(str, owners)), None if kind is None else str(kind), limit
        )
        return {"fed": True, "hits": [[id_, 1.0] for id_ in ids]}


def create(_environment: Environment) -> Worker:
    """Make the worker; it has no settings."""
    return RecallMemory()
