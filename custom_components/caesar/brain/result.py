"""How a turn goes and how it ends: what the loop tells its edge."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ..legion.canonical import Json
from ..turn import ToolOutcome, ToolRequest
from .provider import Completed, ErrorKind, TextDelta, Usage
from .rounds import Round

NO_USAGE: Final = Usage()


class Finish(StrEnum):
    """How a turn ended.

    PARKED waits for a person; EXPIRED and INTERRUPTED are parked turns whose answer
    never came or whose call was cut off, ABANDONED one that could not be kept or read.
    MISSHAPEN is a task whose answer never had the shape that was asked for.
    """

    TEXT = "text"
    CAP = "cap"
    TIMEOUT = "timeout"
    NOT_UNDERSTOOD = "not_understood"
    REFUSAL = "refusal"
    PROVIDER_ERROR = "provider_error"
    QUOTA = "quota"
    PARKED = "parked"
    EXPIRED = "expired"
    INTERRUPTED = "interrupted"
    ABANDONED = "abandoned"
    MISSHAPEN = "misshapen"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """A provider begins a new message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenOff:
    """A brain failed and another takes over: what it said is no answer.

    The next RoundStarted begins anew; what was called and came of it stands.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """A brain that failed in a turn, or was passed over: `rested`, it failed before."""

    provider: str
    model: str = ""
    kind: ErrorKind
    rested: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """How a turn went. `text` is empty when the edge must find the words.

    `error` says why the last provider failed; `brain` is what people call that one,
    and `fallbacks` are all that failed. `usage` sums up all rounds. `parked` is the id
    of the approval that the turn waits for: not for a model. `again` says that the
    answer asks something back, `question` what, if a brain understands short answers.
    """

    text: str
    finish: Finish
    outcomes: tuple[ToolOutcome, ...] = ()
    provider: str = ""
    model: str = ""
    usage: Usage = NO_USAGE
    iterations: int = 0
    error: ErrorKind | None = None
    parked: str | None = None
    brain: str = ""
    fallbacks: tuple[Fallback, ...] = ()
    again: bool = False
    question: Mapping[str, Json] | None = None


type LoopEvent = (
    RoundStarted | BrokenOff | TextDelta | ToolRequest | ToolOutcome | TurnResult
)


@dataclass(slots=True, kw_only=True)
class Progress:
    """What has happened in this turn so far."""

    provider: str = ""
    model: str = ""
    text: str = ""
    outcomes: list[ToolOutcome] = field(default_factory=list)
    usage: Usage = NO_USAGE
    iterations: int = 0
    brain: str = ""
    fallbacks: list[Fallback] = field(default_factory=list)
    again: bool = False
    question: Mapping[str, Json] | None = None

    def result(self, finish: Finish, error: ErrorKind | None = None) -> TurnResult:
        """Return how the turn went, if it ends now."""
        return TurnResult(
            text=self.text,
            finish=finish,
            outcomes=tuple(self.outcomes),
            provider=self.provider,
            model=self.model,
            usage=self.usage,
            iterations=self.iterations,
            error=error,
            brain=self.brain,
            fallbacks=tuple(self.fallbacks),
            again=self.again and finish is Finish.TEXT,
            question=self.question if finish is Finish.TEXT else None,
        )

    def book(self, round_: Round, completed: Completed) -> None:
        """Add a whole round."""
        self.usage += completed.usage
        self.iterations += 1
        self.model = completed.model or self.model
        self.text = round_.text.strip() or self.text
        self.again = round_.again
        self.question = completed.question
