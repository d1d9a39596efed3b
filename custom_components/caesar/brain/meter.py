"""What a day's model calls may cost: asked before a round, told after it (SPEC H)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

from ..legion.canonical import canonical_json
from ..turn import ToolRequest, Turn
from .prices import Prices
from .provider import (
    AssistantMessage,
    CompletionRequest,
    ErrorKind,
    Message,
    StopReason,
    ToolResultMessage,
    Usage,
    UserMessage,
)

_CHARS_A_TOKEN: Final = 4
# A picture of Anthropic's largest size; the text of a document's page or two.
_TOKENS_A_FILE: Final = 1600


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Leave for one round. `day` is the UTC day it is booked on: that of its start."""

    day: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One round of a model that isn't local, however it ended.

    `usage` is what was reported, or an estimate if `estimated` says so; all zero if
    nothing came. `tools` counts those that were offered, `seconds` is how long it took.
    Either `stop` or `error` says how it ended; neither, if it was broken off.
    """

    turn: Turn
    provider: str
    model: str
    iteration: int
    usage: Usage
    estimated: bool
    seconds: float
    tools: int
    stop: StopReason | None = None
    error: ErrorKind | None = None
    prices: Prices | None = None

    @property
    def cost(self) -> float | None:
        """Return what it cost in the house's currency; None without a price."""
        return None if self.prices is None else self.prices.cost(self.usage)


class Meter(Protocol):
    """Counts the tokens of an agent by UTC day.

    Only for providers that aren't local: those are free, and work with the day's
    limit used up too.
    """

    async def room(self, agent_id: str) -> Room | None:
        """Return leave for one more round; None when the day's limit is used up."""

    def spend(self, agent_id: str, usage: Usage, room: Room) -> None:
        """Book what a round cost, on the day it began. Never raises."""

    def called(self, call: ModelCall) -> None:
        """Hear of a round, whatever came of it. Never raises."""


class Unmetered:
    """The meter of a house that counts nothing."""

    async def room(self, agent_id: str) -> Room | None:
        """Return leave."""
        return Room(day="")

    def spend(self, agent_id: str, usage: Usage, room: Room) -> None:
        """Book nothing."""

    def called(self, call: ModelCall) -> None:
        """Keep nothing."""


def total(usage: Usage) -> int:
    """Return all tokens of a usage: input, output, and what a cache read or wrote."""
    return (
        usage.input_tokens
        + usage.output_tokens
        + usage.cache_read_tokens
        + usage.cache_write_tokens
    )


def written(call: ToolRequest) -> str:
    """Return a call as text, for an estimate of its cost; whatever a model wrote."""
    try:
        return f"{call.name}{call.raw or call.arguments}"
    except RecursionError, ValueError:
        # Nested too deep, or a number too long, to be written out; the gate refuses it
        # for the same reason.
        return call.name


def metered(usage: Usage, request: CompletionRequest, answer: str) -> Usage:
    """Return the usage that was reported, else an estimate: a token per 4 characters.

    `answer` is all that came of the round, its calls' arguments too. A server that
    reports nothing must not make a limit meaningless (SPEC H-3); so a round that broke
    off after its first piece is booked by this estimate as well.
    """
    if total(usage):
        return usage
    asked = sum(len(block.text) for block in request.system)
    asked += sum(
        len(tool.name) + len(tool.description) + len(canonical_json(tool.input_schema))
        for tool in request.tools
    )
    asked += sum(len(text) for text in _texts(request.messages))
    asked += _CHARS_A_TOKEN * _TOKENS_A_FILE * _files(request.messages)
    return Usage(input_tokens=_tokens(asked), output_tokens=_tokens(len(answer)))


def _tokens(chars: int) -> int:
    return -(-chars // _CHARS_A_TOKEN)


def _files(messages: Iterable[Message]) -> int:
    return sum(len(m.attachments) for m in messages if isinstance(m, UserMessage))


def _texts(messages: Iterable[Message]) -> Iterable[str]:
    for message in messages:
        match message:
            case UserMessage():
                yield message.text
            case AssistantMessage():
                yield message.text
                yield from map(written, message.requests)
            case ToolResultMessage():
                outcome = message.outcome
                yield canonical_json(outcome.data)
                yield outcome.error.message if outcome.error else ""
