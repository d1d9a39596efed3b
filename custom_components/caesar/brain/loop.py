"""The turn: a provider and the gate, round by round, until there are words.

Knows neither Home Assistant nor a vendor (DESIGN 10). A turn always ends in words, or
in a question to a person; then it is kept, and goes on from there (SPEC E).
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
import math
from typing import Final, Protocol

from ..legion.canonical import Json
from ..legion.spec import ToolSpec
from ..policy.reason import Code
from ..turn import ToolOutcome, Turn
from .calls import MAX_CALLS_A_TURN, Calls, Dispatcher, Slot
from .chain import Course, Link, link_of, relay
from .checkpoint import Answers, Checkpoint, Keeper, NoKeeper
from .meter import Meter, ModelCall, Room, Unmetered, metered
from .parking import outcomes_of, park
from .provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ErrorKind,
    Message,
    Provider,
    ProviderError,
    StopReason,
    SystemBlock,
    TextDelta,
    ToolChoice,
    ToolResultMessage,
    UserMessage,
)
from .result import (
    NO_USAGE,
    BrokenOff,
    Fallback,
    Finish,
    LoopEvent,
    Progress,
    RoundStarted,
    TurnResult,
)
from .rounds import Round, stream

__all__ = [
    "Brain",
    "BrokenOff",
    "Fallback",
    "Finish",
    "Gate",
    "LoopEvent",
    "RoundStarted",
    "TurnResult",
]

DEFAULT_ITERATIONS: Final = 5


class Gate(Dispatcher, Protocol):
    """The gate, as far as the loop knows it."""

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return what may be shown to a provider."""


class Brain:
    """Drives providers in their order: the first that understands has the turn.

    One that fails hands it to the next, as far as it has come.
    """

    def __init__(
        self,
        *,
        gate: Gate,
        providers: Sequence[Provider],
        clock: Callable[[], float],
        max_iterations: int = DEFAULT_ITERATIONS,
        max_tokens: int = 1024,
        keeper: Keeper | None = None,
        meter: Meter | None = None,
        answer_schema: Mapping[str, Json] | None = None,
    ) -> None:
        """Stand on these; the clock is in seconds. Without a keeper nothing parks."""
        self._answer_schema = answer_schema
        self._gate = gate
        self._links = tuple(map(link_of, providers))
        self._clock = clock
        self._max_iterations = max_iterations or DEFAULT_ITERATIONS
        self._max_tokens = max_tokens
        self._keeper = keeper or NoKeeper()
        self._meter = meter or Unmetered()

    async def run(
        self,
        turn: Turn,
        said: str | UserMessage,
        *,
        history: Sequence[Message] = (),
        system: Sequence[SystemBlock] = (),
    ) -> AsyncGenerator[LoopEvent]:
        """Run a turn; the last event is its TurnResult."""
        course = Course(
            turn=turn,
            messages=[*history, UserMessage.of(said)],
            first=len(history),
            system=tuple(system),
            progress=Progress(),
        )
        chain = relay(course, self._links, self._rounds, self._clock())
        async with aclosing(chain) as events:
            async for event in events:
                yield event

    async def resume(
        self,
        checkpoint: Checkpoint,
        turn: Turn,
        answers: Answers,
        *,
        system: Sequence[SystemBlock] = (),
    ) -> AsyncGenerator[LoopEvent]:
        """Go on with a parked turn; the last event is its TurnResult.

        The kept calls run first, exactly as they were written; only then is the
        provider asked again. If nobody answered in time, or nobody knows what came of
        the call, the turn just ends: its moment is over.
        """
        named = self._kept(checkpoint)
        progress = Progress(
            provider=checkpoint.provider,
            model=checkpoint.model,
            brain=named.title if named is not None else "",
            text=checkpoint.said,
            outcomes=list(checkpoint.outcomes()),
            usage=checkpoint.usage,
            iterations=checkpoint.iterations,
        )
        course = Course(
            turn=turn,
            messages=list(checkpoint.messages),
            first=checkpoint.first,
            system=tuple(system),
            progress=progress,
            iteration=checkpoint.iteration,
            brain=named,
        )
        slots = [
            Slot(request=c.request, outcome=c.outcome, told=c.outcome is not None)
            for c in checkpoint.calls
        ]
        async with aclosing(self._calls(course, slots, answers)) as events:
            async for event in events:
                yield event
                if isinstance(event, TurnResult):
                    return
        if lost := next((a for a in answers.values() if a.lost), None):
            expired = lost.code is Code.APPROVAL_EXPIRED
            finish = Finish.EXPIRED if expired else Finish.INTERRUPTED
            yield replace(progress.result(finish), text="")
            return
        after = self._links.index(named) if named is not None else 0
        able = [
            link
            for link in self._links[after:]
            if link is named or not link.traits.literal
        ]
        chain = relay(course, able, self._rounds, self._clock())
        async with aclosing(chain) as events:
            async for event in events:
                yield event

    def _kept(self, checkpoint: Checkpoint) -> Link | None:
        """Return the brain whose turn was parked; None if the agent has it no more."""
        same = [link for link in self._links if link.name == checkpoint.provider]
        by_key = (link for link in same if link.key == checkpoint.brain)
        return next(by_key, next(iter(same), None))

    async def _rounds(
        self, link: Link, course: Course, follows: Callable[[], bool]
    ) -> AsyncGenerator[LoopEvent]:
        """Run a brain's rounds up to the turn's end, or until it fails.

        `follows` says whether another could take over now.
        """
        turn, progress = course.turn, course.progress
        local = link.traits.local
        most = self._max_iterations
        if link.traits.literal:
            # It does what was said and no more; the limit is for those who think.
            most = max(most, DEFAULT_ITERATIONS)
        tools = () if local else self._gate.offered(turn)
        if not course.literal:
            turn.taint |= turn.carried
        while course.iteration < most:
            last = course.iteration + 1 == most
            room = None if local else await self._meter.room(turn.caller.agent_id)
            if room is None and not local:
                yield progress.result(Finish.QUOTA)
                return
            request = CompletionRequest(
                system=course.system,
                messages=tuple(course.messages),
                tools=tools,
                tool_choice=ToolChoice.NONE if last else ToolChoice.AUTO,
                max_tokens=self._max_tokens,
                answer_schema=self._answer_schema,
                turn=turn,
            )
            yield RoundStarted()
            round_, started = Round(), self._clock()
            try:
                async with aclosing(
                    self._pieces(link, request, round_, follows)
                ) as pieces:
                    async for piece in pieces:
                        yield piece
            except ProviderError as err:
                round_.error = err.kind
                yield self._broken(link, course, round_, err, follows=follows())
                return
            finally:
                call = self._call(link, course, request, round_, started)
                self._book(call, room)
            assert round_.completed is not None  # stream raises otherwise
            course.iteration += 1
            progress.book(round_, round_.completed)
            if (finish := _end(round_, round_.completed)) is not None:
                yield progress.result(finish)
                return
            course.messages.append(round_.message())
            slots = [Slot(request=request) for request in round_.requests]
            async with aclosing(self._calls(course, slots, {}, skip=last)) as events:
                async for event in events:
                    yield event
                    if isinstance(event, TurnResult):
                        return
        yield progress.result(Finish.CAP)

    async def _pieces(
        self,
        link: Link,
        request: CompletionRequest,
        round_: Round,
        follows: Callable[[], bool],
    ) -> AsyncGenerator[TextDelta]:
        """Yield a round's text as it comes. Raises ProviderError."""
        async with aclosing(
            stream(
                link,
                request,
                round_,
                lambda: self._remaining(request.turn),
                link.patience_s if follows() else math.inf,
            )
        ) as pieces:
            async for piece in pieces:
                yield piece
        if follows() and round_.is_empty:
            raise ProviderError(ErrorKind.CUT, "The answer was empty")
        link.answered()

    def _broken(
        self,
        link: Link,
        course: Course,
        round_: Round,
        error: ProviderError,
        *,
        follows: bool,
    ) -> TurnResult:
        """Return how a turn ends whose brain failed, if nobody takes over."""
        progress = course.progress
        late = error.kind is ErrorKind.TIMEOUT and self._remaining(course.turn) <= 0
        if late or not follows:
            progress.text = round_.text or progress.text
        if late:
            return progress.result(Finish.TIMEOUT, error.kind)
        link.failed(error, self._clock())
        progress.fallbacks.append(link.fallback(error.kind))
        return progress.result(Finish.PROVIDER_ERROR, error.kind)

    async def _calls(
        self,
        course: Course,
        slots: Sequence[Slot],
        answers: Answers,
        *,
        skip: bool = False,
    ) -> AsyncGenerator[LoopEvent]:
        """Run a round's calls. A TurnResult at the end says that the turn is parked."""
        progress, turn = course.progress, course.turn
        calls = Calls(
            self._gate,
            turn,
            slots,
            room=MAX_CALLS_A_TURN - len(progress.outcomes),
            answers=answers,
            skip=skip,
        )
        # What is said while a call waits stands apart from the model's own words.
        last = course.messages[-1]
        written = isinstance(last, AssistantMessage) and bool(last.text) and not answers
        async with aclosing(calls.run()) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    yield TextDelta(text=f"\n\n{event.text}") if written else event
                    written = True
                else:
                    yield event
                    written = written and not isinstance(event, ToolOutcome)
        if calls.parked:
            result = await park(course, slots, self._keeper)
            for outcome in calls.untold():
                yield outcome
            yield result
            return
        outcomes = outcomes_of(slots)
        progress.outcomes += outcomes
        course.messages += [ToolResultMessage(outcome=outcome) for outcome in outcomes]
        for outcome in () if course.literal else outcomes:
            # Not before: these calls were written before any result was read.
            turn.taint |= outcome.taint

    def _call(
        self,
        link: Link,
        course: Course,
        request: CompletionRequest,
        round_: Round,
        started: float,
    ) -> ModelCall:
        """Return a round as it is counted, however it ended."""
        written, completed = round_.written(), round_.completed
        used = completed.usage if completed is not None else NO_USAGE
        came = bool(written) or completed is not None
        usage = metered(used, request, written) if came else NO_USAGE
        return ModelCall(
            turn=request.turn,
            provider=link.name,
            model=(completed.model if completed else "") or link.model,
            iteration=course.progress.iterations + 1,
            usage=usage,
            estimated=usage is not used,
            seconds=self._clock() - started,
            tools=len(request.tools),
            stop=completed.stop if completed is not None else None,
            error=round_.error,
            prices=link.prices,
        )

    def _book(self, call: ModelCall, room: Room | None) -> None:
        """Count a round that needed room, and what it cost if anything came of it."""
        if room is None:
            return
        if call.usage != NO_USAGE:
            self._meter.spend(call.turn.caller.agent_id, call.usage, room)
        self._meter.called(call)

    def _remaining(self, turn: Turn) -> float:
        return max(turn.deadline - self._clock(), 0)


def _end(round_: Round, completed: Completed) -> Finish | None:
    """Return how a round ends the turn; None if its calls come next."""
    if completed.stop is StopReason.NOT_UNDERSTOOD:
        return Finish.NOT_UNDERSTOOD
    if completed.stop is StopReason.REFUSAL:
        return Finish.REFUSAL
    return None if round_.requests else Finish.TEXT
