"""An event loop whose time stands still until it is moved."""

import asyncio
from collections.abc import Coroutine
import selectors
from typing import Any, Final

# A proof that spins for ever must end.
_MOST_ROUNDS: Final = 20_000


class _Instant(selectors.SelectSelector):
    """Never waits: nothing outside of the loop takes part."""

    def select(
        self, timeout: float | None = None
    ) -> list[tuple[selectors.SelectorKey, int]]:
        """Look, and go on."""
        return []


class Clockwork(asyncio.SelectorEventLoop):
    """Runs until nothing is left to do now; `pass_time` moves its clock."""

    def __init__(self) -> None:
        """Start at a time of its own."""
        self._now = 1_000.0
        super().__init__(_Instant())
        self.set_exception_handler(lambda _loop, _context: None)

    def time(self) -> float:
        """Return seconds."""
        return self._now

    def settle(self) -> None:
        """Run all that can run at this moment."""
        for _ in range(_MOST_ROUNDS):
            self.call_soon(self.stop)
            self.run_forever()
            if not self._ready and not self._due():  # type: ignore[attr-defined]  # no public way to see that nothing is left
                return
        raise RuntimeError("the house never comes to rest")

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and each thing happen at its own time."""
        end = self._now + seconds
        while True:
            self.settle()
            following = self._next()
            if following is None or following > end:
                break
            self._now = max(self._now, following)
        self._now = end
        self.settle()

    def run[T](self, work: Coroutine[Any, Any, T]) -> T:
        """Run something that ends at this moment, and return what comes of it."""
        task = self.create_task(work)
        self.settle()
        return task.result()

    def _due(self) -> bool:
        following = self._next()
        return following is not None and following <= self._now

    def _next(self) -> float | None:
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]  # no public way to see the next timer
        return min(
            (each.when() for each in timers if not each.cancelled()), default=None
        )
