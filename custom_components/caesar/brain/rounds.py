"""One round of a provider: its message while it arrives, and nothing of half a one."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
import logging

from ..turn import ToolRequest
from .meter import written
from .provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ErrorKind,
    Provider,
    ProviderError,
    ProviderEvent,
    TextDelta,
    ThinkingDelta,
    VendorBlock,
)

_LOGGER = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Round:
    """One provider message while it arrives."""

    text: str = ""
    requests: list[ToolRequest] = field(default_factory=list)
    vendor: list[VendorBlock] = field(default_factory=list)
    completed: Completed | None = None

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
) -> AsyncGenerator[TextDelta]:
    """Collect one round into `round_`; yield its text as it comes.

    `remaining` is the turn's time in seconds. Raises ProviderError: nothing of a round
    that isn't complete may run.
    """
    async with aclosing(provider.stream(request)) as events:
        while (event := await _next(events, remaining())) is not None:
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
    events: AsyncGenerator[ProviderEvent], remaining: float
) -> ProviderEvent | None:
    """Return the next event within the turn's time; None at the end."""
    try:
        async with asyncio.timeout(remaining):
            return await anext(events, None)
    except TimeoutError as err:
        raise ProviderError(ErrorKind.TIMEOUT) from err
    except ProviderError:
        raise
    except Exception as err:
        # A fault in a provider must not leave a person without an answer.
        _LOGGER.exception("A provider met an unexpected error")
        raise ProviderError(ErrorKind.UNAVAILABLE) from err
