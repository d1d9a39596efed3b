"""The turn: a provider and the gate, round by round, until there are words.

Knows neither Home Assistant nor a vendor (DESIGN 10). A turn always ends in words, or
in a question to a person; then it is kept, and goes on from there (SPEC E).
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final, Protocol

from ..flight import error_of
from ..legion.spec import ToolSpec
from ..policy.reason import Code, Reason
from ..turn import ToolOutcome, Turn
from .calls import MAX_CALLS_A_TURN, Calls, Dispatcher, Slot
from .checkpoint import Answers, Checkpoint, Keeper, NoKeeper
from .meter import Meter, Room, Unmetered, metered
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
from .result import NO_USAGE, Finish, LoopEvent, Progress, RoundStarted, TurnResult
from .rounds import Round, stream

__all__ = ["Brain", "Finish", "Gate", "LoopEvent", "RoundStarted", "TurnResult"]

DEFAULT_ITERATIONS: Final = 5


class Gate(Dispatcher, Protocol):
    """The gate, as far as the loop knows it."""

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return what may be shown to a provider."""


@dataclass(slots=True, kw_only=True)
class _Course:
    """A turn with one provider: what was said, and how many rounds it took.

    `messages` begin with the history; the turn's own begin at `first`. `literal` is
    the provider's: then what is read taints nothing.
    """

    turn: Turn
    literal: bool
    messages: list[Message]
    first: int
    system: tuple[SystemBlock, ...]
    progress: Progress
    iteration: int = 0


class Brain:
    """Drives providers in their order: the first that understands has the turn."""

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
    ) -> None:
        """Stand on these; the clock is in seconds. Without a keeper nothing parks."""
        self._gate = gate
        self._providers = tuple(providers)
        self._clock = clock
        self._max_iterations = max_iterations or DEFAULT_ITERATIONS
        self._max_tokens = max_tokens
        self._keeper = keeper or NoKeeper()
        self._meter = meter or Unmetered()

    async def run(
        self,
        turn: Turn,
        text: str,
        *,
        history: Sequence[Message] = (),
        system: Sequence[SystemBlock] = (),
    ) -> AsyncGenerator[LoopEvent]:
        """Run a turn; the last event is its TurnResult."""
        progress = Progress()
        for provider in self._providers:
            progress.provider = provider.name
            course = _Course(
                turn=turn,
                literal=provider.traits.literal,
                messages=[*history, UserMessage(text=text)],
                first=len(history),
                system=tuple(system),
                progress=progress,
            )
            result: TurnResult | None = None
            async with aclosing(self._rounds(provider, course)) as events:
                async for event in events:
                    if isinstance(event, TurnResult):
                        result = event
                    else:
                        yield event
            if result is not None and result.finish is not Finish.NOT_UNDERSTOOD:
                yield result
                return
        yield progress.result(Finish.NOT_UNDERSTOOD)

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
        progress = Progress(
            provider=checkpoint.provider,
            model=checkpoint.model,
            text=checkpoint.said,
            outcomes=list(checkpoint.outcomes()),
            usage=checkpoint.usage,
            iterations=checkpoint.iterations,
        )
        named = (p for p in self._providers if p.name == checkpoint.provider)
        provider = next(named, None)
        course = _Course(
            turn=turn,
            literal=provider is not None and provider.traits.literal,
            messages=list(checkpoint.messages),
            first=checkpoint.first,
            system=tuple(system),
            progress=progress,
            iteration=checkpoint.iteration,
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
        if provider is None:
            yield progress.result(Finish.PROVIDER_ERROR, ErrorKind.UNAVAILABLE)
            return
        async with aclosing(self._rounds(provider, course)) as events:
            async for event in events:
                yield event

    async def _rounds(
        self, provider: Provider, course: _Course
    ) -> AsyncGenerator[LoopEvent]:
        """Run a provider's rounds up to the turn's end."""
        turn, progress = course.turn, course.progress
        local = provider.traits.local
        most = self._max_iterations
        if provider.traits.literal:
            # It does what was said and no more; the limit is for those who think.
            most = max(most, DEFAULT_ITERATIONS)
        tools = () if local else self._gate.offered(turn)
        if not course.literal:
            turn.taint |= turn.carried
        while course.iteration < most:
            course.iteration += 1
            last = course.iteration == most
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
                turn=turn,
            )
            yield RoundStarted()
            round_ = Round()
            try:
                async with aclosing(
                    stream(provider, request, round_, lambda: self._remaining(turn))
                ) as pieces:
                    async for piece in pieces:
                        yield piece
            except ProviderError as err:
                progress.text = round_.text or progress.text
                late = err.kind is ErrorKind.TIMEOUT and self._remaining(turn) <= 0
                yield progress.result(
                    Finish.TIMEOUT if late else Finish.PROVIDER_ERROR, err.kind
                )
                return
            finally:
                self._spend(request, round_, room)
            assert round_.completed is not None  # stream raises otherwise
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

    async def _calls(
        self,
        course: _Course,
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
            result = await self._park(course, slots)
            for outcome in calls.untold():
                yield outcome
            yield result
            return
        outcomes = _outcomes(slots)
        progress.outcomes += outcomes
        course.messages += [ToolResultMessage(outcome=outcome) for outcome in outcomes]
        for outcome in () if course.literal else outcomes:
            # Not before: these calls were written before any result was read.
            turn.taint |= outcome.taint

    async def _park(self, course: _Course, slots: Sequence[Slot]) -> TurnResult:
        """Keep the turn, and end it with the question. No text of a model after it."""
        turn, progress = course.turn, course.progress
        waiting = next(each for each in _outcomes(slots) if each.parked is not None)
        kept = await self._keeper.keep(
            Checkpoint(
                decision_id=turn.decision_id,
                caller=turn.caller,
                language=turn.language,
                session=turn.session,
                tools=turn.tools,
                provider=progress.provider,
                model=progress.model,
                messages=tuple(course.messages),
                first=course.first,
                calls=tuple(slot.kept() for slot in slots),
                iteration=course.iteration,
                iterations=progress.iterations,
                usage=progress.usage,
                said=progress.text,
                taint=frozenset(turn.taint),
                carried=turn.carried,
                actions=turn.actions,
                # What waits has not come of anything yet.
                seen={k: seen for k, seen in turn.seen.items() if not seen.parked},
                policy_rev=waiting.decision.policy.policy_rev
                if waiting.decision
                else "",
            )
        )
        if not kept:
            lost = error_of(Reason(code=Code.AUDIT_UNAVAILABLE))
            for slot in slots:
                if slot.outcome is not None and slot.parked is not None:
                    slot.outcome = replace(slot.outcome, parked=None, error=lost)
        progress.outcomes += _outcomes(slots)
        return replace(
            progress.result(Finish.PARKED if kept else Finish.ABANDONED),
            text="",
            parked=waiting.parked if kept else None,
        )

    def _spend(
        self, request: CompletionRequest, round_: Round, room: Room | None
    ) -> None:
        """Book what a round cost, however it ended, if anything came of it."""
        written, completed = round_.written(), round_.completed
        if room is not None and (written or completed is not None):
            used = completed.usage if completed is not None else NO_USAGE
            self._meter.spend(
                request.turn.caller.agent_id, metered(used, request, written), room
            )

    def _remaining(self, turn: Turn) -> float:
        return max(turn.deadline - self._clock(), 0)


def _end(round_: Round, completed: Completed) -> Finish | None:
    """Return how a round ends the turn; None if its calls come next."""
    if completed.stop is StopReason.NOT_UNDERSTOOD:
        return Finish.NOT_UNDERSTOOD
    if completed.stop is StopReason.REFUSAL:
        return Finish.REFUSAL
    return None if round_.requests else Finish.TEXT


def _outcomes(slots: Sequence[Slot]) -> list[ToolOutcome]:
    return [slot.outcome for slot in slots if slot.outcome is not None]
