"""What is written of a turn when its answer is out: no slow disk delays an answer."""

import asyncio
from collections.abc import Callable, Coroutine
import logging
from typing import Any, Final

_LOGGER = logging.getLogger(__name__)

# On a disk that is well, all is written by then: a restart loses nothing.
GRACE_S: Final = 0.25
STOP_WAIT_S: Final = 10.0

type Spawn = Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]]


class Endings:
    """Runs what is left of turns to its end, whether or not anybody waits for it."""

    def __init__(self, spawn: Spawn) -> None:
        """Run in tasks that `spawn` makes, and that Home Assistant waits for."""
        self._spawn = spawn
        self._tasks: set[asyncio.Task[None]] = set()

    async def write(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin to write; wait for it, but for `GRACE_S` seconds at most."""
        task = self._spawn(work, "caesar turn's end")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.wait({task}, timeout=GRACE_S)

    async def async_stop(self) -> None:
        """Wait for what is still being written, ten seconds at most."""
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=STOP_WAIT_S)
        if late:
            _LOGGER.error("The end of %d turns could not be written", len(late))
