"""A parked turn while it goes on, in a task that no other turn can cancel.

Whoever answered in a conversation may follow it; if nobody does, or the reader goes
away, the end is delivered instead. One of both gets it, never both.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Final

from ..brain.loop import LoopEvent
from .report import TurnReport

# How long the conversation that answered has to begin to read.
ATTACH_S: Final = 5.0


class Resumed:
    """The events of a resumed turn, kept until somebody has read or delivered them."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self._events: list[LoopEvent | TurnReport] = []
        self._changed = asyncio.Event()
        self._done = False
        self._readers = 0
        self._had_reader = False
        self.told = False

    async def play(
        self, events: AsyncIterator[LoopEvent | TurnReport]
    ) -> TurnReport | None:
        """Run the turn to its end; return its report."""
        report: TurnReport | None = None
        async for event in events:
            if isinstance(event, TurnReport):
                report = event
            self.add(event)
        return report

    def add(self, event: LoopEvent | TurnReport) -> None:
        """Put an event before the readers."""
        self._events.append(event)
        self._wake()

    def end(self) -> None:
        """Let readers go, whether or not there was a report."""
        self._done = True
        self._wake()

    async def read(self) -> AsyncGenerator[LoopEvent | TurnReport]:
        """Yield all events from the first on, as they come."""
        self._readers += 1
        self._had_reader = True
        self._wake()
        try:
            position = 0
            while True:
                while position < len(self._events):
                    event = self._events[position]
                    position += 1
                    # The reader has it from here on.
                    self.told = self.told or isinstance(event, TurnReport)
                    yield event
                if self._done:
                    return
                await self._change()
        finally:
            self._readers -= 1
            self._wake()

    async def was_read(self, *, expected: bool) -> bool:
        """Wait for the readers of a turn that is over; return whether one got the end.

        `expected` says that a reader is on its way: it gets `ATTACH_S` seconds.
        """
        if expected and not self._had_reader:
            with suppress(TimeoutError):
                async with asyncio.timeout(ATTACH_S):
                    while not self._had_reader:
                        await self._change()
        while self._readers and not self.told:
            await self._change()
        return self.told

    async def _change(self) -> None:
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
