"""Feeds the workers of a recall tool, in the background and a little at a time.

Each worker is fed under a run of its own. Whatever goes wrong ends the run: the next
feed begins anew under another one, and the worker drops what it had. So nothing that
was erased can stay behind in one that missed the message.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
import json
import logging
from typing import Final
from uuid import uuid4

from homeassistant.core import callback

from ..audit.event import AuditUnavailable
from ..legion.canonical import Json
from ..legion.errors import LegionError
from .recall_rows import Recalled, Source
from .worker_registry import Serving, WorkerRegistry

BATCH: Final = 200
# A message may have 256 KiB; JSON spells some letters out in six bytes.
BATCH_BYTES: Final = 131_072
ERASE_BATCH: Final = 2_000
# Between two batches: the trail's writer and the event loop have other things to do.
PAUSE_S: Final = 0.02

SETTLE_S: Final = 0.5

_LOGGER = logging.getLogger(__name__)

type Tell = Callable[[Serving, str, Mapping[str, Json]], Awaitable[Mapping[str, Json]]]


@dataclass(slots=True)
class _Run:
    """What one worker was fed: up to row `last`; `erase` is still to be told.

    `sent` is ahead of `last` while a feed is under way.
    """

    id: str = field(default_factory=lambda: uuid4().hex)
    last: int = 0
    sent: int = 0
    erase: list[int] = field(default_factory=list)
    told: bool = False


class RecallFeed:
    """Keeps the workers of one tool fed from one source."""

    def __init__(
        self,
        tool: str,
        source: Source,
        registry: WorkerRegistry,
        tell: Tell,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        """Feed with `tell`."""
        self._tool = tool
        self._source = source
        self._registry = registry
        self._tell = tell
        self._sleep = sleep
        self._runs: dict[str, _Run] = {}
        self._wake = asyncio.Event()

    @callback
    def async_listen(self) -> Callable[[], None]:
        """Follow workers and rows; return what ends that."""
        ends = (
            self._registry.listen(self._wake.set),
            self._source.listen(self._wake.set, self._went),
        )

        def end() -> None:
            for each in ends:
                each()

        return end

    def run_of(self, public_key: str) -> tuple[str, int]:
        """Return the run of a worker and the last row sent to it; empty if none was."""
        run = self._runs.get(public_key)
        return ("", 0) if run is None else (run.id, run.sent)

    @callback
    def async_lost(self, public_key: str) -> None:
        """Feed a worker anew that knows nothing of its feed: it has begun anew itself.

        Not one whose first message is still on its way.
        """
        if (run := self._runs.get(public_key)) is not None and run.told:
            del self._runs[public_key]
            self._wake.set()

    async def async_run(self) -> None:
        """Feed until cancelled."""
        while True:
            await self._wake.wait()
            if self._runs and not any(run.erase for run in self._runs.values()):
                # A turn is still writing its own rows, and others talk on. What was
                # erased waits for none of that.
                await self._sleep(SETTLE_S)
            self._wake.clear()
            for serving in self._registry.well(self._tool):
                try:
                    await self._feed(serving)
                except (LegionError, AuditUnavailable) as err:
                    self._runs.pop(serving.address.public_key, None)
                    _LOGGER.debug("%s could not be fed: %s", self._tool, err)

    async def _feed(self, serving: Serving) -> None:
        key = serving.address.public_key
        while True:
            run = self._runs.setdefault(key, _Run())
            rows = _bounded(await self._source.after(run.last, BATCH))
            erase, run.erase = run.erase[:ERASE_BATCH], run.erase[ERASE_BATCH:]
            if run.told and not rows and not erase:
                return
            last = run.sent = rows[-1].id if rows else run.last
            answer = await self._tell(
                serving,
                f"{self._tool}__feed",
                {
                    "run": run.id,
                    "after": run.last,
                    "rows": [[row.id, row.owner, row.kind, row.text] for row in rows],
                    "erase": list(erase),
                },
            )
            if self._runs.get(key) is not run:
                continue
            if answer.get("last") != last:
                # It began anew itself, or lost what it had. Not at once: it may do so
                # for ever.
                del self._runs[key]
                return
            run.last, run.told = last, True
            await self._sleep(PAUSE_S)

    @callback
    def _went(self, ids: Sequence[int] | None) -> None:
        if ids is None:
            self._runs.clear()
        else:
            for run in self._runs.values():
                run.erase += ids
        self._wake.set()


def _bounded(rows: Sequence[Recalled]) -> Sequence[Recalled]:
    """Return as many of the first rows as fit into a message."""
    left = BATCH_BYTES
    for number, row in enumerate(rows):
        left -= len(json.dumps(row.text)) + 100
        if left < 0:
            return rows[: max(number, 1)]
    return rows
