"""Parked turns: several questions, limits, what is said meanwhile, cancelling."""

import asyncio
from contextlib import aclosing
import gc

import pytest

from custom_components.caesar.brain.checkpoint import CallState
from custom_components.caesar.brain.loop import Brain, Finish
from custom_components.caesar.brain.meter import ModelCall, Room
from custom_components.caesar.brain.provider import (
    ErrorKind,
    ProviderError,
    ProviderTraits,
    TextDelta,
    Usage,
)
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import Taint, ToolOutcome, ToolRequest
from tests.fakes.clock import FakeClock
from tests.fakes.provider import ScriptedProvider, Step

from .parking import (
    ANSWER,
    CALLS,
    ParkingGate,
    World,
    call,
    no,
    read,
    run,
    three_with_the_second_parked,
    turn_now,
    yes,
)


class _Meter:
    """Has room for so many rounds, and keeps what was spent."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.spent: list[tuple[str, Usage]] = []
        self.calls: list[ModelCall] = []

    async def room(self, agent_id: str) -> Room | None:
        self.rounds -= 1
        return Room(day="2026-11-30") if self.rounds >= 0 else None

    def spend(self, agent_id: str, usage: Usage, room: Room) -> None:
        self.spent.append((agent_id, usage))

    def called(self, call: ModelCall) -> None:
        self.calls.append(call)


@pytest.mark.parametrize("local", [True, False])
async def test_a_days_limit(local: bool) -> None:
    """A model isn't asked when it is used up; what costs nothing works all the same."""
    gate, clock, meter = ParkingGate(), FakeClock(), _Meter(1)
    provider = ScriptedProvider([[call(1), CALLS], ANSWER], local=local)
    brain = Brain(gate=gate, providers=[provider], clock=clock, meter=meter)
    result = (await run(brain, turn_now(clock))).result
    assert gate.ids() == ["r1"]
    if local:
        assert (result.finish, meter.spent) == (Finish.TEXT, [])
    else:
        assert (result.finish, len(provider.requests)) == (Finish.QUOTA, 1)
        assert meter.spent == [("agent-1", Usage(input_tokens=10))]


@pytest.mark.parametrize(
    ("step", "booked"),
    [
        ([TextDelta(text="Well, "), ProviderError(ErrorKind.CUT)], True),
        ([call(1), ProviderError(ErrorKind.TIMEOUT)], True),
        ([ProviderError(ErrorKind.AUTH)], False),
    ],
)
async def test_a_broken_round_costs_too(step: Step, booked: bool) -> None:
    """If anything came of it: else a model could talk for nothing."""
    clock, meter = FakeClock(), _Meter(5)
    provider = ScriptedProvider([step])
    brain = Brain(gate=ParkingGate(), providers=[provider], clock=clock, meter=meter)
    await run(brain, turn_now(clock))
    assert bool(meter.spent) is booked
    assert all(usage.output_tokens > 0 for _, usage in meter.spent)
    (heard,) = meter.calls
    broke = step[-1]
    assert isinstance(broke, ProviderError)
    assert (heard.error, heard.stop) == (broke.kind, None)
    assert heard.iteration == 1
    assert (heard.usage.output_tokens > 0) is booked
    assert heard.estimated is booked


async def test_reads_that_park_side_by_side() -> None:
    """Each has its own question; they are gone through in the order of the calls."""
    world = World([read(1), read(2), read(3), call(4), CALLS], ANSWER)
    world.gate.parks = ["r1", "r3"]
    parked = (await world.run()).result
    assert parked.parked == "a-r1"
    kept = world.keeper.last()
    assert kept.approval_ids == ("a-r1", "a-r3")
    assert [each.state for each in kept.calls] == [
        CallState.AWAITING_APPROVAL,
        CallState.DONE,
        CallState.AWAITING_APPROVAL,
        CallState.PENDING,
    ]

    world.restart(ANSWER)
    again = (await world.resume({"a-r1": yes("a-r1")})).result
    assert (again.finish, again.parked) == (Finish.PARKED, "a-r3")
    assert world.gate.ids() == ["r1"]

    world.restart(ANSWER)
    result = (await world.resume({"a-r3": no()})).result
    assert world.gate.ids() == ["r4"]
    assert [outcome.request_id for outcome in result.outcomes] == [
        "r1",
        "r2",
        "r3",
        "r4",
    ]


async def test_two_answers_at_once() -> None:
    """Answers that came in any order are all used."""
    world = World([read(1), read(2), CALLS])
    world.gate.parks = ["r1", "r2"]
    await world.run()
    world.restart(ANSWER)
    result = (await world.resume({"a-r2": yes("a-r2"), "a-r1": no()})).result
    assert world.gate.ids() == ["r2"]
    assert result.text == "All done."


async def test_one_yes_is_in_hand_for_one_call_only() -> None:
    """A model may give two calls one id; the yes is for the one that was parked."""
    twin = ToolRequest(id="r1", name="call_service", arguments={"n": 99})
    world = World([call(1), twin, CALLS])
    world.gate.parks = ["r1"]
    await world.run()
    world.restart(ANSWER)
    await world.resume({"a-r1": yes("a-r1")})
    assert [(request.arguments, list(held)) for request, held in world.gate.dispatched]
    assert [list(held) for _, held in world.gate.dispatched] == [["r1"], []]


async def test_what_can_not_be_kept_is_given_up() -> None:
    """Without a checkpoint there is no question that could be answered."""
    world = World([call(1), CALLS], ANSWER)
    world.gate.parks = ["r1"]
    world.keeper.full = True
    result = (await world.run()).result
    assert (result.finish, result.parked, result.text) == (Finish.ABANDONED, None, "")
    (outcome,) = result.outcomes
    assert outcome.parked is None
    assert outcome.error is not None
    assert outcome.error.code is Code.AUDIT_UNAVAILABLE
    assert len(world.provider.requests) == 1


async def test_taint_comes_after_the_whole_round() -> None:
    """Calls of one round share the taint of its start, across a restart too."""
    world = World([read(1), call(2), call(3), CALLS])
    world.gate.taint = {"r1": frozenset({Taint.UNTRUSTED})}
    world.gate.parks = ["r2"]
    await world.run()
    assert world.keeper.last().taint == frozenset()

    world.restart([call(4), CALLS], ANSWER)
    await world.resume({"a-r2": yes()})
    assert world.gate.ids() == ["r2", "r3", "r4"]
    assert world.gate.taint_seen == [set(), set(), {Taint.UNTRUSTED}]


async def test_rounds_are_counted_across_a_restart() -> None:
    """A turn that was parked has the rounds that were left, and no more."""
    world = World([call(1), CALLS], max_iterations=3)
    world.gate.parks = ["r1"]
    await world.run()
    world.restart([TextDelta(text="More."), call(2), CALLS])
    result = (await world.resume({"a-r1": yes("a-r1")})).result
    assert len(world.provider.requests) == 2
    assert (result.finish, result.iterations) == (Finish.CAP, 3)
    assert world.gate.skipped == [("r2", Code.TOO_MANY_CALLS)]


async def test_the_provider_is_gone() -> None:
    """The kept calls run all the same; another model ends the turn, if there is one."""
    world = await three_with_the_second_parked()
    world.restart(ANSWER)
    world.provider.name = "another"
    result = (await world.resume({"a-r2": yes()})).result
    assert world.gate.ids() == ["r2", "r3"]
    assert (result.text, result.provider) == ("All done.", "another")
    (request,) = world.provider.requests
    assert not any(getattr(message, "vendor", ()) for message in request.messages)


async def test_only_a_literal_brain_is_left() -> None:
    """It would begin the sentence again, so the edge finds the words."""
    world = await three_with_the_second_parked()
    world.restart(ANSWER)
    world.provider.name = "builtin"
    world.provider.traits = ProviderTraits(local=True, literal=True)
    result = (await world.resume({"a-r2": yes()})).result
    assert world.gate.ids() == ["r2", "r3"]
    assert world.provider.requests == []
    assert (result.finish, result.error) == (
        Finish.PROVIDER_ERROR,
        ErrorKind.UNAVAILABLE,
    )


async def test_what_is_said_while_a_call_waits_is_heard_at_once() -> None:
    """Who waits for Adult hears so while she is asked, not afterwards."""
    world = World([call(1), CALLS], ANSWER)
    world.gate.says = {"r1": "I have asked Adult."}
    world.gate.waits = {"r1": asyncio.Event()}
    turn = turn_now(world.clock)
    heard: list[str] = []
    async for event in world.brain.run(turn, "open the door"):
        if isinstance(event, TextDelta):
            heard.append(event.text)
            world.gate.waits["r1"].set()
    assert heard == ["I have asked Adult.", "All done."]
    assert turn.say is None


async def test_what_is_said_stands_apart_from_the_models_words() -> None:
    """Both are one message for Home Assistant, and must not run together."""
    world = World([TextDelta(text="Ok."), call(1), call(2), CALLS], ANSWER)
    world.gate.says = {"r1": "I have asked Adult.", "r2": "I have asked Boy."}
    heard = [
        event.text
        for event in (await world.run()).events
        if isinstance(event, TextDelta)
    ]
    assert heard == [
        "Ok.",
        "\n\nI have asked Adult.",
        "I have asked Boy.",
        "All done.",
    ]


async def test_a_cancelled_turn_takes_its_waiting_call_along() -> None:
    """Barge-in while somebody is asked: the waiting ends, nothing more starts."""
    complaints: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: complaints.append(context["message"])
    )
    world = World([call(1), call(2), CALLS], ANSWER)
    world.gate.waits = {"r1": asyncio.Event()}
    task = asyncio.create_task(world.run())
    while not world.gate.dispatched:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert world.gate.cancelled == ["r1"]
    # Nothing is left that Home Assistant would log as an error.
    del task
    gc.collect()
    assert complaints == []
    assert world.gate.ids() == ["r1"]
    assert world.keeper.kept == []


@pytest.mark.parametrize("first", [call(1), read(1)])
async def test_a_question_is_kept_before_anybody_hears_of_it(
    first: ToolRequest,
) -> None:
    """A turn may be cancelled wherever it says something; a yes must find it."""
    world = World([first, read(2), CALLS], ANSWER)
    world.gate.parks = ["r1"]
    turn = world.brain.run(turn_now(world.clock), "open the door")
    async with aclosing(turn) as events:
        kept = [
            len(world.keeper.kept)
            async for event in events
            if isinstance(event, ToolOutcome)
        ]
    assert kept
    assert set(kept) == {1}


async def test_what_was_not_kept_is_told_as_given_up() -> None:
    """The event says what the result says: there is no question."""
    world = World([call(1), CALLS], ANSWER)
    world.gate.parks = ["r1"]
    world.keeper.full = True
    told = [e for e in (await world.run()).events if isinstance(e, ToolOutcome)]
    assert [outcome.parked for outcome in told] == [None]


async def test_each_outcome_is_told_once() -> None:
    """Before the question, with it, and after it."""
    world = World([read(1), read(2), call(3), CALLS], ANSWER)
    world.gate.parks = ["r2"]
    first = (await world.run()).events
    world.restart(ANSWER)
    then = (await world.resume({"a-r2": yes("a-r2")})).events
    assert [
        [event.request_id for event in events if isinstance(event, ToolOutcome)]
        for events in (first, then)
    ] == [["r1", "r2"], ["r2", "r3"]]
