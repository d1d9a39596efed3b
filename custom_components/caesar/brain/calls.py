"""The calls of one round on their way through the gate, up to a question.

Reads run side by side, all else one by one in the order given. At a call that waits
for a person the round stops: what comes after it is not started.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, Protocol

from ..policy.reason import Code
from ..turn import ToolOutcome, ToolRequest, Turn
from .checkpoint import Answered, Answers, ParkedCall, refused
from .provider import TextDelta

MAX_CALLS_A_ROUND: Final = 8
MAX_CALLS_A_TURN: Final = 20


class Dispatcher(Protocol):
    """The gate, as far as calls need it."""

    def is_read(self, name: str) -> bool:
        """Return whether a tool can't change anything."""

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        """Take a request the whole way."""

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        """Record a request that is not considered."""


@dataclass(slots=True, kw_only=True)
class Slot:
    """One call of the round; `outcome` is None until something came of it.

    `told` says that its outcome was yielded. One that waits for a person is told by
    the loop, once the turn is kept: a turn may be cancelled wherever it yields.
    """

    request: ToolRequest
    outcome: ToolOutcome | None = None
    told: bool = False

    @property
    def parked(self) -> str | None:
        """Return the id of the approval that the call waits for."""
        return self.outcome.parked if self.outcome is not None else None

    def kept(self) -> ParkedCall:
        """Return the call as a checkpoint holds it."""
        return ParkedCall(request=self.request, outcome=self.outcome)


class Calls:
    """Runs a round's calls, or what a parked turn has left of them."""

    def __init__(
        self,
        gate: Dispatcher,
        turn: Turn,
        slots: Sequence[Slot],
        *,
        room: int,
        answers: Answers,
        skip: bool = False,
    ) -> None:
        """Run at most `room` calls, with `skip` none at all.

        `answers` are those that a parked turn was resumed with.
        """
        self._gate = gate
        self._turn = turn
        self._slots = slots
        self._room = 0 if skip else min(room, MAX_CALLS_A_ROUND)
        self._answers = answers
        self._over = False
        self._reads: list[Slot] = []

    @property
    def parked(self) -> bool:
        """Return whether a call waits for a person."""
        return any(slot.parked is not None for slot in self._slots)

    def untold(self) -> Iterator[ToolOutcome]:
        """Yield the outcomes that were not yielded yet, in the order of the calls."""
        for slot in self._slots:
            if slot.outcome is not None and not slot.told:
                slot.told = True
                yield slot.outcome

    async def run(self) -> AsyncGenerator[ToolRequest | TextDelta | ToolOutcome]:
        """Run them; yield each call, what is said meanwhile, and each outcome.

        Not those that come with a question, and with nothing after them: see `untold`.
        """
        for number, slot in enumerate(self._slots):
            if slot.outcome is not None and slot.parked is None:
                continue
            if not self._may_wait(number, slot):
                async with aclosing(self._finish_reads()) as events:
                    async for event in events:
                        yield event
                if self._stopped(number):
                    return
            yield slot.request
            if self._may_wait(number, slot):
                self._reads.append(slot)
                continue
            async with aclosing(self._one(number, slot)) as events:
                async for event in events:
                    yield event
            if slot.parked is not None:
                return
        async with aclosing(self._finish_reads()) as events:
            async for event in events:
                yield event

    def _may_wait(self, number: int, slot: Slot) -> bool:
        """Return whether a call may run beside the reads that follow it."""
        return (
            slot.outcome is None
            and number < self._room
            and not self._over
            and self._gate.is_read(slot.request.name)
        )

    def _stopped(self, number: int) -> bool:
        """Return whether the round ends before a call: a question is open."""
        if any(slot.parked is not None for slot in self._slots[:number]):
            return True
        own = self._slots[number].parked
        return own is not None and own not in self._answers

    async def _one(
        self, number: int, slot: Slot
    ) -> AsyncGenerator[TextDelta | ToolOutcome]:
        """Run one call that nothing else may overlap."""
        slot.told = False
        if slot.outcome is not None:
            answer = self._answers[slot.outcome.parked or ""]
            if answer.approved is None:
                slot.outcome = refused(slot.outcome, answer)
                self._over = self._over or answer.lost
            else:
                async with aclosing(self._dispatch([slot], answer)) as texts:
                    async for said in texts:
                        yield said
        elif self._over:
            slot.outcome = await self._gate.skip(
                slot.request, self._turn, Code.CANCELLED
            )
        elif number >= self._room:
            slot.outcome = await self._gate.skip(
                slot.request, self._turn, Code.TOO_MANY_CALLS
            )
        else:
            async with aclosing(self._dispatch([slot])) as texts:
                async for said in texts:
                    yield said
        for outcome in () if self.parked else self.untold():
            yield outcome

    async def _finish_reads(self) -> AsyncGenerator[TextDelta | ToolOutcome]:
        """Run the reads that have come together; yield their outcomes in order."""
        reads, self._reads = self._reads, []
        if not reads:
            return
        async with aclosing(self._dispatch(reads)) as texts:
            async for said in texts:
                yield said
        for outcome in () if self.parked else self.untold():
            yield outcome

    async def _dispatch(
        self, slots: Sequence[Slot], answer: Answered | None = None
    ) -> AsyncGenerator[TextDelta]:
        """Take calls through the gate; yield what is said while that waits."""
        turn = self._turn
        if answer is not None and answer.approved is not None:
            # In hand for this one call only, whatever ids later calls have.
            turn.approved[slots[0].request.id] = answer.approved
        outcomes: list[list[ToolOutcome]] = []
        try:
            async with aclosing(
                _saying(
                    turn,
                    asyncio.create_task(self._side_by_side(slots)),
                    outcomes,
                )
            ) as said:
                async for text in said:
                    yield text
        finally:
            turn.approved.pop(slots[0].request.id, None)
        for slot, outcome in zip(slots, outcomes[0], strict=True):
            slot.outcome = outcome

    async def _side_by_side(self, slots: Sequence[Slot]) -> list[ToolOutcome]:
        return await asyncio.gather(
            *(self._gate.dispatch(slot.request, self._turn) for slot in slots)
        )


async def _saying[T](
    turn: Turn, work: asyncio.Task[T], result: list[T]
) -> AsyncGenerator[TextDelta]:
    """Wait for work, yield what is said meanwhile, and put what came of it there.

    Whoever waits for somebody else says so first (`turn.say`), and a person must hear
    that at once. Is the reader gone or cancelled, so is the work.
    """
    said: list[str] = []
    news = asyncio.Event()

    def say(text: str) -> None:
        said.append(text)
        news.set()

    before, turn.say = turn.say, say
    work.add_done_callback(lambda _: news.set())
    try:
        while not (work.done() and not said):
            await news.wait()
            news.clear()
            while said:
                yield TextDelta(text=said.pop(0))
        result.append(work.result())
    finally:
        turn.say = before
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
