"""The built-in brain has no server; what is wrong with it is a fault of its code."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

from custom_components.caesar.adapters import turns
from custom_components.caesar.brain.provider import (
    Completed,
    CompletionRequest,
    ProviderEvent,
)
from custom_components.caesar.providers.builtin import BuiltinProvider
from tests.fakes.messages_script import Answer, Text

from .cases import TOLD, Fault
from .house import VENDORS, House
from .judge import BUILTIN, Row

_SENTENCE: Final = "turn on the kitchen light"
_TURN_S: Final = 1.0

type Stream = Callable[
    [BuiltinProvider, CompletionRequest], AsyncGenerator[ProviderEvent]
]


async def _hang(
    stream: Stream, brain: BuiltinProvider, request: CompletionRequest
) -> AsyncGenerator[ProviderEvent]:
    await asyncio.Event().wait()
    async for event in stream(brain, request):
        yield event


async def _raise(
    stream: Stream, brain: BuiltinProvider, request: CompletionRequest
) -> AsyncGenerator[ProviderEvent]:
    async for event in stream(brain, request):
        match event:
            case Completed():
                raise ValueError("a fault of its own")
            case _:
                yield event


async def _raise_later(
    stream: Stream, brain: BuiltinProvider, request: CompletionRequest
) -> AsyncGenerator[ProviderEvent]:
    if request.messages[-1].__class__.__name__ == "ToolResultMessage":
        raise ValueError("after it was done")
    async for event in stream(brain, request):
        yield event


_FAULTS: Final = (
    (Fault(name="a fault inside", steps=lambda _: None), _raise),
    (Fault(name="silence", steps=lambda _: None), _hang),
    (Fault(name="done, then a fault", steps=lambda _: None, calls=1), _raise_later),
)


async def prove_builtin(home: House) -> AsyncIterator[Row]:
    """Play the faults, alone and with a model that is well."""
    await home.async_use(VENDORS[0])
    for fault, broken in _FAULTS:
        for agent in ("literal", "chained"):
            home.play(VENDORS[0], (Answer(blocks=[Text(text=TOLD)]),))
            home.make_impatient(BUILTIN)
            with _broken(broken):
                cell = await home.async_ask(agent, _SENTENCE)
            yield Row(
                vendor=BUILTIN,
                fault=fault,
                chained=agent == "chained",
                cell=cell,
                issues=home.issues(),
                asked_again=home.asked_again(),
            )


@contextmanager
def _broken(
    broken: Callable[
        [Stream, BuiltinProvider, CompletionRequest], AsyncGenerator[ProviderEvent]
    ],
) -> Iterator[None]:
    """Break the built-in brain, and let turns end sooner than in four minutes."""
    stream = BuiltinProvider.stream

    def instead(
        brain: BuiltinProvider, request: CompletionRequest
    ) -> AsyncGenerator[ProviderEvent]:
        return broken(stream, brain, request)

    with (
        patch.object(BuiltinProvider, "stream", instead),
        patch.object(turns, "TURN_LIMIT_S", _TURN_S),
    ):
        yield
