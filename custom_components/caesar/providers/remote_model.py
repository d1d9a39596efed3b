"""What the providers of all models at a server share, whoever its vendor."""

from abc import ABC, abstractmethod
import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
import logging
from typing import Any, ClassVar, Final

import httpx

from ..brain.provider import CompletionRequest, ErrorKind, ProviderError, ProviderTraits
from ..legion.spec import ToolSpec
from ..wording import one_line
from .tool_offer import Tools

_LOGGER = logging.getLogger(__name__)

# Of the HTTP client, and of parsers: a server may send anything.
_FAILURES: Final = (httpx.HTTPError, TimeoutError, ValueError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """What every provider needs to know; times are in seconds.

    `silence_s` bounds the wait for the first and for each next event, `total_s` a
    whole round.
    """

    model: str
    connect_s: float = 10
    silence_s: float = 60
    total_s: float = 120

    @property
    def http_limits(self) -> httpx.Timeout:
        """Return the HTTP client's limits, a second line behind our own deadline."""
        return httpx.Timeout(self.silence_s, connect=self.connect_s)


class RemoteModel[S: ModelSettings](ABC):
    """One model at a server: its name, its tools and its limits on time.

    `provider` is the short name that goes into the trail, `attachments` the files that
    may go with words, as in `ProviderTraits`.
    """

    provider: ClassVar[str]
    attachments: ClassVar[Mapping[str, int]]

    def __init__(self, settings: S, *sdk_failures: type[Exception]) -> None:
        """Take the settings, and what the SDK may raise beside `_FAILURES`."""
        self._settings = settings
        self._failures: tuple[type[Exception], ...] = (*_FAILURES, *sdk_failures)
        self._closed = False
        self._reported: set[str] = set()
        # The rounds of a turn have the same tools.
        self._specs: tuple[ToolSpec, ...] = ()
        self._built: Tools[Any] = Tools()

    @property
    def name(self) -> str:
        """Return the short name that goes into the trail."""
        return self.provider

    @property
    def traits(self) -> ProviderTraits:
        """Return what it can do."""
        return ProviderTraits(
            attachments=self.attachments, extra={"model": self._settings.model}
        )

    async def close(self) -> None:
        """Send nothing more."""
        self._closed = True

    @abstractmethod
    def _build(self, specs: tuple[ToolSpec, ...]) -> Tools[Any]:
        """Return tools as they are sent."""

    @abstractmethod
    def _problem(self, err: Exception) -> ProviderError:
        """Return our error for one of the failures."""

    def _check_usable(self) -> None:
        """Raise ProviderError for what could never work, before anything is sent."""
        if self._closed:
            raise ProviderError(ErrorKind.UNAVAILABLE, "The provider is closed")

    def _tools(self, request: CompletionRequest) -> Tools[Any]:
        """Return the round's tools; each that can't be sent is named once in the log."""
        if request.tools == self._specs:
            return self._built
        tools = self._build(request.tools)
        self._specs, self._built = request.tools, tools
        for tool, problem in tools.dropped.items():
            if tool not in self._reported:
                self._reported.add(tool)
                said = one_line(f"The tool {tool} isn't offered: {problem}")
                _LOGGER.warning("%s", said)
        return tools

    async def _within[T](self, work: Awaitable[T], deadline: float) -> T:
        """Wait for a step of the round, at most until `deadline` (the loop's clock).

        Raises ProviderError for all that can go wrong with it.
        """
        try:
            async with asyncio.timeout_at(
                min(soon(self._settings.silence_s), deadline)
            ):
                return await work
        except self._failures as err:
            raise self._problem(err) from err


def soon(seconds: float) -> float:
    """Return the time of the loop's clock some seconds from now."""
    return asyncio.get_running_loop().time() + seconds


def fits_header(key: str) -> bool:
    """Return whether an HTTP header can carry a key."""
    return key.isascii() and key.isprintable() and " " not in key
