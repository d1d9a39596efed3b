"""The brain at Anthropic's Messages API, through the SDK that HA core pins."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
import logging
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any

from homeassistant.core import HomeAssistant
from homeassistant.helpers.httpx_client import get_async_client
import httpx

from ..brain.provider import (
    CompletionRequest,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    ProviderTraits,
)
from ..legion.spec import ToolSpec
from .anthropic_errors import from_sdk
from .anthropic_messages import PROVIDER, build_request
from .anthropic_stream import StreamReader
from .anthropic_tools import Tools, Wire, build_tools

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_LOGGER = logging.getLogger(__name__)

DEFAULT_MODEL = "claude-haiku-4-5"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicSettings:
    """What the provider needs to know; times are in seconds.

    `silence_s` bounds the wait for the first and for each next event, `total_s` a
    whole round. Without `base_url` the SDK takes ANTHROPIC_BASE_URL, else
    Anthropic's own address.
    """

    api_key: str = field(repr=False)
    model: str = DEFAULT_MODEL
    base_url: str | None = None
    connect_s: float = 10
    silence_s: float = 30
    total_s: float = 120


class AnthropicProvider:
    """One model at Anthropic's Messages API.

    Implements `brain.provider.Provider`. Tools that run at the vendor are never
    switched on. Nothing is tried twice here: the loop decides that.
    """

    def __init__(
        self,
        *,
        sdk: ModuleType,
        client: AsyncAnthropic,
        settings: AnthropicSettings,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the SDK, its client and the wall clock (seconds since the epoch)."""
        self._sdk = sdk
        self._client = client
        self._settings = settings
        self._now = now
        self._closed = False
        self._reported: set[str] = set()
        # The rounds of a turn have the same tools.
        self._specs: tuple[ToolSpec, ...] = ()
        self._built = Tools()
        # Some models refuse to have their thinking switched off; that shows at the
        # first call only.
        self._thinking = "disabled"

    @property
    def name(self) -> str:
        """Return the short name that goes into the trail."""
        return PROVIDER

    @property
    def traits(self) -> ProviderTraits:
        """Return what it can do."""
        return ProviderTraits(extra={"model": self._settings.model})

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Run one round. Raises ProviderError.

        Use it inside `contextlib.aclosing`, so that a turn that is given up lets go
        of its connection at once.
        """
        self._check_usable()
        tools = self._tools(request)
        deadline = asyncio.get_running_loop().time() + self._settings.total_s
        events = await self._open(build_request(request, tools), deadline)
        reader = StreamReader(tools.names)
        try:
            while (event := await self._within(_next(events), deadline)) is not None:
                for ours in reader.feed(event):
                    yield ours
            for ours in reader.finish():
                yield ours
        finally:
            await events.close()

    async def check(self) -> None:
        """Raise ProviderError unless the key and the server work.

        Lists one model: that costs nothing and needs a valid key.
        """
        self._check_usable()
        deadline = asyncio.get_running_loop().time() + self._settings.silence_s
        await self._within(
            self._client.models.list(limit=1, timeout=self._timeout), deadline
        )

    async def close(self) -> None:
        """Send nothing more. The HTTP client is HA's, and stays open."""
        self._closed = True

    @property
    def _timeout(self) -> httpx.Timeout:
        """Return the HTTP client's limits, a second line behind our own deadline."""
        settings = self._settings
        return httpx.Timeout(settings.silence_s, connect=settings.connect_s)

    def _check_usable(self) -> None:
        """Raise ProviderError for what could never work, before anything is sent."""
        if self._closed:
            raise ProviderError(ErrorKind.UNAVAILABLE, "The provider is closed")
        key = self._settings.api_key
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            # HTTP headers can't carry it.
            raise ProviderError(ErrorKind.AUTH, "This is no key of Anthropic's")

    def _tools(self, request: CompletionRequest) -> Tools:
        """Return the round's tools; each that can't be sent is named once in the log."""
        if request.tools == self._specs:
            return self._built
        tools = build_tools(request.tools)
        self._specs, self._built = request.tools, tools
        for tool, problem in tools.dropped.items():
            if tool not in self._reported:
                self._reported.add(tool)
                _LOGGER.warning("The tool %s isn't offered: %s", tool, problem)
        return tools

    async def _open(self, body: Wire, deadline: float) -> Any:
        """Send the round and return the SDK's stream of events."""
        try:
            return await self._within(self._send(body), deadline)
        except ProviderError as err:
            if (
                self._thinking == "adaptive"
                or err.kind is not ErrorKind.REJECTED
                or not (err.param or "").startswith("thinking")
            ):
                raise
        self._thinking = "adaptive"
        return await self._within(self._send(body), deadline)

    def _send(self, body: Wire) -> Awaitable[Any]:
        """Return the request, not yet sent."""
        # As `extra_body` the body goes out as it is. As parameters the SDK would walk
        # through it against its own types: 50 ms of the event loop for 50 tools.
        return self._client.messages.create(
            model=self._settings.model,
            max_tokens=body["max_tokens"],
            messages=(),
            stream=True,
            extra_body={**body, "thinking": {"type": self._thinking}},
            timeout=self._timeout,
        )

    async def _within[T](self, work: Awaitable[T], deadline: float) -> T:
        """Wait for a step of the round, at most until `deadline` (the loop's clock).

        Raises ProviderError for all that can go wrong with it.
        """
        soon = asyncio.get_running_loop().time() + self._settings.silence_s
        try:
            async with asyncio.timeout_at(min(soon, deadline)):
                return await work
        except (
            self._sdk.APIError,
            httpx.HTTPError,
            TimeoutError,
            ValueError,
        ) as err:
            raise from_sdk(self._sdk, err, self._now()) from err


async def _next(events: Any) -> Any:
    """Return the stream's next event, or None at its end."""
    return await anext(events, None)


async def async_create_provider(
    hass: HomeAssistant, sdk: ModuleType, settings: AnthropicSettings
) -> AnthropicProvider:
    """Return a provider on HA's shared HTTP client; `sdk` comes from `load_sdk`.

    The SDK's client is built in the executor.
    """
    client = await hass.async_add_executor_job(
        partial(build_client, sdk, settings, get_async_client(hass))
    )
    return AnthropicProvider(sdk=sdk, client=client, settings=settings)


def build_client(
    sdk: ModuleType, settings: AnthropicSettings, http_client: httpx.AsyncClient
) -> AsyncAnthropic:
    """Return the SDK's client. Blocks: it loads modules and looks for files."""
    client: AsyncAnthropic = sdk.AsyncAnthropic(
        api_key=settings.api_key,
        base_url=settings.base_url,
        max_retries=0,
        http_client=http_client,
    )
    return client
