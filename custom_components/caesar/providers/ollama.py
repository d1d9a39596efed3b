"""The brain at an Ollama server, through the SDK that HA core pins."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import partial
import logging
import ssl
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, override

from homeassistant.core import HomeAssistant
from homeassistant.util.ssl import get_default_context
import httpx

from ..brain.provider import (
    Completed,
    CompletionRequest,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    SystemBlock,
    TextDelta,
    ToolChoice,
)
from ..legion.spec import ToolSpec
from ..turn import ToolRequest
from ..wording import async_wording, one_line
from .answer_schema import shape_of
from .attachments import OLLAMA, are_in
from .ollama_dialect import DEFAULT_NUM_CTX, FOREVER, KEEP_ALIVE, Sending, Think
from .ollama_errors import from_sdk, not_pulled
from .ollama_messages import NO_TOOLS, PROVIDER, build_messages
from .ollama_stream import StreamReader
from .ollama_tools import build_tools
from .portable_schema import portable
from .remote_model import ModelSettings, RemoteModel, fits_header, soon
from .tool_offer import Tools

if TYPE_CHECKING:
    from ollama import AsyncClient

_LOGGER = logging.getLogger(__name__)

DEFAULT_URL: Final = "http://localhost:11434"
_END_S: Final = 0.2
_STEPS: Final = 20

type CannotAct = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OllamaSettings(ModelSettings):
    """What the provider needs to know; a model must be loaded before its first piece.

    `keep_alive` is how long the server keeps the model in memory after an answer, -1
    for ever. `num_ctx` is its context in tokens, `think` whether it thinks first, and
    how hard; None leaves either to the server. `api_key` is for a server behind a
    proxy, or for Ollama's cloud.
    """

    url: str = DEFAULT_URL
    keep_alive: int = KEEP_ALIVE[FOREVER]
    num_ctx: int | None = DEFAULT_NUM_CTX
    think: Think = False
    api_key: str = field(default="", repr=False)


class OllamaProvider(RemoteModel[OllamaSettings]):
    """One model at an Ollama server.

    Implements `brain.provider.Provider`. A request that the model refuses for its tools
    or its thinking is sent once more without; else nothing is tried twice here.
    """

    provider = PROVIDER
    attachments = OLLAMA

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
        # The SDK takes a line of the answer for an object, and its error for text.
        shapes = (AttributeError, TypeError)
        super().__init__(settings, sdk.ResponseError, OSError, *shapes)
        self._sdk = sdk
        self._client = client
        self._cannot_act = cannot_act
        # A model that can't think says so at the first call.
        self._think = settings.think
        self._thinks_first = False
        self._is_full = False

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Run one round. Raises ProviderError.

        Use it inside `contextlib.aclosing`, so that a turn that is given up lets go
        of its connection at once.
        """
        self._check_usable()
        deadline = soon(self._settings.total_s)
        if are_in(request):
            await self._check_sees(deadline)
        tools = self._tools(request)
        # Nothing on this wire forbids calls: a model that may not call sees no tools.
        may_call = request.tool_choice is ToolChoice.AUTO
        sending = Sending(tools=tools.wire if may_call else (), think=self._think)
        while True:
            reader = StreamReader(
                tools.names,
                self._settings.model,
                thinks_first=self._thinks_first,
            )
            try:
                async with aclosing(
                    self._round(request, reader, deadline, sending)
                ) as events:
                    async for event in events:
                        yield event
            except ProviderError as err:
                # Its frames hold the SDK's half-read stream, which would then be closed
                # at some later time.
                err.__cause__ = err.__context__ = None
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
        self._check_usable()
        names = await self.models()
        wanted = self._settings.model
        if wanted not in names and f"{wanted}:latest" not in names:
            raise not_pulled(wanted)

    async def _check_sees(self, deadline: float) -> None:
        """Raise ProviderError for a model that would answer without having looked.

        Servers before 0.6.4 don't tell what a model can.
        """
        shown = await self._within(self._client.show(self._settings.model), deadline)
        if shown.capabilities and "vision" not in shown.capabilities:
            raise ProviderError(
                ErrorKind.REJECTED, "The model can't see images", param="attachments"
            )

    async def models(self) -> tuple[str, ...]:
        """Return the names of the models that the server has. Raises ProviderError."""
        self._check_usable()
        deadline = soon(self._settings.connect_s)
        listed = await self._within(self._client.list(), deadline)
        return tuple(sorted({one.model for one in listed.models if one.model}))

    @override
    async def close(self) -> None:
        """Send nothing more, and let go of the connections."""
        await super().close()
        client: Any = self._client  # the SDK doesn't say what its close returns
        await client.close()

    @override
    def _build(self, specs: tuple[ToolSpec, ...]) -> Tools[Any]:
        """Return the tools as the SDK's objects: else it would check each every round."""
        tools = build_tools(specs)
        dropped = dict(tools.dropped)
        ready: list[Any] = []
        for wire in tools.wire:
            try:
                ready.append(self._sdk.Tool.model_validate(wire))
            except ValueError as err:
                dropped[tools.names[wire["function"]["name"]]] = str(err)
        return Tools(wire=tuple(ready), names=tools.names, dropped=dropped)

    @override
    def _problem(self, err: Exception) -> ProviderError:
        return from_sdk(self._sdk, err, self._settings.model)

    async def _round(
        self,
        request: CompletionRequest,
        reader: StreamReader,
        deadline: float,
        sending: Sending,
    ) -> AsyncGenerator[ProviderEvent]:
        """Send the round and yield what comes of it."""
        events = await self._within(self._send(request, sending), deadline)
        async with aclosing(events):
            while not reader.done:
                part = await self._within(anext(events, None), deadline)
                if part is None:
                    break
                for event in reader.feed(part):
                    yield event
            if reader.done:
                # Only a stream that was read to its end gives its connection back.
                with suppress(ProviderError):
                    await self._within(anext(events, None), soon(_END_S))
        for event in reader.finish():
            if sending.mute and isinstance(event, ToolRequest):
                # The person has just been told that it can't.
                raise ProviderError(
                    ErrorKind.REJECTED, "The model called a tool that it refused"
                )
            if isinstance(event, Completed):
                self._check_room(event.usage.input_tokens + request.max_tokens)
            yield event

    def _check_room(self, needed: int) -> None:
        """Say once in the log that the context is too small: the server only cuts."""
        num_ctx = self._settings.num_ctx
        if num_ctx is not None and needed > num_ctx and not self._is_full:
            self._is_full = True
            _LOGGER.warning(
                "The context of %s tokens is too small for what %s is told; a larger one"
                " can be chosen where the model is set up",
                num_ctx,
                one_line(self._settings.model),
            )

    async def _send(self, request: CompletionRequest, sending: Sending) -> Any:
        """Return the stream of the answer; the request goes out with its first piece."""
        system = request.system
        if sending.mute:
            system = (*system, SystemBlock(text=NO_TOOLS, stable=False))
        return await self._client.chat(
            model=self._settings.model,
            messages=build_messages(system, request.messages, self._settings.model),
            tools=sending.tools or None,
            stream=True,
            format=shape_of(request, portable),
            think=sending.think,
            options=sending.options(request.max_tokens, self._settings.num_ctx),
            keep_alive=self._settings.keep_alive,
        )


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


def build_client(
    sdk: ModuleType, settings: OllamaSettings, verify: ssl.SSLContext | bool
) -> AsyncClient:
    """Return the SDK's client. Blocks. Raises ProviderError for a bad address.

    It follows no redirects, and sends no key but ours: the SDK would take one from the
    environment, and its HTTP client one from a file in the home folder.
    """
    key = settings.api_key
    if not fits_header(key):
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
            timeout=settings.http_limits,
            auth=authorize,
            verify=verify,
        )
    except (ValueError, httpx.InvalidURL) as err:
        raise ProviderError(
            ErrorKind.REJECTED, f"This is no address: {err}"[:200], param="url"
        ) from err
    return client
