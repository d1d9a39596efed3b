"""Several brains for one agent: who is asked, who rests, and how a turn changes hands.

A brain that fails hands the turn on as it is: what was called and answered stays, so
that nothing is done twice. Pure: times are seconds of the turns' clock.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
import math
from typing import Final, Protocol

from ..repeats import is_read
from ..turn import Turn
from .prices import Prices
from .provider import (
    AssistantMessage,
    CompletionRequest,
    ErrorKind,
    Message,
    Provider,
    ProviderError,
    ProviderEvent,
    ProviderTraits,
    SystemBlock,
)
from .result import BrokenOff, Fallback, Finish, LoopEvent, Progress, TurnResult

# The first rest after a failure and the longest, in seconds; each further failure in a
# row doubles it. A request that was refused, or an answer that broke off, says nothing
# about the next one.
_RESTS: Final = {
    ErrorKind.AUTH: (300.0, 300.0),
    ErrorKind.QUOTA: (60.0, 900.0),
    ErrorKind.RATE: (10.0, 120.0),
    ErrorKind.OVERLOADED: (10.0, 120.0),
    ErrorKind.TIMEOUT: (30.0, 300.0),
    ErrorKind.UNAVAILABLE: (10.0, 300.0),
}
# A model that its server doesn't have won't be there in a moment.
_NO_MODEL: Final = (60.0, 300.0)
_LONGEST: Final = 900.0


class Rest:
    """How long a model is left alone after it failed.

    A dead one must not cost each turn its time-out. It ends by itself, at the first
    answer, and with the house: a new key loads that anew.
    """

    def __init__(self) -> None:
        """Start rested."""
        self._kind: ErrorKind | None = None
        self._failures = 0
        self.until = -math.inf

    def failed(self, error: ProviderError, now: float) -> None:
        """Begin a rest if the failure is one that lasts."""
        limits = _RESTS.get(error.kind)
        if error.kind is ErrorKind.REJECTED and error.param == "model":
            limits = _NO_MODEL
        if limits is None:
            return
        first, longest = limits
        self._failures = self._failures + 1 if error.kind is self._kind else 1
        self._kind = error.kind
        rest = min(first * 2 ** min(self._failures - 1, 10), longest)
        self.until = now + min(max(rest, error.retry_after or 0), _LONGEST)

    def answered(self) -> None:
        """End the rest: it is well."""
        self._kind, self._failures, self.until = None, 0, -math.inf

    def kind(self, now: float) -> ErrorKind | None:
        """Return why it rests; None if it doesn't."""
        return self._kind if now < self.until else None


class Watcher(Protocol):
    """Hears how a model does; neither may raise."""

    def failed(self, error: ProviderError) -> None:
        """Hear that it failed."""

    def answered(self) -> None:
        """Hear that a whole answer came."""


class Unwatched:
    """Nobody hears how a model does."""

    def failed(self, error: ProviderError) -> None:
        """Do nothing."""

    def answered(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Link:
    """A provider with its place in a chain; it is one itself.

    `key` tells it from others of its vendor, `title` is what people call it. Where
    another can take over, it has `patience_s` for the first piece of a round.
    """

    provider: Provider
    key: str
    title: str = ""
    patience_s: float = math.inf
    prices: Prices | None = None
    rest: Rest = field(default_factory=Rest)
    watcher: Watcher = field(default_factory=Unwatched)

    @property
    def name(self) -> str:
        """Return the short name that goes into the trail."""
        return self.provider.name

    @property
    def traits(self) -> ProviderTraits:
        """Return what it can do."""
        return self.provider.traits

    @property
    def model(self) -> str:
        """Return the model that is asked for; empty where there is none."""
        return str(self.traits.extra.get("model", ""))

    def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Run one round. Raises ProviderError."""
        return self.provider.stream(request)

    async def check(self) -> None:
        """Raise ProviderError unless credentials and server work."""
        await self.provider.check()

    async def close(self) -> None:
        """Let go of connections."""
        await self.provider.close()

    def failed(self, error: ProviderError, now: float) -> None:
        """Note a failure. A local brain has no rest: nothing outside it can be down."""
        if not self.traits.local:
            self.rest.failed(error, now)
            self.watcher.failed(error)

    def answered(self) -> None:
        """Note a whole answer."""
        if not self.traits.local:
            self.rest.answered()
            self.watcher.answered()

    def fallback(self, kind: ErrorKind, *, rested: bool = False) -> Fallback:
        """Return what a turn keeps of its failure."""
        return Fallback(provider=self.name, model=self.model, kind=kind, rested=rested)


def link_of(provider: Provider) -> Link:
    """Return a provider as a link of a chain."""
    if isinstance(provider, Link):
        return provider
    return Link(provider=provider, key=provider.name)


def awake(
    links: Sequence[Link], now: float
) -> tuple[tuple[Link, ...], tuple[Fallback, ...]]:
    """Return whom a turn asks, in order, and who is passed over because it rests.

    If every model rests, the one whose rest ends first is asked: a person who waits
    for an answer is better off with a try.
    """
    resting = {
        link.key: kind for link in links if (kind := link.rest.kind(now)) is not None
    }
    models = [link for link in links if not link.traits.local]
    if models and all(link.key in resting for link in models):
        del resting[min(models, key=lambda link: link.rest.until).key]
    return (
        tuple(link for link in links if link.key not in resting),
        tuple(
            link.fallback(resting[link.key], rested=True)
            for link in links
            if link.key in resting
        ),
    )


@dataclass(slots=True, kw_only=True)
class Course:
    """A turn on its way: what was said, whose it is, and how many rounds it took.

    `messages` begin with the history; the turn's own begin at `first`, with a person's
    words. `brain` is who has the turn; None before the first.
    """

    turn: Turn
    messages: list[Message]
    first: int
    system: tuple[SystemBlock, ...]
    progress: Progress
    iteration: int = 0
    brain: Link | None = None

    @property
    def literal(self) -> bool:
        """Return whether what is read taints nothing (see `ProviderTraits`)."""
        return self.brain is not None and self.brain.traits.literal

    @property
    def changed(self) -> bool:
        """Return whether a call of this turn may have changed something."""
        return any(
            outcome.executed and not is_read(outcome)
            for outcome in self.progress.outcomes
        )

    def may_go_to(self, link: Link) -> bool:
        """Return whether a brain can have the turn from here.

        A literal one knows a person's words only: it would begin them again, and do
        again what was done.
        """
        return link is self.brain or not link.traits.literal or not self.changed

    def give_to(self, link: Link) -> None:
        """Hand the turn to a brain."""
        if link is self.brain:
            return
        progress = self.progress
        progress.provider, progress.model = link.name, link.model
        progress.brain = link.title
        if link.traits.literal:
            del self.messages[self.first + 1 :]
            self.iteration = 0
        else:
            if self.literal:
                self.iteration = 0
            for outcome in progress.outcomes:
                # A model reads now what may have tainted nothing before: nobody knows
                # whether a brain that is gone since the turn was parked was literal.
                self.turn.taint |= outcome.taint
        self.messages[self.first :] = [
            replace(message, vendor=())
            if isinstance(message, AssistantMessage)
            else message
            for message in self.messages[self.first :]
        ]
        self.brain = link


type Rounds = Callable[[Link, Course, Callable[[], bool]], AsyncGenerator[LoopEvent]]
"""Runs a brain's rounds; the last event is a TurnResult. The third argument says
whether another could take over at that moment."""


async def relay(
    course: Course, links: Sequence[Link], rounds: Rounds, now: float
) -> AsyncGenerator[LoopEvent]:
    """Go from brain to brain until one has an answer; the last event is the result."""
    progress = course.progress
    asked, passed = awake(links, now)
    progress.fallbacks += passed
    left = list(asked)

    def follows() -> bool:
        return any(map(course.may_go_to, left))

    ended: TurnResult | None = None
    while left:
        link = left.pop(0)
        if not course.may_go_to(link):
            continue
        course.give_to(link)
        result: TurnResult | None = None
        async with aclosing(rounds(link, course, follows)) as events:
            async for event in events:
                if isinstance(event, TurnResult):
                    result = event
                else:
                    yield event
        assert result is not None  # rounds always end with one
        if result.finish is Finish.NOT_UNDERSTOOD:
            continue
        ended = result
        # The day's limit is the agent's: it lets none but the built-in brain work.
        if result.finish not in (Finish.PROVIDER_ERROR, Finish.QUOTA):
            break
        if follows():
            yield BrokenOff()
    if ended is not None:
        # That a literal brain didn't understand says nothing about why.
        yield replace(ended, fallbacks=tuple(progress.fallbacks))
    elif asked:
        yield progress.result(Finish.NOT_UNDERSTOOD)
    else:
        yield progress.result(Finish.PROVIDER_ERROR, ErrorKind.UNAVAILABLE)
