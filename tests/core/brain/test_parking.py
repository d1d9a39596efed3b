"""A turn parks at a question, is kept, and goes on with exactly what was kept."""

import pytest

from custom_components.caesar.brain.checkpoint import CallState
from custom_components.caesar.brain.loop import Finish
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    TextDelta,
    ToolResultMessage,
    Usage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import Taint, ToolOutcome, ToolRequest, ToolScope

from .parking import (
    ANSWER,
    CALLS,
    World,
    call,
    no,
    read,
    run,
    three_with_the_second_parked,
    turn_now,
    yes,
)


async def test_a_question_ends_the_turn() -> None:
    """What comes after it isn't started, and no text of the model follows."""
    world = World([TextDelta(text="Ok."), call(1), call(2), call(3), CALLS], ANSWER)
    world.gate.parks = ["r2"]
    parked = await world.run()

    assert (parked.result.finish, parked.result.parked) == (Finish.PARKED, "a-r2")
    assert parked.result.text == ""
    assert world.gate.ids() == ["r1", "r2"]
    assert len(world.provider.requests) == 1
    assert [outcome.request_id for outcome in parked.result.outcomes] == ["r1", "r2"]
    assert isinstance(parked.events[-1], ToolOutcome)
    # Nothing of the third call is shown either.
    assert [e.id for e in parked.events if isinstance(e, ToolRequest)] == ["r1", "r2"]
    kept = world.keeper.last()
    assert [each.state for each in kept.calls] == [
        CallState.DONE,
        CallState.AWAITING_APPROVAL,
        CallState.PENDING,
    ]
    assert kept.approval_ids == ("a-r2",)
    assert kept.asked == "do three things"
    assert (kept.provider, kept.model, kept.iteration) == ("model", "m-1", 1)


async def test_a_yes_goes_on_with_exactly_what_was_kept() -> None:
    """First the kept calls, byte by byte and in order; only then the provider (E-3)."""
    world = await three_with_the_second_parked()
    first = world.provider.requests[0]
    world.restart(ANSWER)
    result = (await world.resume({"a-r2": yes()})).result

    assert (result.finish, result.text) == (Finish.TEXT, "All done.")
    assert [request for request, _ in world.gate.dispatched] == [call(2), call(3)]
    assert [list(held) for _, held in world.gate.dispatched] == [["r2"], []]
    (asked,) = world.provider.requests
    assert asked.messages[0] == first.messages[0] == UserMessage(text="do three things")
    assert asked.messages[1] == AssistantMessage(
        text="Ok.",
        requests=(call(1), call(2), call(3)),
        vendor=(VendorBlock(provider="model", data=({"type": "thinking"},)),),
    )
    results = asked.messages[2:]
    assert all(isinstance(message, ToolResultMessage) for message in results)
    assert [outcome.data for outcome in result.outcomes] == [
        {"done": "r1"},
        {"done": "r2"},
        {"done": "r3"},
    ]
    assert result.iterations == 2
    assert result.usage == Usage(input_tokens=10, output_tokens=5)
    assert world.turn.decision_id == "decision-1"
    assert world.turn.approved == {}


async def test_a_no_is_the_calls_outcome() -> None:
    """The call isn't made; the others are, and the model hears of it."""
    world = await three_with_the_second_parked()
    world.restart(ANSWER)
    result = (await world.resume({"a-r2": no()})).result

    assert world.gate.ids() == ["r3"]
    refused = result.outcomes[1]
    assert refused.error is not None
    assert refused.error.code is Code.APPROVAL_DENIED
    assert (refused.executed, refused.parked) == (False, None)
    assert result.text == "All done."


@pytest.mark.parametrize(
    ("code", "finish"),
    [
        (Code.APPROVAL_EXPIRED, Finish.EXPIRED),
        (Code.INTERRUPTED, Finish.INTERRUPTED),
    ],
)
async def test_the_moment_is_over(code: Code, finish: Finish) -> None:
    """Without an answer nothing more is started: not the rest, not the provider.

    Fifteen minutes later nobody expects a light to go on.
    """
    world = await three_with_the_second_parked()
    world.restart(ANSWER)
    result = (await world.resume({"a-r2": no(code)})).result

    assert (result.finish, result.text) == (finish, "")
    assert world.gate.ids() == []
    assert world.gate.skipped == [("r3", Code.CANCELLED)]
    assert world.provider.requests == []
    assert [outcome.error is None for outcome in result.outcomes] == [
        True,
        False,
        False,
    ]


async def test_a_read_after_the_question_is_not_started() -> None:
    """Reads run side by side, but not past a question."""
    world = World([call(1), read(2), read(3), CALLS], ANSWER)
    world.gate.parks = ["r1"]
    await world.run()
    assert world.gate.ids() == ["r1"]
    world.restart(ANSWER)
    await world.resume({"a-r1": no(Code.APPROVAL_EXPIRED)})
    assert world.gate.ids() == []
    assert [skipped for skipped, _ in world.gate.skipped] == ["r2", "r3"]


async def test_an_interrupted_call_may_have_happened() -> None:
    """Nobody knows; a refused one has not."""
    world = await three_with_the_second_parked()
    world.restart(ANSWER)
    lost = (await world.resume({"a-r2": no(Code.INTERRUPTED)})).result.outcomes[1]
    assert lost.executed
    late = (await world.resume({"a-r2": no(Code.APPROVAL_EXPIRED)})).result.outcomes[1]
    assert not late.executed


async def test_earlier_rounds_and_all_of_the_turn_go_on() -> None:
    """What the turn has done, has read and may do at most is the same afterwards."""
    world = World([read(1), call(2), CALLS], [call(3), CALLS])
    world.gate.taint = {"r1": frozenset({Taint.UNTRUSTED})}
    world.gate.parks = ["r3"]
    turn = turn_now(world.clock)
    turn.tools = ToolScope.READ
    turn.carried = frozenset({Taint.PRIVATE})
    turn.actions = 7
    turn.seen = {
        "x": ToolOutcome(request_id="r9", tool="t"),
        "y": ToolOutcome(request_id="r8", tool="t", parked="a-r8"),
    }
    await run(world.brain, turn)

    world.restart(ANSWER)
    result = (await world.resume({"a-r3": yes("a-r3")})).result
    assert [outcome.request_id for outcome in result.outcomes] == ["r1", "r2", "r3"]
    assert world.turn.tools is ToolScope.READ
    assert world.turn.carried == {Taint.PRIVATE}
    assert world.turn.taint == {Taint.UNTRUSTED, Taint.PRIVATE}
    assert world.turn.actions == 7
    # What waits has not come of anything: the same call is no repetition of it.
    assert set(world.turn.seen) == {"x"}
    assert world.gate.taint_seen == [{Taint.UNTRUSTED, Taint.PRIVATE}]


async def test_a_turn_parks_twice() -> None:
    """Each question is a checkpoint of its own; nothing runs twice."""
    world = await three_with_the_second_parked()
    world.restart(ANSWER)
    world.gate.parks = ["r3"]
    again = (await world.resume({"a-r2": yes()})).result
    assert (again.finish, again.parked) == (Finish.PARKED, "a-r3")
    assert world.gate.ids() == ["r2", "r3"]
    assert world.provider.requests == []

    world.restart(ANSWER)
    result = (await world.resume({"a-r3": yes("a-r3")})).result
    assert world.gate.ids() == ["r3"]
    assert result.text == "All done."
    assert len(result.outcomes) == 3


async def test_the_gate_asks_again() -> None:
    """What the call would do has changed: the same call waits for a new answer."""
    world = await three_with_the_second_parked()
    world.restart(ANSWER)
    world.gate.dispatched = [(call(2), {})]
    world.gate.parks = ["r2"]
    again = (await world.resume({"a-r2": yes()})).result
    assert (again.finish, again.parked) == (Finish.PARKED, "a-r2+")
    assert world.keeper.last().approval_ids == ("a-r2+",)
