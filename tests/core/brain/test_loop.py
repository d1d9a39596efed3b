"""The turn: providers, rounds and calls, and that it always ends."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from custom_components.caesar.brain.calls import MAX_CALLS_A_ROUND, MAX_CALLS_A_TURN
from custom_components.caesar.brain.loop import Brain, Finish, LoopEvent, TurnResult
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    StopReason,
    SystemBlock,
    TextDelta,
    ThinkingDelta,
    ToolChoice,
    ToolResultMessage,
    Usage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import ToolOutcome, ToolRequest, Turn
from tests.fakes.clock import FakeClock
from tests.fakes.parts import GateUnderTest
from tests.fakes.provider import ScriptedProvider

END = Completed(stop=StopReason.END)
CALLS = Completed(stop=StopReason.TOOL_USE)


def call(number: int, service: str = "turn_on") -> ToolRequest:
    """Return a request of the kitchen light, another one for each number."""
    return ToolRequest(
        id=f"r{number}",
        name="call_service",
        arguments={
            "domain": "light",
            "service": service,
            "target": {"entity_id": "light.kitchen"},
            "data": {"brightness": number},
        },
    )


def read(number: int) -> ToolRequest:
    """Return a read of the kitchen light and of another one for each number."""
    return ToolRequest(
        id=f"r{number}",
        name="get_state",
        arguments={"entity_id": ["light.kitchen", f"light.number_{number}"]},
    )


def brain_of(gate: GateUnderTest, *providers: Any, **settings: Any) -> Brain:
    """Return a brain over the gate under test."""
    return Brain(gate=gate.gate, providers=providers, clock=gate.clock, **settings)


async def run(
    brain: Brain, turn: Turn, **more: Any
) -> tuple[TurnResult, list[LoopEvent]]:
    """Run a turn and return its result and everything that came before it."""
    events = [event async for event in brain.run(turn, "hello", **more)]
    result = events.pop()
    assert isinstance(result, TurnResult)
    return result, events


BLOCK = VendorBlock(provider="scripted", data="kept as it is")
TWO_ROUNDS = (
    (
        ThinkingDelta(text="hm"),
        TextDelta(text="One moment."),
        call(1),
        BLOCK,
        Completed(stop=StopReason.TOOL_USE, usage=Usage(input_tokens=3), model="m-1"),
    ),
    (
        TextDelta(text="It is "),
        TextDelta(text="on."),
        Completed(
            stop=StopReason.END,
            usage=Usage(
                input_tokens=4,
                output_tokens=5,
                cache_read_tokens=6,
                cache_write_tokens=7,
            ),
        ),
    ),
)


async def test_two_rounds() -> None:
    """Text, calls, results back to the provider, text: in that order (SPEC A-1)."""
    gate = GateUnderTest()
    provider = ScriptedProvider(TWO_ROUNDS)
    system = [SystemBlock(text="rules")]
    result, events = await run(
        brain_of(gate, provider),
        gate.turn(),
        system=system,
        history=[UserMessage(text="before")],
    )

    assert result.text == "It is on."
    assert result.finish is Finish.TEXT
    assert result.model == "m-1"
    assert result.iterations == 2
    assert result.usage == Usage(
        input_tokens=7, output_tokens=5, cache_read_tokens=6, cache_write_tokens=7
    )
    assert [outcome.tool for outcome in result.outcomes] == ["light.turn_on"]
    first, second = provider.requests
    assert first.system == second.system == tuple(system)
    assert first.messages == (UserMessage(text="before"), UserMessage(text="hello"))
    assert second.messages[2] == AssistantMessage(
        text="One moment.", requests=(call(1),), vendor=(BLOCK,)
    )
    assert isinstance(second.messages[3], ToolResultMessage)
    assert {spec.name for spec in first.tools} >= {"get_state"}
    assert [type(event).__name__ for event in events] == [
        "RoundStarted",
        "TextDelta",
        "ToolRequest",
        "ToolOutcome",
        "RoundStarted",
        "TextDelta",
        "TextDelta",
    ]


async def test_cap_keeps_the_last_text() -> None:
    """At the cap no call runs, and the last text that was said stands (A-2, A-3)."""
    gate = GateUnderTest()
    provider = ScriptedProvider(
        [[TextDelta(text="Trying."), call(1), CALLS], [call(2), CALLS]]
    )
    result, _ = await run(brain_of(gate, provider, max_iterations=3), gate.turn())

    assert result.finish is Finish.CAP
    assert result.text == "Trying."
    assert [request.tool_choice for request in provider.requests] == [
        ToolChoice.AUTO,
        ToolChoice.AUTO,
        ToolChoice.NONE,
    ]
    assert len(gate.executor.done) == 2
    assert result.outcomes[-1].error is not None
    assert result.outcomes[-1].error.code is Code.TOO_MANY_CALLS


async def test_zero_iterations_means_the_default() -> None:
    """`max_iterations` of 0 is 5 (A-2)."""
    gate = GateUnderTest()
    provider = ScriptedProvider([[call(1), CALLS]])
    await run(brain_of(gate, provider, max_iterations=0), gate.turn())
    assert len(provider.requests) == 5


async def test_the_limit_is_for_models() -> None:
    """One that only does what was said needs a round for it, and one for its answer."""
    gate = GateUnderTest()
    provider = ScriptedProvider(TWO_ROUNDS, literal=True)
    result, _ = await run(brain_of(gate, provider, max_iterations=1), gate.turn())
    assert (result.text, result.finish) == ("It is on.", Finish.TEXT)
    assert len(gate.executor.done) == 1
    endless = ScriptedProvider([[call(1), CALLS]], literal=True)
    await run(brain_of(gate, endless, max_iterations=1), gate.turn())
    assert len(endless.requests) == 5


async def test_too_many_calls_in_a_round_and_in_a_turn() -> None:
    """Surplus calls are refused one by one and leave a row (A-4)."""
    gate = GateUnderTest()
    rounds = [
        [read(100 * number + each) for each in range(MAX_CALLS_A_ROUND + 3)]
        for number in range(5)
    ]
    many = rounds[0]
    provider = ScriptedProvider([[*requests, CALLS] for requests in rounds])
    result, _ = await run(brain_of(gate, provider, max_iterations=5), gate.turn())

    assert len(gate.executor.done) == MAX_CALLS_A_TURN - sum(
        outcome.error is not None for outcome in result.outcomes[:MAX_CALLS_A_TURN]
    )
    refused = [outcome for outcome in result.outcomes if outcome.error is not None]
    assert {outcome.error.code for outcome in refused if outcome.error} == {
        Code.TOO_MANY_CALLS
    }
    assert [outcome.request_id for outcome in result.outcomes[:11]] == [
        request.id for request in many
    ]


async def test_reads_side_by_side_changes_in_order() -> None:
    """Reads of one round overlap; a change waits for them and is alone."""
    gate = GateUnderTest()
    gate.executor.gate = asyncio.Event()
    provider = ScriptedProvider([[read(1), read(2), call(3), read(4), CALLS], [END]])
    turn = asyncio.create_task(run(brain_of(gate, provider), gate.turn()))
    await gate.until_running(2)
    assert gate.executor.running == 2
    gate.executor.gate.set()
    result, _ = await turn

    assert [outcome.request_id for outcome in result.outcomes] == [
        "r1",
        "r2",
        "r3",
        "r4",
    ]


async def test_the_next_provider_gets_what_the_first_does_not_understand() -> None:
    """The built-in brain is tried first; what it doesn't understand goes on."""
    gate = GateUnderTest()
    first = ScriptedProvider(
        [[Completed(stop=StopReason.NOT_UNDERSTOOD)]], name="builtin", local=True
    )
    second = ScriptedProvider([[TextDelta(text="Hi."), END]], name="model")
    result, _ = await run(brain_of(gate, first, second), gate.turn())

    assert (result.text, result.provider) == ("Hi.", "model")
    assert first.requests[0].tools == ()


async def test_nobody_understands() -> None:
    """The edge finds the words then."""
    gate = GateUnderTest()
    provider = ScriptedProvider([[Completed(stop=StopReason.NOT_UNDERSTOOD)]])
    result, _ = await run(brain_of(gate, provider), gate.turn())
    assert (result.text, result.finish) == ("", Finish.NOT_UNDERSTOOD)


async def test_refusal() -> None:
    """A model that refuses ends the turn."""
    gate = GateUnderTest()
    provider = ScriptedProvider([[Completed(stop=StopReason.REFUSAL)]])
    result, _ = await run(brain_of(gate, provider), gate.turn())
    assert result.finish is Finish.REFUSAL


@pytest.mark.parametrize("kind", list(ErrorKind))
async def test_a_failing_provider_runs_nothing(kind: ErrorKind) -> None:
    """Nothing of a round that broke runs, and the turn says what went wrong."""
    gate = GateUnderTest()
    provider = ScriptedProvider([[TextDelta(text="I "), call(1), ProviderError(kind)]])
    result, _ = await run(brain_of(gate, provider), gate.turn())

    assert result.finish is Finish.PROVIDER_ERROR
    assert result.error is kind
    assert result.text == "I "
    assert gate.executor.done == []


async def test_a_fault_in_a_provider_is_said_in_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever a provider raises, nothing of its round runs and the turn ends."""
    gate = GateUnderTest()
    provider = ScriptedProvider([[TextDelta(text="I "), call(1), KeyError("x")]])
    result, _ = await run(brain_of(gate, provider), gate.turn())

    assert (result.finish, result.error) == (
        Finish.PROVIDER_ERROR,
        ErrorKind.UNAVAILABLE,
    )
    assert gate.executor.done == []
    assert "unexpected error" in caplog.text


async def test_a_stream_without_its_end_runs_nothing() -> None:
    """A stream that just stops is a failed round."""
    gate = GateUnderTest()
    provider = ScriptedProvider([[TextDelta(text="Ok."), call(1)]])
    result, _ = await run(brain_of(gate, provider), gate.turn())

    assert (result.finish, result.error) == (Finish.PROVIDER_ERROR, ErrorKind.CUT)
    assert gate.executor.done == []


class _Silent(ScriptedProvider):
    """Never says anything, and lets the turn's time pass."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__([])
        self._clock = clock

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Wait for ever after the turn's time is over."""
        yield TextDelta(text="Well")
        self._clock.advance(1_000)
        yield TextDelta(text=", ")
        await asyncio.Event().wait()


async def test_the_turns_time_is_over() -> None:
    """A turn ends at its deadline whatever the provider does (A-9)."""
    gate = GateUnderTest()
    result, _ = await run(brain_of(gate, _Silent(gate.clock)), gate.turn())
    assert result.finish is Finish.TIMEOUT
    assert result.text.startswith("Well")


async def test_a_cancelled_turn_starts_no_further_call() -> None:
    """Barge-in: the call under way goes on, the next one is never made."""
    gate = GateUnderTest()
    gate.executor.gate = asyncio.Event()
    provider = ScriptedProvider([[call(1), call(2), CALLS], [END]])
    task = asyncio.create_task(run(brain_of(gate, provider), gate.turn()))
    await gate.until_running()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.executor.gate.set()
    await asyncio.gather(*gate.tasks)

    assert len(gate.executor.done) == 1
    assert gate.trail.types() == ["tool.intended", "service.called"]
    assert all(isinstance(task.result(), ToolOutcome) for task in gate.tasks)
