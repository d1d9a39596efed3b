"""semantic_recall: ids and scores of rows that mean what a question means.

Words are indexed at once. Vectors come in the background; until all are there, or
while nobody makes any, rows are found by their words, and the answer says so.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
import logging
from typing import ClassVar, Final

from ...canonical import Json
from ...environment import Environment
from ...worker import Task, TaskError, Worker
from .embedders import Embedder, EmbedderError
from .fed import Feeding, Row
from .settings import read
from .specs import FEED, SEMANTIC_RECALL, TRY, messages
from .vectors import VectorIndex, new_vectors
from .words import WordIndex

WAIT_S: Final = 5.0
WAIT_MAX_S: Final = 300.0
# How long a question waits for its own vector.
QUERY_S: Final = 4.0

_LOGGER = logging.getLogger(__name__)


class SpokenRows:
    """The rows by their words, and by their vectors where somebody makes those."""

    def __init__(self, embedder: Embedder | None) -> None:
        """Have vectors made by `embedder`; None: find by words only."""
        self._embedder = embedder
        self.words = WordIndex()
        self.vectors = VectorIndex()
        # What has no vector yet; words are kept no longer than until it has.
        self.waiting: OrderedDict[int, Row] = OrderedDict()
        self.arrived = asyncio.Event()

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.words)

    def clear(self) -> None:
        """Drop all."""
        self.words.clear()
        self.vectors.clear()
        self.waiting.clear()

    def add(self, row: Row) -> None:
        """Keep a row; one without words is never waited for."""
        self.words.add(row.id, row.owner, row.text)
        if self._embedder is not None and row.text.strip():
            self.waiting[row.id] = row
            self.arrived.set()

    def erase(self, id_: int) -> None:
        """Drop a row."""
        self.words.erase(id_)
        self.vectors.erase(id_)
        self.waiting.pop(id_, None)

    def oldest(self) -> int | None:
        """Return the lowest id."""
        return self.words.oldest()


class SemanticRecall(Worker):
    """Finds rows by meaning, else by words."""

    tools = (SEMANTIC_RECALL,)
    messages: ClassVar = messages(SEMANTIC_RECALL.name)

    def __init__(self, embedder: Embedder | None) -> None:
        """Have vectors made by `embedder`; None: find by words only."""
        self._embedder = embedder
        self._rows = SpokenRows(embedder)
        self._feeding = Feeding(self._rows)
        self._making: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin to have vectors made."""
        if self._embedder is not None:
            self._making = asyncio.create_task(self._make_vectors(self._embedder))

    async def stop(self) -> None:
        """End that."""
        if self._making is not None:
            self._making.cancel()
            with suppress(asyncio.CancelledError):
                await self._making
        if self._embedder is not None:
            await self._embedder.close()

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Take a feed, or answer with ids and scores."""
        if task.tool.endswith(FEED):
            taken = self._feeding.take(task.input)
            return taken | {"waiting": len(self._rows.waiting)}
        if task.tool.endswith(TRY):
            return await self._try()
        given = task.input
        if given.get("run") != self._feeding.run:
            return {"fed": False, "found_by": "words", "hits": []}
        owners, limit = given["owners"], given["limit"]
        assert isinstance(owners, list)
        assert isinstance(limit, int)
        found_by, hits = await self._find(
            str(given.get("query", "")), frozenset(map(str, owners)), limit
        )
        return {"fed": True, "found_by": found_by, "hits": [list(hit) for hit in hits]}

    async def _try(self) -> Mapping[str, Json]:
        """Have one vector made of a word that is nobody's."""
        if self._embedder is None:
            return {"found_by": "words"}
        try:
            (vector,) = await self._embedder.embed(["boiler"])
        except EmbedderError as err:
            raise TaskError(err.message, code=err.code) from err
        return {"found_by": "meaning", "size": len(vector)}

    async def _find(
        self, query: str, owners: frozenset[str], limit: int
    ) -> tuple[str, Sequence[tuple[int, float]]]:
        vector = await self._vector_of(query)
        if vector is not None:
            return "meaning", self._rows.vectors.find(vector, owners, limit)
        return "words", self._rows.words.find(query, owners, limit)

    async def _vector_of(self, query: str) -> Sequence[float] | None:
        """Return a question's vector; None if it can't be compared with all rows."""
        if self._embedder is None or self._rows.waiting:
            return None
        try:
            async with asyncio.timeout(QUERY_S):
                (vector,) = await self._embedder.embed([query])
        except (EmbedderError, TimeoutError):
            return None
        if not self._rows.vectors.fits(vector):
            # The server has another model now: no vector of the old one counts.
            self._feeding.start_over()
            return None
        return vector

    async def _make_vectors(self, embedder: Embedder) -> None:
        # The package behind it takes its time to load.
        await asyncio.to_thread(new_vectors, 1)
        wait = WAIT_S
        while True:
            await self._rows.arrived.wait()
            self._rows.arrived.clear()
            while self._rows.waiting:
                batch = list(self._rows.waiting.values())[: embedder.batch]
                try:
                    await self._embed(embedder, batch)
                    wait = WAIT_S
                except EmbedderError as err:
                    _LOGGER.warning("No vectors were made: %s", err)
                    await asyncio.sleep(wait)
                    wait = min(wait * 2, WAIT_MAX_S)

    async def _embed(self, embedder: Embedder, batch: Sequence[Row]) -> None:
        try:
            vectors = await embedder.embed([row.text for row in batch])
        except EmbedderError as err:
            if not err.refused:
                raise
            if len(batch) == 1:
                # It would hold up all others for ever; its words still find it.
                self._rows.waiting.pop(batch[0].id, None)
                return
            for row in batch:
                await self._embed(embedder, [row])
            return
        for row, vector in zip(batch, vectors, strict=True):
            # It may have been erased, or all been dropped, meanwhile.
            if self._rows.waiting.get(row.id) is not row:
                continue
            if not self._rows.vectors.fits(vector):
                self._feeding.start_over()
                return
            del self._rows.waiting[row.id]
            self._rows.vectors.add(row.id, row.owner, vector)


def create(environment: Environment) -> Worker:
    """Make the worker from its settings. Raises SettingsError, ImportError."""
    return SemanticRecall(read(environment))
