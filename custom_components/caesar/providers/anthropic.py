"""The brain at Anthropic's Messages API, through the SDK that HA core pins."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any, override

from homeassistant.core import HomeAssistant
from homeassistant.helpers.httpx_client import get_async_client
import httpx

from ..brain.provider import CompletionRequest, ErrorKind, ProviderError, ProviderEvent
from ..legion.spec import ToolSpec
from .anthropic_dialect import CacheTtl, Dialect, dialect_of
from .anthropic_errors import from_status
from .anthropic_messages import PROVIDER, build_request
from .anthropic_stream import StreamReader
from .anthropic_tools import build_tools
from .attachments import ANTHROPIC
from .remote_model import ModelSettings, fits_header, soon
from .sdk_model import SdkModel
from .thinking import Think
from .tool_offer import Tools
from .wire import Wire

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

DEFAULT_MODEL = "claude-haiku-4-5"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicSettings(ModelSettings):
    """What the provider needs to know.

    Without `base_url` the SDK takes ANTHROPIC_BASE_URL, else Anthropic's own address.
    `think` is how hard the model thinks, `cache_ttl` how long Anthropic keeps what
    stays the same between turns.
    """

    api_key: str = field(repr=False)
    model: str = DEFAULT_MODEL
    base_url: str | None = None
    silence_s: float = 30
    think: Think = Think.OFF
    cache_ttl: CacheTtl = "5m"


class AnthropicProvider(SdkModel[AnthropicSettings, "AsyncAnthropic", Dialect]):
    """One model at Anthropic's Messages API.

    Implements `brain.provider.Provider`. Tools that run at the vendor are never
    switched on. Nothing is tried twice here: the loop decides that.
    """

    provider = PROVIDER
    attachments = ANTHROPIC

    def __init__(
        self,
        *,
        sdk: ModuleType,
        client: AsyncAnthropic,
        settings: AnthropicSettings,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the SDK, its client and the wall clock (seconds since the epoch)."""
        super().__init__(
            settings,
            sdk=sdk,
            client=client,
            dialect=dialect_of(settings.model, settings.think, settings.cache_ttl),
            from_status=from_status,
            now=now,
        )

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Run one round. Raises ProviderError.

        Use it inside `contextlib.aclosing`, so that a turn that is given up lets go
        of its connection at once.
        """
        self._check_usable()
        tools = self._tools(request)
        deadline = soon(self._settings.total_s)
        events = await self._open(request, tools, deadline)
        reader = StreamReader(tools.names, self._settings.model)
        try:
            while (
                event := await self._within(anext(events, None), deadline)
            ) is not None:
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
        deadline = soon(self._settings.silence_s)
        await self._within(
            self._client.models.list(limit=1, timeout=self._settings.http_limits),
            deadline,
        )

    @override
    def _check_usable(self) -> None:
        super()._check_usable()
        key = self._settings.api_key
        if not key or not fits_header(key):
            raise ProviderError(ErrorKind.AUTH, "This is no key of Anthropic's")

    @override
    def _build(self, specs: tuple[ToolSpec, ...]) -> Tools:
        return build_tools(specs, self._dialect.cache)

    @override
    def _body(self, request: CompletionRequest, tools: Tools, dialect: Dialect) -> Wire:
        return build_request(request, tools, dialect)

    @override
    def _send(self, body: Wire) -> Awaitable[Any]:
        # As `extra_body` the body goes out as it is. As parameters the SDK would walk
        # through it against its own types: 50 ms of the event loop for 50 tools.
        return self._client.messages.create(
            model=self._settings.model,
            max_tokens=body["max_tokens"],
            messages=(),
            stream=True,
            extra_body=body,
            timeout=self._settings.http_limits,
        )


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
