"""The brain at a server of OpenAI's Chat Completions API: OpenAI's own, or another.

Many servers speak it: OpenRouter, llama.cpp, vLLM, LM Studio, LocalAI. Through the SDK
that HA core pins for `openai_conversation`.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
import logging
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, cast, override

from homeassistant.core import HomeAssistant
from homeassistant.helpers.httpx_client import get_async_client
import httpx

from ..brain.provider import (
    AssistantMessage,
    CompletionRequest,
    ErrorKind,
    ProviderError,
    ProviderEvent,
)
from ..legion.spec import ToolSpec
from ..wording import one_line
from .attachments import OPENAI as ATTACHMENTS
from .openai_compat_dialect import OPENAI, Dialect, dialect_of
from .openai_compat_errors import from_status
from .openai_compat_messages import PROVIDER, build_request
from .openai_compat_sse import chunks
from .openai_compat_stream import StreamReader
from .openai_compat_tools import build_tools
from .remote_model import ModelSettings, fits_header, soon
from .sdk_model import SdkModel
from .thinking import Think
from .tool_offer import Tools
from .wire import Wire

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai._types import RequestOptions

_LOGGER = logging.getLogger(__name__)

# More than a list that a person would look through.
_MOST_MODELS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAICompatSettings(ModelSettings):
    """What the provider needs to know.

    `url` is the address below which `/chat/completions` lies. A model on a small
    machine reads for a while before its first word. `think` is how hard it thinks,
    None leaves that to the server.
    """

    url: str = OPENAI
    api_key: str | None = field(default=None, repr=False)
    model: str = ""
    total_s: float = 180
    think: Think | None = None


class OpenAICompatProvider(SdkModel[OpenAICompatSettings, "AsyncOpenAI", Dialect]):
    """One model at a server of the Chat Completions API.

    Implements `brain.provider.Provider`. Only our own functions are offered as tools.
    Nothing is tried twice here but a request without a parameter that was refused.
    """

    provider = PROVIDER
    attachments = ATTACHMENTS

    def __init__(
        self,
        *,
        sdk: ModuleType,
        client: AsyncOpenAI,
        settings: OpenAICompatSettings,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Keep the SDK, its client and the wall clock (seconds since the epoch)."""
        super().__init__(
            settings,
            sdk=sdk,
            client=client,
            dialect=dialect_of(settings.url, settings.think),
            from_status=from_status,
            now=now,
        )
        self._thinks_first = False

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Run one round. Raises ProviderError.

        Use it inside `contextlib.aclosing`, so that a turn that is given up lets go
        of its connection at once.
        """
        self._check_usable()
        tools = self._tools(request)
        try:
            async with aclosing(self._round(request, tools)) as events:
                async for event in events:
                    yield event
        except ProviderError as err:
            if err.kind is ErrorKind.REJECTED:
                # The words for a person send them to the log.
                said = one_line(str(err))
                _LOGGER.warning("The model's server refused a request: %s", said)
            raise

    async def _round(
        self, request: CompletionRequest, tools: Tools
    ) -> AsyncGenerator[ProviderEvent]:
        """Send the round and yield what comes of it."""
        deadline = soon(self._settings.total_s)
        answer = await self._open(request, tools, deadline)
        reader = StreamReader(
            tools.names,
            self._settings.model,
            _call_ids(request),
            thinks_first=self._thinks_first,
        )
        try:
            async with aclosing(chunks(answer.response)) as parts:
                while (
                    part := await self._within(anext(parts, None), deadline)
                ) is not None:
                    for event in reader.feed(part):
                        yield event
            for event in reader.finish():
                yield event
        finally:
            self._thinks_first = self._thinks_first or reader.unopened
            await answer.close()

    async def check(self) -> None:
        """Raise ProviderError unless the key and the server work.

        Lists the models: that costs nothing, and needs a valid key where any is needed.
        """
        await self.models()

    async def models(self) -> tuple[str, ...]:
        """Return the ids of the server's models, sorted. Raises ProviderError."""
        self._check_usable()
        deadline = soon(self._settings.silence_s)
        answer = await self._within(
            self._client.get("/models", cast_to=object, options=self._options),
            deadline,
        )
        listed = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(listed, list):
            raise ProviderError(ErrorKind.CUT, "What answers there has no models")
        ids = (one.get("id") for one in listed if isinstance(one, dict))
        named = {one for one in ids if isinstance(one, str) and one.strip()}
        return tuple(sorted(named)[:_MOST_MODELS])

    @property
    def _options(self) -> RequestOptions:
        """Return what goes with each request."""
        options: RequestOptions = {
            # The SDK's types know only the client that it ships with.
            "timeout": cast(Any, self._settings.http_limits)
        }
        if self._settings.api_key is None:
            options["headers"] = {"Authorization": self._sdk.Omit()}
        return options

    @override
    def _check_usable(self) -> None:
        super()._check_usable()
        key = self._settings.api_key
        if key is not None and (not key or not fits_header(key)):
            raise ProviderError(ErrorKind.AUTH, "This is no key")

    @override
    def _build(self, specs: tuple[ToolSpec, ...]) -> Tools:
        return build_tools(specs)

    @override
    def _body(self, request: CompletionRequest, tools: Tools, dialect: Dialect) -> Wire:
        return build_request(request, tools, self._settings.model, dialect)

    @override
    def _send(self, body: Wire) -> Awaitable[Any]:
        # Below `chat.completions`: that would walk through body and chunks against its
        # own types, on the event loop, and servers don't keep to these.
        return self._client.post(
            "/chat/completions",
            cast_to=object,
            body=body,
            options=self._options,
            stream=True,
            stream_cls=self._sdk.AsyncStream[object],
        )


def _call_ids(request: CompletionRequest) -> set[str]:
    """Return the ids of all calls before."""
    return {
        call.id
        for message in request.messages
        if isinstance(message, AssistantMessage)
        for call in message.requests
    }


async def async_create_provider(
    hass: HomeAssistant, sdk: ModuleType, settings: OpenAICompatSettings
) -> OpenAICompatProvider:
    """Return a provider on HA's shared HTTP client; `sdk` comes from `load_sdk`.

    The SDK's client is built in the executor.
    """
    client = await hass.async_add_executor_job(
        partial(build_client, sdk, settings, get_async_client(hass))
    )
    return OpenAICompatProvider(sdk=sdk, client=client, settings=settings)


def build_client(
    sdk: ModuleType, settings: OpenAICompatSettings, http_client: httpx.AsyncClient
) -> AsyncOpenAI:
    """Return the SDK's client. Blocks: it loads modules and looks at the platform.

    Nothing of the environment (`OPENAI_*`) goes to a server that isn't OpenAI's.
    """
    omitted = ("OpenAI-Organization", "OpenAI-Project")
    client: AsyncOpenAI = sdk.AsyncOpenAI(
        # The SDK wants one; where there is none, no request carries it.
        api_key=settings.api_key or "none",
        base_url=settings.url,
        max_retries=0,
        # The SDK takes httpx's clients at run time only.
        http_client=cast(Any, http_client),
        default_headers={name: sdk.Omit() for name in omitted},
    )
    # Cached by the SDK for each request.
    client.platform_headers()
    return client
