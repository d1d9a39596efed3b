"""Which decisions are being written down at the moment. Pure."""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager


class Noting:
    """Lets those who go on with a decision wait until it is in the trail.

    They hear of it when it is on the disk, which is before that.
    """

    def __init__(self) -> None:
        """Start with nothing decided."""
        self._open: Counter[str] = Counter()
        self._noted = asyncio.Event()

    @contextmanager
    def of(self, approval_ids: Collection[str]) -> Iterator[None]:
        """Decide these and note it; before the end of that nobody goes on."""
        self._open.update(approval_ids)
        try:
            yield
        finally:
            self._open -= Counter(approval_ids)
            self._noted.set()
            self._noted = asyncio.Event()

    async def done(self, approval_id: str) -> None:
        """Wait until what is decided about a question just now is noted."""
        while self._open[approval_id] > 0:
            await self._noted.wait()
