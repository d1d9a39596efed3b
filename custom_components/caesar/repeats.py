"""Identical calls within one turn: a read is answered once, a change made once."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from .policy.call import ToolCall, args_hash
from .policy.decision import Verdict
from .policy.impact import Impact
from .turn import ToolOutcome, Turn


class Repeats:
    """Knows which calls of a turn have run or are running (`Turn.seen`)."""

    def __init__(self) -> None:
        """Start with none running."""
        # By the turn itself: one that is resumed goes on where another has ended.
        self._running: dict[tuple[int, str], asyncio.Future[None]] = {}

    async def first(
        self, turn: Turn, call: ToolCall, *, reads: bool
    ) -> ToolOutcome | None:
        """Return what came of the same call before; None if this is the first.

        With `reads` one that is still running is waited for.
        """
        hashed = args_hash(call)
        while reads and (running := self._running.get((id(turn), hashed))):
            await asyncio.shield(running)
        return turn.seen.get(hashed)

    def is_running(self, turn: Turn, call: ToolCall) -> bool:
        """Return whether the same call of this turn is on its way."""
        return (id(turn), args_hash(call)) in self._running

    @contextmanager
    def running(self, turn: Turn, call: ToolCall) -> Iterator[None]:
        """Let those wait who ask the same meanwhile."""
        key = (id(turn), args_hash(call))
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._running[key] = done
        try:
            yield
        finally:
            if self._running.get(key) is done:
                del self._running[key]
            done.set_result(None)

    def remember(self, turn: Turn, call: ToolCall, outcome: ToolOutcome) -> None:
        """Keep what came of a call, unless it may be tried once more.

        After a change, what was read before is no answer any more.
        """
        decision, error = outcome.decision, outcome.error
        if decision and decision.verdict is Verdict.ALLOW and not is_read(outcome):
            for hashed in [key for key, seen in turn.seen.items() if is_read(seen)]:
                del turn.seen[hashed]
        if error is None or not error.retryable or outcome.executed:
            turn.seen[args_hash(call)] = outcome


def is_read(outcome: ToolOutcome) -> bool:
    """Return whether the call that this came of could change nothing."""
    decision = outcome.decision
    return decision is not None and decision.policy.impact is Impact.READ
