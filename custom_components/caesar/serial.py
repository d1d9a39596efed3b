"""Changes of the house, one at a time, whoever makes them."""

import asyncio
from collections.abc import Generator
from types import coroutine
from typing import Final

# A worker that takes a minute must not keep the lights waiting for as long.
MAX_HELD_S: Final = 10.0


class TurnOver:
    """Lets the next mutating call go: when the task ends or its time is over."""

    def __init__(self, lock: asyncio.Lock) -> None:
        """Own the lock, which is held."""
        self._lock = lock
        self._handed_on = False
        self._done = False

    def when_done(self, task: asyncio.Task[object], seconds: float) -> None:
        """Release it when the task ends, or after `seconds`, ten at the most."""
        self._handed_on = True
        timer = asyncio.get_running_loop().call_later(
            min(seconds, MAX_HELD_S), self._release
        )
        task.add_done_callback(lambda _: timer.cancel())
        task.add_done_callback(lambda _: self._release())

    def unless_handed_on(self) -> None:
        """Release it now, if no task has taken it over."""
        if not self._handed_on:
            self._release()

    def _release(self) -> None:
        if not self._done:
            self._done = True
            self._lock.release()


@coroutine
def others_first() -> Generator[None]:
    """Let all else on the loop run before the next piece of work.

    Each piece takes a fraction of a millisecond, several times that on a core that has
    just woken up.
    """
    yield
