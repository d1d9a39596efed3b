"""The turn: a provider and the gate, round by round, until there are words.

Knows neither Home Assistant nor a vendor (DESIGN 10). A turn always ends in words.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
import logging
from typing import Final, Protocol

from ..legion.spec import ToolSpec
from ..policy.reason import Code
from ..turn import ToolOutcome, ToolRequest, Turn
from .provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ErrorKind,
    Message,
    Provider,
    ProviderError,
    ProviderEvent,
    StopReason,
    SystemBlock,
    TextDelta,
    ThinkingDelta,
    ToolChoice,
    ToolResultMessage,
    Usage,
    UserMessage,
    VendorBlock,
)

_LOGGER = logging.getLogger(__name__)

DEFAULT_ITERATIONS: Final = 5
NO_USAGE: Final = Usage()
MAX_CALLS_A_ROUND: Final = 8
MAX_CALLS_A_TURN: Final = 20


class Gate(Protocol):
    """The gate, as far as the loop knows it."""

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return what may be shown to a provider."""

    def is_read(self, name: str) -> bool:
        """Return whether a tool can't change anything."""

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        """Take a request the whole way."""

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        """Record a request that is not considered."""


class Finish(StrEnum):
    """How a turn ended."""

    TEXT = "text"
    CAP = "cap"
    TIMEOUT = "timeout"
    NOT_UNDERSTOOD = "not_understood"
    REFUSAL = "refusal"
    PROVIDER_ERROR = "provider_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """A provider begins a new message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """How a turn went. `text` is empty when the edge must find the words.

    `error` says why a provider failed; `usage` sums up all rounds.
    """

    text: str
    finish: Finish
    outcomes: tuple[ToolOutcome, ...] = ()
    provider: str = ""
    model: str = ""
    usage: Usage = NO_USAGE
    iterations: int = 0
    error: ErrorKind | None = None


type LoopEvent = RoundStarted | TextDelta | ToolRequest | ToolOutcome | TurnResult


@dataclass(slots=True, kw_only=True)
class _Progress:
    """What has happened in this turn so far."""

    provider: str = ""
    model: str = ""
    text: str = ""
    outcomes: list[ToolOutcome] = field(default_factory=list)
    usage: Usage = NO_USAGE
    iterations: int = 0

    def result(self, finish: Finish, error: ErrorKind | None = None) -> TurnResult:
        return TurnResult(
            text=self.text,
            finish=finish,
            outcomes=tuple(self.outcomes),
            provider=self.provider,
            model=self.model,
            usage=self.usage,
            iterations=self.iterations,
            error=error,
        )


@dataclass(slots=True, kw_only=True)
class _Round:
    """One provider message while it arrives."""

    text: str = ""
    requests: list[ToolRequest] = field(default_factory=list)
    vendor: list[VendorBlock] = field(default_factory=list)
    completed: Completed | None = None

    def message(self) -> AssistantMessage:
        return AssistantMessage(
            text=self.text, requests=tuple(self.requests), vendor=tuple(self.vendor)
        )


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
    ) -> None:
        """Stand on these; the clock is in seconds."""
        self._gate = gate
        self._providers = tuple(providers)
        self._clock = clock
        self._max_iterations = max_iterations or DEFAULT_ITERATIONS
        self._max_tokens = max_tokens

    async def run(
        self,
        turn: Turn,
        text: str,
        *,
        history: Sequence[Message] = (),
        system: Sequence[SystemBlock] = (),
    ) -> AsyncIterator[LoopEvent]:
        """Run a turn; the last event is its TurnResult."""
        progress = _Progress()
        messages: list[Message] = [*history, UserMessage(text=text)]
        for provider in self._providers:
            progress.provider = provider.name
            result: TurnResult | None = None
            async for event in self._run_provider(
                provider, turn, list(messages), tuple(system), progress
            ):
                if isinstance(event, TurnResult):
                    result = event
                else:
                    yield event
            if result is not None and result.finish is not Finish.NOT_UNDERSTOOD:
                yield result
                return
        yield progress.result(Finish.NOT_UNDERSTOOD)

    async def _run_provider(
        self,
        provider: Provider,
        turn: Turn,
        messages: list[Message],
        system: tuple[SystemBlock, ...],
        progress: _Progress,
    ) -> AsyncIterator[LoopEvent]:
        tools = self._gate.offered(turn) if not provider.traits.local else ()
        for iteration in range(1, self._max_iterations + 1):
            last = iteration == self._max_iterations
            request = CompletionRequest(
                system=system,
                messages=tuple(messages),
                tools=tools,
                tool_choice=ToolChoice.NONE if last else ToolChoice.AUTO,
                max_tokens=self._max_tokens,
                turn=turn,
            )
            yield RoundStarted()
            round_ = _Round()
            try:
                async for piece in self._stream(provider, request, round_):
                    yield piece
            except ProviderError as err:
                progress.text = round_.text or progress.text
                late = err.kind is ErrorKind.TIMEOUT and self._remaining(turn) <= 0
                yield progress.result(
                    Finish.TIMEOUT if late else Finish.PROVIDER_ERROR, err.kind
                )
                return
            completed = self._book(progress, round_)
            if completed.stop is StopReason.NOT_UNDERSTOOD:
                yield progress.result(Finish.NOT_UNDERSTOOD)
                return
            if completed.stop is StopReason.REFUSAL:
                yield progress.result(Finish.REFUSAL)
                return
            if not round_.requests:
                yield progress.result(Finish.TEXT)
                return
            messages.append(round_.message())
            async for event in self._run_calls(round_, turn, progress, skip=last):
                yield event
                if isinstance(event, ToolOutcome):
                    messages.append(ToolResultMessage(outcome=event))
        yield progress.result(Finish.CAP)

    async def _stream(
        self, provider: Provider, request: CompletionRequest, round_: _Round
    ) -> AsyncIterator[TextDelta]:
        """Collect one round; nothing of a round that isn't complete may run."""
        async with aclosing(provider.stream(request)) as events:
            while (event := await self._next(events, request.turn)) is not None:
                match event:
                    case TextDelta():
                        round_.text += event.text
                        yield event
                    case ToolRequest():
                        round_.requests.append(event)
                    case VendorBlock():
                        round_.vendor.append(event)
                    case Completed():
                        round_.completed = event
                    case ThinkingDelta():
                        pass
        if round_.completed is None:
            raise ProviderError(ErrorKind.CUT)

    async def _next(
        self, events: AsyncGenerator[ProviderEvent], turn: Turn
    ) -> ProviderEvent | None:
        """Return the next event within the turn's time; None at the end."""
        try:
            async with asyncio.timeout(self._remaining(turn)):
                return await anext(events, None)
        except TimeoutError as err:
            raise ProviderError(ErrorKind.TIMEOUT) from err
        except ProviderError:
            raise
        except Exception as err:
            # A fault in a provider must not leave a person without an answer.
            _LOGGER.exception("A provider met an unexpected error")
            raise ProviderError(ErrorKind.UNAVAILABLE) from err

    def _book(self, progress: _Progress, round_: _Round) -> Completed:
        completed = round_.completed
        assert completed is not None  # _stream raises otherwise
        used, more = progress.usage, completed.usage
        progress.usage = Usage(
            input_tokens=used.input_tokens + more.input_tokens,
            output_tokens=used.output_tokens + more.output_tokens,
            cache_read_tokens=used.cache_read_tokens + more.cache_read_tokens,
            cache_write_tokens=used.cache_write_tokens + more.cache_write_tokens,
        )
        progress.iterations += 1
        progress.model = completed.model or progress.model
        progress.text = round_.text.strip() or progress.text
        return completed

    async def _run_calls(
        self, round_: _Round, turn: Turn, progress: _Progress, *, skip: bool
    ) -> AsyncIterator[ToolRequest | ToolOutcome]:
        """Run a round's calls: reads side by side, all else one by one, in order."""
        waiting: list[ToolRequest] = []
        for number, request in enumerate(round_.requests):
            yield request
            room = MAX_CALLS_A_TURN - len(progress.outcomes) - len(waiting)
            if skip or number >= MAX_CALLS_A_ROUND or room <= 0:
                outcome = await self._gate.skip(request, turn, Code.TOO_MANY_CALLS)
                for done in (*await self._side_by_side(waiting, turn), outcome):
                    progress.outcomes.append(done)
                    yield done
                waiting = []
            elif self._gate.is_read(request.name):
                waiting.append(request)
            else:
                for done in await self._side_by_side(waiting, turn):
                    progress.outcomes.append(done)
                    yield done
                waiting = []
                outcome = await self._gate.dispatch(request, turn)
                progress.outcomes.append(outcome)
                yield outcome
        for done in await self._side_by_side(waiting, turn):
            progress.outcomes.append(done)
            yield done

    async def _side_by_side(
        self, requests: Sequence[ToolRequest], turn: Turn
    ) -> Sequence[ToolOutcome]:
        return await asyncio.gather(
            *(self._gate.dispatch(request, turn) for request in requests)
        )

    def _remaining(self, turn: Turn) -> float:
        return max(turn.deadline - self._clock(), 0)
