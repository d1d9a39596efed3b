"""Several brains in a chain: who takes over, from where, and that nothing is twice."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from custom_components.caesar.brain.chain import Link
from custom_components.caesar.brain.loop import (
    Brain,
    BrokenOff,
    Fallback,
    Finish,
    RoundStarted,
    TurnResult,
)
from custom_components.caesar.brain.meter import Room, Unmetered
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolChoice,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.turn import Taint
from tests.fakes.clock import FakeClock
from tests.fakes.parts import GateUnderTest
from tests.fakes.provider import ScriptedProvider, Step

from .parking import ParkingGate, World, call as parked_call, ended, turn_now, yes
from .test_loop import CALLS, END, call, read, run

NO_IDEA: Step = [Completed(stop=StopReason.NOT_UNDERSTOOD)]
HELLO: Step = [TextDelta(text="Hello."), END]


def down(kind: ErrorKind = ErrorKind.UNAVAILABLE, **more: Any) -> Step:
    """Return a round that fails before its first piece."""
    return [ProviderError(kind, **more)]


def model(*steps: Step, name: str = "model") -> ScriptedProvider:
    """Return a model that plays these rounds."""
    return ScriptedProvider(steps, name=name)


def builtin(*steps: Step) -> ScriptedProvider:
    """Return a brain that takes a person's words literally."""
    return ScriptedProvider(steps, name="builtin", local=True, literal=True)


def link(provider: ScriptedProvider, **more: Any) -> Link:
    """Return a provider as a link of a chain."""
    return Link(provider=provider, key=provider.name, **more)


def brain_of(gate: GateUnderTest, *providers: Any, **more: Any) -> Brain:
    """Return a brain over the gate under test."""
    return Brain(gate=gate.gate, providers=providers, clock=gate.clock, **more)


@pytest.mark.parametrize("kind", list(ErrorKind))
async def test_the_next_takes_over_where_the_first_stopped(kind: ErrorKind) -> None:
    """What was called stays and is not done again; a vendor's own blocks go."""
    gate = GateUnderTest()
    block = VendorBlock(provider="first", data="only its own")
    first = model(
        [TextDelta(text="One moment."), block, call(1), CALLS],
        [TextDelta(text="It is o"), ProviderError(kind)],
        name="first",
    )
    second = model([TextDelta(text="It is on."), END], name="second")
    result, events = await run(brain_of(gate, first, second), gate.turn())

    assert (result.text, result.finish, result.provider) == (
        "It is on.",
        Finish.TEXT,
        "second",
    )
    assert result.error is None
    assert result.fallbacks == (Fallback(provider="first", kind=kind),)
    assert len(gate.executor.done) == 1
    (request,) = second.requests
    _, failing = first.requests
    assert [type(each) for each in request.messages] == [
        type(each) for each in failing.messages
    ]
    assert request.messages[1] == AssistantMessage(
        text="One moment.", requests=(call(1),)
    )
    at = next(n for n, each in enumerate(events) if isinstance(each, BrokenOff))
    assert isinstance(events[at + 1], RoundStarted)
    assert events[at - 1] == TextDelta(text="It is o")


async def test_a_half_round_does_nothing_and_the_next_asks_again() -> None:
    """A call of a round that broke off never ran, so the next brain may make it."""
    gate = GateUnderTest()
    first = model([call(1), *down(ErrorKind.CUT)], name="first")
    second = model([call(1), CALLS], HELLO, name="second")
    result, _ = await run(brain_of(gate, first, second), gate.turn())
    assert result.text == "Hello."
    assert len(gate.executor.done) == 1


async def test_a_second_brain_that_repeats_a_change_is_refused() -> None:
    """Even a brain that calls again what was done does it no second time."""
    gate = GateUnderTest()
    first = model([call(1), CALLS], down(), name="first")
    second = model([call(1), CALLS], HELLO, name="second")
    result, _ = await run(brain_of(gate, first, second), gate.turn())
    assert len(gate.executor.done) == 1
    assert [outcome.error is None for outcome in result.outcomes] == [True, False]


@pytest.mark.parametrize("changed", [False, True])
async def test_the_literal_brain_comes_last(changed: bool) -> None:
    """It is asked with the person's words alone, and not once something was done."""
    gate = GateUnderTest()
    step = call(1) if changed else read(1)
    first = model([step, CALLS], down(ErrorKind.QUOTA), name="first")
    last = builtin([TextDelta(text="It is on."), END])
    result, events = await run(brain_of(gate, first, last), gate.turn())
    if changed:
        assert last.requests == []
        assert (result.finish, result.error) == (
            Finish.PROVIDER_ERROR,
            ErrorKind.QUOTA,
        )
        assert result.provider == "first"
        assert not any(isinstance(each, BrokenOff) for each in events)
    else:
        (request,) = last.requests
        assert request.messages == (UserMessage(text="hello"),)
        assert (result.text, result.provider) == ("It is on.", "builtin")
    assert len(result.outcomes) == 1


async def test_the_last_cause_is_told_when_all_fail() -> None:
    """A literal brain's `not understood` says nothing about why."""
    gate = GateUnderTest()
    first = link(model(down(ErrorKind.AUTH), name="first"), title="The first")
    second = link(
        model([TextDelta(text="Er"), *down(ErrorKind.OVERLOADED)], name="second"),
        title="The second",
    )
    last = builtin(NO_IDEA)
    result, _ = await run(brain_of(gate, first, second, last), gate.turn())
    assert (result.finish, result.error, result.brain) == (
        Finish.PROVIDER_ERROR,
        ErrorKind.OVERLOADED,
        "The second",
    )
    assert [each.kind for each in result.fallbacks] == [
        ErrorKind.AUTH,
        ErrorKind.OVERLOADED,
    ]
    assert result.text == ""


async def test_the_next_may_read_what_tainted_no_literal_brain() -> None:
    """A literal brain that fails half-way leaves what it read, and the taint of it."""
    gate = ParkingGate()
    gate.taint = {"r1": frozenset({Taint.UNTRUSTED})}
    clock = FakeClock()
    turn = turn_now(clock)
    first = builtin([parked_call(1, "get_state"), CALLS], [ValueError("a fault")])
    second = model([parked_call(2), CALLS], HELLO)
    # Two rounds of the model's own, whatever the other one had.
    brain = Brain(gate=gate, providers=[first, second], clock=clock, max_iterations=2)
    result = (await ended([event async for event in brain.run(turn, "go")])).result
    assert result.text == "Hello."
    assert gate.taint_seen == [set(), {Taint.UNTRUSTED}]


async def test_the_literal_brain_has_its_own_rounds() -> None:
    """Those of the model before it are not taken from it."""
    gate = GateUnderTest()
    first = model([read(1), CALLS], down(), name="first")
    reads: list[Step] = [[read(number), CALLS] for number in range(2, 6)]
    result, _ = await run(brain_of(gate, first, builtin(*reads, HELLO)), gate.turn())
    assert (result.text, len(result.outcomes)) == ("Hello.", 5)


@pytest.mark.parametrize("others", [0, 1])
async def test_an_empty_answer(others: int) -> None:
    """Where another can answer, it does; else the edge finds the words."""
    gate = GateUnderTest()
    first = model([TextDelta(text=" "), END], name="first")
    more = [model(HELLO, name="second")] * others
    result, _ = await run(brain_of(gate, first, *more), gate.turn())
    assert result.finish is Finish.TEXT
    assert result.text == ("Hello." if others else "")
    assert len(result.fallbacks) == others


async def test_a_refusal_is_an_answer() -> None:
    """What one model won't say isn't taken to the next until one does."""
    gate = GateUnderTest()
    second = model(HELLO, name="second")
    first = model([Completed(stop=StopReason.REFUSAL)], name="first")
    result, _ = await run(brain_of(gate, first, second), gate.turn())
    assert result.finish is Finish.REFUSAL
    assert second.requests == []


async def test_rounds_are_counted_for_the_whole_chain() -> None:
    """Further brains make no further rounds; a round that broke off counts for none."""
    gate = GateUnderTest()
    first = model([read(1), CALLS], down(), name="first")
    second = model([read(2), CALLS], name="second")
    result, _ = await run(brain_of(gate, first, second, max_iterations=3), gate.turn())
    assert result.finish is Finish.CAP
    assert [each.tool_choice for each in second.requests] == [
        ToolChoice.AUTO,
        ToolChoice.NONE,
    ]


class _Slow(ScriptedProvider):
    """Says nothing for a while, or thinks first."""

    def __init__(self, *, thinks: bool) -> None:
        super().__init__([], name="slow")
        self._thinks = thinks
        self.let_go = False

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Wait."""
        try:
            if self._thinks:
                yield ThinkingDelta(text="hm")
            await asyncio.sleep(0.1)
            yield TextDelta(text="At last.")
            yield END
        finally:
            self.let_go = True


@pytest.mark.parametrize(
    ("thinks", "others", "said"),
    [(False, 1, "Hello."), (True, 1, "At last."), (False, 0, "At last.")],
)
async def test_patience_is_for_the_first_piece(
    thinks: bool, others: int, said: str
) -> None:
    """Silence hands the turn on, where somebody is there to take it."""
    gate = GateUnderTest()
    slow = _Slow(thinks=thinks)
    more = [model(HELLO)] * others
    result, _ = await run(
        brain_of(gate, link(slow, patience_s=0.02), *more), gate.turn()
    )
    assert result.text == said
    assert slow.let_go
    assert [each.kind for each in result.fallbacks] == (
        [ErrorKind.TIMEOUT] if said == "Hello." else []
    )


async def test_no_brain_begins_after_the_turns_time() -> None:
    """The turn's own deadline is everybody's."""
    gate = GateUnderTest()
    turn = gate.turn()
    turn.deadline = gate.clock()
    second = model(HELLO, name="second")
    result, _ = await run(brain_of(gate, link(_Slow(thinks=False)), second), turn)
    assert result.finish is Finish.TIMEOUT
    assert second.requests == []


class _UsedUp(Unmetered):
    """A meter of an agent whose day is over."""

    async def room(self, agent_id: str) -> Room | None:
        """Refuse."""
        return None


@pytest.mark.parametrize("known", [False, True])
async def test_a_days_limit_is_the_agents(known: bool) -> None:
    """No model is asked any more; the built-in brain costs nothing."""
    gate = GateUnderTest()
    models = [model(HELLO, name=name) for name in ("first", "second")]
    last = builtin(HELLO if known else NO_IDEA)
    result, _ = await run(brain_of(gate, *models, last, meter=_UsedUp()), gate.turn())
    assert result.finish is (Finish.TEXT if known else Finish.QUOTA)
    assert all(each.requests == [] for each in models)


class _Heard:
    """Writes down how a model does."""

    def __init__(self) -> None:
        self.news: list[str] = []

    def failed(self, error: ProviderError) -> None:
        """Hear of a failure."""
        self.news.append(error.kind.value)

    def answered(self) -> None:
        """Hear of an answer."""
        self.news.append("answered")


async def test_a_dead_brain_does_not_cost_each_turn_its_time() -> None:
    """It rests for a while, is asked again afterwards, and rests longer then."""
    gate = GateUnderTest()
    dead = model(down(ErrorKind.TIMEOUT), down(ErrorKind.TIMEOUT), HELLO, name="dead")
    heard = _Heard()
    first = link(dead, watcher=heard)
    second = model(HELLO, name="second")
    asked: list[int] = []
    rested: list[bool] = []
    for wait in (0, 29, 1, 59, 1, 0):
        gate.clock.advance(wait)
        result, _ = await run(brain_of(gate, first, second), gate.turn())
        asked.append(len(dead.requests))
        rested.append(any(each.rested for each in result.fallbacks))
    assert asked == [1, 1, 2, 2, 3, 4]
    assert rested == [False, True, False, True, False, False]
    assert heard.news == ["timeout", "timeout", "answered", "answered"]


async def test_if_all_rest_the_one_that_is_ready_first_is_asked() -> None:
    """Somebody always is: a person waits for an answer."""
    gate = GateUnderTest()
    auth = link(model(down(ErrorKind.AUTH), name="auth"))
    busy = link(model(down(ErrorKind.RATE, retry_after=20), HELLO, name="busy"))
    brain = brain_of(gate, auth, busy, builtin(NO_IDEA))
    first, _ = await run(brain, gate.turn())
    assert first.error is ErrorKind.RATE
    second, _ = await run(brain, gate.turn())
    assert (second.text, second.provider) == ("Hello.", "busy")
    assert second.fallbacks == (
        Fallback(provider="auth", kind=ErrorKind.AUTH, rested=True),
    )


async def test_a_parked_turn_goes_on_with_its_own_brain() -> None:
    """Of two models of one vendor the one that asked; then those that come after it."""
    world = World([parked_call(1), CALLS])
    world.gate.parks = ["r1"]
    mine = Link(provider=world.provider, key="second")
    before, other = model(HELLO), model(HELLO)
    twins = [Link(provider=before, key="first"), mine, Link(provider=other, key="3")]
    brain = Brain(
        gate=world.gate, providers=twins[1:], clock=world.clock, keeper=world.keeper
    )
    turn = turn_now(world.clock)
    assert [event async for event in brain.run(turn, "go")]
    kept = world.keeper.last()
    assert kept.brain == "second"

    world.restart(down(ErrorKind.TIMEOUT))
    twins[1] = Link(provider=world.provider, key="second")
    brain = Brain(gate=world.gate, providers=twins, clock=world.clock)
    *_, result = [
        event async for event in brain.resume(kept, turn, {"a-r1": yes("a-r1")})
    ]
    assert isinstance(result, TurnResult)
    assert (len(before.requests), len(world.provider.requests)) == (0, 1)
    assert (len(other.requests), result.text) == (1, "Hello.")


async def test_a_model_that_takes_over_a_parked_turn_has_read_it_all() -> None:
    """Also what tainted nothing before, for a literal brain that is gone meanwhile."""
    world = World()
    world.gate.taint = {"r1": frozenset({Taint.UNTRUSTED})}
    world.gate.parks = ["r2"]
    literal = builtin([parked_call(1, "get_state"), CALLS], [parked_call(2), CALLS])
    brain = Brain(
        gate=world.gate, providers=[literal], clock=world.clock, keeper=world.keeper
    )
    turn = turn_now(world.clock)
    assert [event async for event in brain.run(turn, "go")]
    assert turn.taint == set()

    world.restart([parked_call(3), CALLS], HELLO)
    assert (await world.resume({"a-r2": yes()})).result.text == "Hello."
    assert world.gate.ids() == ["r2", "r3"]
    assert world.gate.taint_seen == [set(), {Taint.UNTRUSTED}]
