"""One piece of the writer's work, and what its giver may still do about it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from enum import Enum, auto
import threading
from typing import Any

from .event import AuditRow, AuditUnavailable
from .store import Store


class _State(Enum):
    QUEUED = auto()
    TAKEN = auto()
    LATE = auto()
    WITHDRAWN = auto()
    DONE = auto()


class Ticket:
    """Work for the store. Its giver waits for `future`, and may withdraw it.

    `durable` asks for fdatasync, `keep` that it is written later if it can't be now,
    `alone` that it runs outside the common transaction.
    """

    def __init__(
        self,
        work: Callable[[Store], Any],
        *,
        durable: bool,
        keep: bool,
        alone: bool = False,
    ) -> None:
        """Hold the work; nothing runs yet."""
        self.work = work
        self.durable = durable
        self.keep = keep
        self.alone = alone
        self.future: Future[Any] = Future()
        self._state = _State.QUEUED
        self._lock = threading.Lock()

    def withdraw(self) -> bool:
        """Take it back; False if it is being written or is done.

        What is being written is concluded by the writer as soon as it is on disk.
        """
        with self._lock:
            if self._state is _State.TAKEN:
                self._state = _State.LATE
            if self._state is _State.QUEUED:
                self._state = _State.WITHDRAWN
            return self._state is _State.WITHDRAWN

    def take(self) -> bool:
        """Begin to write it; False if it was withdrawn."""
        with self._lock:
            if self._state is _State.WITHDRAWN:
                return False
            self._state = _State.TAKEN
            return True

    def finish(self, result: Any) -> int | None:
        """Tell the result; return the row's number if it came too late for anybody."""
        failure = isinstance(result, Exception)
        with self._lock:
            late = self._state is _State.LATE
            self._state = _State.DONE
            # What was kept for later has failed once already. Within the lock, so
            # that what can't be withdrawn any more has its result.
            if not self.future.done():
                if failure:
                    self.future.set_exception(_unavailable(result))
                else:
                    self.future.set_result(result)
        return result.seq if late and isinstance(result, AuditRow) else None

    def fail(self, reason: str) -> None:
        """Tell that it could not be written now."""
        self.finish(AuditUnavailable(reason))


def _unavailable(err: Exception) -> Exception:
    if isinstance(err, AuditUnavailable):
        return err
    unavailable = AuditUnavailable(f"{type(err).__name__}: {err}")
    unavailable.__cause__ = err
    return unavailable


def heard(future: asyncio.Future[Any]) -> None:
    """Take note of a failure that came after nobody waited."""
    if not future.cancelled():
        future.exception()
