"""One round of a provider: its message while it arrives, and nothing of half a one."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
import logging
import math

from ..turn import ToolRequest
from .listening import MarkCutter
from .meter import written
from .provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ErrorKind,
    Provider,
    ProviderError,
    ProviderEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
    VendorBlock,
)

_LOGGER = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Round:
    """One provider message while it arrives; `error` says why it broke off.

    `marked` says that the mark for listening again ended it.
    """

    text: str = ""
    marked: bool = False
    requests: list[ToolRequest] = field(default_factory=list)
    vendor: list[VendorBlock] = field(default_factory=list)
    completed: Completed | None = None
    error: ErrorKind | None = None

    @property
    def again(self) -> bool:
        """Return whether the message asks something back, as its brain says."""
        return self.marked or bool(self.completed and self.completed.again)

    @property
    def is_empty(self) -> bool:
        """Return whether a whole message says nothing and asks for nothing."""
        said_nothing = not (self.text.strip() or self.requests)
        return (
            said_nothing
            and self.completed is not None
            and self.completed.stop is StopReason.END
        )

    def message(self) -> AssistantMessage:
        """Return the whole message, as the provider gets it back."""
        return AssistantMessage(
            text=self.text, requests=tuple(self.requests), vendor=tuple(self.vendor)
        )

    def written(self) -> str:
        """Return all that came, for an estimate of its cost."""
        return self.text + "".join(map(written, self.requests))


async def stream(
    provider: Provider,
    request: CompletionRequest,
    round_: Round,
    remaining: Callable[[], float],
    patience: float = math.inf,
) -> AsyncGenerator[TextDelta]:
    """Collect one round into `round_`; yield its text as it comes.

    `remaining` is the turn's time in seconds, `patience` the time for the first piece.
    The mark for listening again is no text: nobody after this sees one.
    Raises ProviderError: nothing of a round that isn't complete may run.
    """
    limit = patience
    cutter = MarkCutter()
    async with aclosing(provider.stream(request)) as events:
        while (event := await _next(events, min(remaining(), limit))) is not None:
            limit = math.inf
            match event:
                case TextDelta():
                    if text := cutter.feed(event.text):
                        round_.text += text
                        yield TextDelta(text=text)
                case ToolRequest():
                    round_.requests.append(event)
                case VendorBlock():
                    round_.vendor.append(event)
                case Completed():
                    round_.completed = event
                case ThinkingDelta():
                    pass
    if text := cutter.rest():
        round_.text += text
        yield TextDelta(text=text)
    if round_.completed is None:
        raise ProviderError(ErrorKind.CUT)
    # A literal brain repeats what tools say, and has a flag of its own.
    round_.marked = cutter.at_end and not provider.traits.literal


async def _next(
    events: AsyncGenerator[ProviderEvent], remaining: float
) -> ProviderEvent | None:
    """Return the next event within some seconds; None at the end."""
    try:
        async with asyncio.timeout(None if math.isinf(remaining) else remaining):
            return await anext(events, None)
    except TimeoutError as err:
        raise ProviderError(ErrorKind.TIMEOUT) from err
    except ProviderError:
        raise
    except Exception as err:
        # A fault in a provider must not leave a person without an answer.
        _LOGGER.exception("A provider met an unexpected error")
        raise ProviderError(ErrorKind.UNAVAILABLE) from err
