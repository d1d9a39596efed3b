"""The brain at an Ollama server, through the SDK that HA core pins."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
import logging
import ssl
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal

from homeassistant.core import HomeAssistant
from homeassistant.util.ssl import get_default_context
import httpx

from ..brain.provider import (
    CompletionRequest,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    ProviderTraits,
    SystemBlock,
    TextDelta,
    ToolChoice,
)
from ..legion.spec import ToolSpec
from ..turn import ToolRequest
from ..wording import async_wording, one_line
from .ollama_errors import from_sdk, not_pulled
from .ollama_messages import NO_TOOLS, PROVIDER, build_messages
from .ollama_stream import StreamReader
from .ollama_tools import build_tools

if TYPE_CHECKING:
    from ollama import AsyncClient

_LOGGER = logging.getLogger(__name__)

DEFAULT_URL: Final = "http://localhost:11434"
# Time enough to read the cached prefix of a house; more costs memory on the server.
DEFAULT_NUM_CTX: Final = 8192
KEEP_LOADED: Final = -1
_THOUGHT_TOKENS: Final = 2048
_END_S: Final = 0.2
_STEPS: Final = 20

type Think = bool | Literal["low", "medium", "high"] | None
type CannotAct = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OllamaSettings:
    """What the provider needs to know; times are in seconds.

    `keep_alive` is how long the server keeps the model in memory after an answer, -1
    for ever. `num_ctx` is its context in tokens, `think` whether it thinks first, and
    how hard; None leaves either to the server. `api_key` is for a server behind a
    proxy, or for Ollama's cloud. `silence_s` bounds the wait for the first and for each
    next piece (a model must be loaded before the first), `total_s` a whole round.
    """

    url: str = DEFAULT_URL
    model: str
    keep_alive: int = KEEP_LOADED
    num_ctx: int | None = DEFAULT_NUM_CTX
    think: Think = False
    api_key: str = field(default="", repr=False)
    connect_s: float = 10
    silence_s: float = 60
    total_s: float = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sending:
    """What a round is sent with; the tools are the SDK's objects.

    `mute` says that the model refused to have any.
    """

    tools: tuple[Any, ...]
    think: Think
    mute: bool = False

    def without(self, param: str | None) -> _Sending | None:
        """Return what to send without a refused parameter; None if it isn't there."""
        if param == "tools" and self.tools:
            return replace(self, tools=(), mute=True)
        if param == "think" and self.think is not None:
            return replace(self, think=None)
        return None


class OllamaProvider:
    """One model at an Ollama server.

    Implements `brain.provider.Provider`. A request that the model refuses for its tools
    or its thinking is sent once more without; else nothing is tried twice here.
    """

    def __init__(
        self,
        *,
        sdk: ModuleType,
        client: AsyncClient,
        settings: OllamaSettings,
        cannot_act: CannotAct,
    ) -> None:
        """Keep the SDK and its client, which `close` closes.

        `cannot_act` returns the sentence, in a language, that tells a person that this
        model can use no tools.
        """
        self._sdk = sdk
        self._client = client
        self._settings = settings
        self._cannot_act = cannot_act
        self._closed = False
        self._reported: set[str] = set()
        # The rounds of a turn have the same tools.
        self._specs: tuple[ToolSpec, ...] = ()
        self._names: Mapping[str, str] = {}
        self._ready: tuple[Any, ...] = ()
        # A model that can't think says so at the first call.
        self._think = settings.think
        self._thinks_first = False

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
        self._check_open()
        deadline = _soon(self._settings.total_s)
        names, tools = self._tools(request)
        # Nothing on this wire forbids calls: a model that may not call sees no tools.
        may_call = request.tool_choice is ToolChoice.AUTO
        sending = _Sending(tools=tools if may_call else (), think=self._think)
        while True:
            reader = StreamReader(names, thinks_first=self._thinks_first)
            try:
                async with aclosing(
                    self._round(request, reader, deadline, sending)
                ) as events:
                    async for event in events:
                        yield event
            except ProviderError as err:
                await _settle()
                less = None if reader.begun else sending.without(err.param)
                if less is None:
                    _report(err)
                    raise
                if less.mute and not sending.mute:
                    text = await self._cannot_act(request.turn.language)
                    yield TextDelta(text=f"{text}\n\n")
                sending = less
            else:
                # Once refused, thinking stays out: a model can it, or can't.
                self._think = sending.think
                self._thinks_first = self._thinks_first or reader.unopened
                return

    async def check(self) -> None:
        """Raise ProviderError unless the server is there and has the model."""
        self._check_open()
        names = await self.models()
        wanted = self._settings.model
        if wanted not in names and f"{wanted}:latest" not in names:
            raise not_pulled(wanted)

    async def models(self) -> tuple[str, ...]:
        """Return the names of the models that the server has. Raises ProviderError."""
        self._check_open()
        deadline = _soon(self._settings.connect_s)
        listed = await self._within(self._client.list(), deadline)
        return tuple(sorted({one.model for one in listed.models if one.model}))

    async def close(self) -> None:
        """Send nothing more, and let go of the connections."""
        self._closed = True
        client: Any = self._client  # the SDK doesn't say what its close returns
        await client.close()

    def _check_open(self) -> None:
        """Raise ProviderError once the provider is closed."""
        if self._closed:
            raise ProviderError(ErrorKind.UNAVAILABLE, "The provider is closed")

    def _tools(
        self, request: CompletionRequest
    ) -> tuple[Mapping[str, str], tuple[Any, ...]]:
        """Return what each sent name stands for, and the round's tools for the SDK.

        Each that can't be sent is named once in the log.
        """
        if request.tools == self._specs:
            return self._names, self._ready
        tools = build_tools(request.tools)
        dropped = dict(tools.dropped)
        ready: list[Any] = []
        for wire in tools.wire:
            try:
                # Else the SDK would check all of them again at each round.
                ready.append(self._sdk.Tool.model_validate(wire))
            except ValueError as err:
                dropped[tools.names[wire["function"]["name"]]] = str(err)
        self._specs, self._names, self._ready = request.tools, tools.names, tuple(ready)
        for tool, problem in dropped.items():
            if tool not in self._reported:
                self._reported.add(tool)
                _LOGGER.warning("The tool %s isn't offered: %s", tool, problem)
        return self._names, self._ready

    async def _round(
        self,
        request: CompletionRequest,
        reader: StreamReader,
        deadline: float,
        sending: _Sending,
    ) -> AsyncGenerator[ProviderEvent]:
        """Send the round and yield what comes of it."""
        events = await self._within(self._send(request, sending), deadline)
        async with aclosing(events):
            while not reader.done:
                part = await self._within(_next(events), deadline)
                if part is None:
                    break
                for event in reader.feed(part):
                    yield event
            if reader.done:
                # Only a stream that was read to its end gives its connection back.
                with suppress(ProviderError):
                    await self._within(_next(events), _soon(_END_S))
        for event in reader.finish():
            if sending.mute and isinstance(event, ToolRequest):
                # The person has just been told that it can't.
                raise ProviderError(
                    ErrorKind.REJECTED, "The model called a tool that it refused"
                )
            yield event

    async def _send(self, request: CompletionRequest, sending: _Sending) -> Any:
        """Return the stream of the answer; the request goes out with its first piece."""
        system = request.system
        if sending.mute:
            system = (*system, SystemBlock(text=NO_TOOLS, stable=False))
        # The server counts thinking as part of the answer; a person doesn't.
        more = 0 if sending.think is False else _THOUGHT_TOKENS
        options: dict[str, int] = {"num_predict": request.max_tokens + more}
        if self._settings.num_ctx is not None:
            options["num_ctx"] = self._settings.num_ctx
        return await self._client.chat(
            model=self._settings.model,
            messages=build_messages(system, request.messages),
            tools=sending.tools or None,
            stream=True,
            think=sending.think,
            options=options,
            keep_alive=self._settings.keep_alive,
        )

    async def _within[T](self, work: Awaitable[T], deadline: float) -> T:
        """Wait for a step of the round, at most until `deadline` (the loop's clock).

        Raises ProviderError for all that can go wrong with it.
        """
        try:
            async with asyncio.timeout_at(
                min(_soon(self._settings.silence_s), deadline)
            ):
                return await work
        except (
            self._sdk.ResponseError,
            httpx.HTTPError,
            OSError,
            ValueError,
            # The SDK takes a line of the answer for an object, and its error for text.
            AttributeError,
            TypeError,
            RecursionError,
        ) as err:
            problem = from_sdk(self._sdk, err, self._settings.model)
        # Not from `err`: its frames hold the SDK's half-read stream, which would then
        # be closed at some later time.
        raise problem


def _soon(seconds: float) -> float:
    """Return the time of the loop's clock some seconds from now."""
    return asyncio.get_running_loop().time() + seconds


async def _settle() -> None:
    """Let a half-read stream of the SDK come to its end.

    It is five generators, one inside the other. The loop closes each in a task of its
    own once it has no owner: after a handful of steps, and none of them outlives the
    round.
    """
    for _ in range(_STEPS):
        await asyncio.sleep(0)


def _report(err: ProviderError) -> None:
    """Write down what no person is told, or is told to look up here."""
    if err.kind in (ErrorKind.REJECTED, ErrorKind.CUT):
        _LOGGER.warning("A round at Ollama failed: %s", one_line(str(err)))


async def _next(events: Any) -> Any:
    """Return the stream's next piece, or None at its end."""
    return await anext(events, None)


async def async_create_provider(
    hass: HomeAssistant, sdk: ModuleType, settings: OllamaSettings
) -> OllamaProvider:
    """Return a provider; `sdk` comes from `load_sdk`. Close it when it is done.

    The SDK makes an HTTP client of its own, in the executor. Raises ProviderError for
    an address that is none.
    """

    async def cannot_act(language: str) -> str:
        return (await async_wording(hass, language)).text("model_without_tools")

    client = await hass.async_add_executor_job(
        partial(build_client, sdk, settings, get_default_context())
    )
    return OllamaProvider(
        sdk=sdk, client=client, settings=settings, cannot_act=cannot_act
    )


async def async_models(
    hass: HomeAssistant, sdk: ModuleType, url: str, *, api_key: str = ""
) -> tuple[str, ...]:
    """Return the names of the models of a server, sorted. Raises ProviderError."""
    settings = OllamaSettings(url=url, model="", api_key=api_key)
    provider = await async_create_provider(hass, sdk, settings)
    try:
        return await provider.models()
    finally:
        await provider.close()


def build_client(
    sdk: ModuleType, settings: OllamaSettings, verify: ssl.SSLContext | bool
) -> AsyncClient:
    """Return the SDK's client. Blocks. Raises ProviderError for a bad address.

    It follows no redirects, and sends no key but ours: the SDK would take one from the
    environment, and its HTTP client one from a file in the home folder.
    """
    key = settings.api_key
    if not key.isascii() or any(not sign.isprintable() or sign == " " for sign in key):
        # HTTP headers can't carry it.
        raise ProviderError(ErrorKind.AUTH, "This is no key for an Ollama server")

    def authorize(request: httpx.Request) -> httpx.Request:
        request.headers.pop("authorization", None)
        if key:
            request.headers["authorization"] = f"Bearer {key}"
        return request

    try:
        client: AsyncClient = sdk.AsyncClient(
            host=settings.url,
            follow_redirects=False,
            timeout=httpx.Timeout(settings.silence_s, connect=settings.connect_s),
            auth=authorize,
            verify=verify,
        )
    except (ValueError, httpx.InvalidURL) as err:
        raise ProviderError(
            ErrorKind.REJECTED, f"This is no address: {err}"[:200], param="url"
        ) from err
    return client
