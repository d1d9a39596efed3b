"""What drives a turn: a model's API, or the built-in brain. One Protocol for all."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from ..legion.canonical import Json
from ..legion.spec import ToolSpec
from ..turn import ToolOutcome, ToolRequest, Turn


class ToolChoice(StrEnum):
    """Whether a provider may call tools in this round."""

    AUTO = "auto"
    NONE = "none"


class StopReason(StrEnum):
    """Why a provider stopped."""

    END = "end"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    NOT_UNDERSTOOD = "not_understood"


class ErrorKind(StrEnum):
    """Why a provider failed."""

    AUTH = "auth"
    QUOTA = "quota"
    RATE = "rate"
    OVERLOADED = "overloaded"
    TIMEOUT = "timeout"
    REJECTED = "rejected"
    UNAVAILABLE = "unavailable"
    CUT = "cut"


class ProviderError(Exception):
    """A provider failed; nothing of the round may run.

    `retry_after` is in seconds, `param` names a refused request parameter.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str = "",
        *,
        retry_after: float | None = None,
        param: str | None = None,
    ) -> None:
        """Keep what the loop needs to react."""
        super().__init__(message or kind.value)
        self.kind = kind
        self.retry_after = retry_after
        self.param = param


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlock:
    """A part of the system prompt; stable ones make up the cacheable prefix."""

    text: str
    stable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A picture or a document that goes with a person's words; kept nowhere.

    `name` is a file's name without its folders.
    """

    media_type: str
    data: bytes = field(repr=False)
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """What a person said, and what came with it."""

    text: str
    attachments: tuple[Attachment, ...] = ()

    @classmethod
    def of(cls, said: str | UserMessage) -> UserMessage:
        """Return the message that is nothing but a text, or this one."""
        return cls(text=said) if isinstance(said, str) else said


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta:
    """A piece of a model's thinking; never shown, never kept."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorBlock:
    """Something only its own provider understands; handed back in later rounds."""

    provider: str
    data: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one round, or of several, as the provider reports them."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, more: Usage) -> Usage:
        """Return both together."""
        return Usage(
            input_tokens=self.input_tokens + more.input_tokens,
            output_tokens=self.output_tokens + more.output_tokens,
            cache_read_tokens=self.cache_read_tokens + more.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + more.cache_write_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """Always the last event; a stream without it is a failed round.

    `again` says that the answer asks something back: of the built-in brain alone. A
    model says so by a mark (`listening.py`). `question` is what it asks, for the brain
    to whom the next message may be the answer (`Turn.question`).
    """

    stop: StopReason
    usage: Usage = Usage()
    model: str = ""
    again: bool = False
    question: Mapping[str, Json] | None = None


type ProviderEvent = TextDelta | ThinkingDelta | ToolRequest | VendorBlock | Completed


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """One round's answer: text, calls and vendor blocks in the order they came."""

    text: str = ""
    requests: tuple[ToolRequest, ...] = ()
    vendor: tuple[VendorBlock, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultMessage:
    """The outcome of one call, as it is: each provider words it for its model."""

    outcome: ToolOutcome


type Message = UserMessage | AssistantMessage | ToolResultMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """One round: what the provider gets.

    `answer_schema` is a JSON schema of an object: a server that can is told to answer
    with nothing but such an object. What comes is checked by whoever asked for it.
    """

    system: tuple[SystemBlock, ...]
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: ToolChoice = ToolChoice.AUTO
    max_tokens: int = 1024
    answer_schema: Mapping[str, Json] | None = None
    turn: Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderTraits:
    """What a provider can do; `local` ones cost nothing and leave no house.

    A `literal` one writes its calls from the person's words and from numbers, never
    from text that it has read; so what it reads taints no turn of it (ADR-0012).
    `attachments` are the most bytes of one file by its media type; others it takes not.
    """

    local: bool = False
    literal: bool = False
    streaming: bool = True
    attachments: Mapping[str, int] = field(default_factory=dict)
    extra: Mapping[str, Json] = field(default_factory=dict)


class Provider(Protocol):
    """One model API, or the built-in brain."""

    @property
    def name(self) -> str:
        """Return the short name that goes into the trail."""

    @property
    def traits(self) -> ProviderTraits:
        """Return what it can do."""

    def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Run one round. Raises ProviderError."""

    async def check(self) -> None:
        """Raise ProviderError unless credentials and server work."""

    async def close(self) -> None:
        """Let go of connections."""
