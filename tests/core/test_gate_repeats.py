"""Identical calls of one turn: a read is answered once, a change made once."""

import asyncio
from typing import Any

import pytest

from custom_components.caesar.policy.reason import Code
from custom_components.caesar.tool import ExecutorError
from custom_components.caesar.turn import ToolRequest
from tests.fakes.parts import GateUnderTest

from .test_gate import FRONT_DOOR, KITCHEN, under_test

__all__ = ["under_test"]


async def test_repeat_of_a_change_is_refused(under_test: GateUnderTest) -> None:
    """It is done once, and the row of the second says why not."""
    turn = under_test.turn()
    assert (await under_test.service("light.turn_on", KITCHEN, turn=turn)).error is None
    again = await under_test.service("light.turn_on", KITCHEN, turn=turn)

    assert again.error is not None
    assert again.error.code is Code.REPEATED_CALL
    assert not again.executed
    assert len(under_test.executor.done) == 1
    assert under_test.trail.types() == [
        "tool.intended",
        "service.called",
        "policy.denied",
    ]


async def test_repeat_in_other_words_is_the_same(under_test: GateUnderTest) -> None:
    """What counts is what it means: the order of keys and the spelling don't."""
    turn = under_test.turn()
    await under_test.service("light.turn_on", KITCHEN, {"a": 1, "b": 2}, turn=turn)
    again = await under_test.service(
        "light.turn_on", {"entity_id": [" LIGHT.Kitchen"]}, {"b": 2, "a": 1}, turn=turn
    )
    other = await under_test.service("light.turn_on", KITCHEN, {"a": 2}, turn=turn)

    assert again.error is not None
    assert again.error.code is Code.REPEATED_CALL
    assert other.error is None


async def test_another_turn_is_no_repeat(under_test: GateUnderTest) -> None:
    """A person may ask for the same again."""
    for _ in range(2):
        assert (await under_test.service("light.turn_on", KITCHEN)).error is None
    assert len(under_test.executor.done) == 2


async def test_repeat_of_a_refusal_is_refused(under_test: GateUnderTest) -> None:
    """Nobody is asked twice because a model asks twice."""
    turn = under_test.turn()
    await under_test.service("lock.unlock", FRONT_DOOR, turn=turn)
    again = await under_test.service("lock.unlock", FRONT_DOOR, turn=turn)

    assert again.error is not None
    assert again.error.code is Code.REPEATED_CALL
    assert len(under_test.approver.asked) == 1


async def test_repeat_of_what_may_be_tried_again(under_test: GateUnderTest) -> None:
    """What failed before anything was done, and says so, may be tried once more."""
    turn = under_test.turn()
    under_test.executor.error = ExecutorError(Code.TOOL_ERROR, "no", retryable=True)
    await under_test.service("light.turn_on", KITCHEN, turn=turn)
    under_test.executor.error = ExecutorError(
        Code.TOOL_ERROR, "no", retryable=True, maybe_done=True
    )
    second = await under_test.service("light.turn_on", KITCHEN, turn=turn)
    under_test.executor.error = None
    third = await under_test.service("light.turn_on", KITCHEN, turn=turn)

    assert second.error is not None
    assert second.error.code is Code.TOOL_ERROR
    assert third.error is not None
    assert third.error.code is Code.REPEATED_CALL
    assert under_test.executor.done == []


async def test_repeat_of_a_read_has_the_first_answer(under_test: GateUnderTest) -> None:
    """It costs nothing, and the trail says which row it repeats."""
    turn = under_test.turn()
    under_test.executor.data = {"entities": [{"entity_id": "light.kitchen"}]}
    first = await under_test.read("light.kitchen", turn=turn)
    under_test.executor.data = {"entities": []}
    again = await under_test.gate.dispatch(
        ToolRequest(
            id="request-2",
            name="get_state",
            arguments={"entity_id": ["light.kitchen"]},
        ),
        turn,
    )

    assert again.data == first.data
    assert (again.request_id, again.taint) == ("request-2", first.taint)
    assert len(under_test.executor.done) == 1
    assert under_test.trail.types() == [
        "tool.intended",
        "tool.called",
        "tool.called",
    ]
    _, intent_seq, row = under_test.trail.rows[2]
    assert intent_seq is None
    assert row.payload["repeats"] == first.seq == 1
    assert again.seq == 3


async def test_a_read_after_a_change_is_new(under_test: GateUnderTest) -> None:
    """What was read before a change is no answer to what is now."""
    turn = under_test.turn()
    under_test.executor.data = {"entities": [{"state": "off"}]}
    await under_test.read("light.kitchen", turn=turn)
    await under_test.service("light.turn_on", KITCHEN, turn=turn)
    under_test.executor.data = {"entities": [{"state": "on"}]}
    after = await under_test.read("light.kitchen", turn=turn)

    assert after.data == {"entities": [{"state": "on"}]}


async def test_a_read_after_a_change_that_still_runs_is_new() -> None:
    """It may have happened by now."""
    slow = GateUnderTest(timeout_s=0.01)
    turn = slow.turn()
    await slow.read("light.kitchen", turn=turn)
    slow.executor.gate = asyncio.Event()
    running = await slow.service("light.turn_on", KITCHEN, turn=turn)
    slow.executor.gate.set()
    slow.executor.data = {"entities": [{"state": "on"}]}
    after = await slow.read("light.kitchen", turn=turn)
    again = await slow.service("light.turn_on", KITCHEN, turn=turn)
    await asyncio.gather(*slow.tasks)

    assert running.error is not None
    assert running.error.code is Code.STILL_RUNNING
    assert after.data == {"entities": [{"state": "on"}]}
    assert again.error is not None
    assert again.error.code is Code.REPEATED_CALL


async def test_reads_side_by_side_are_one(under_test: GateUnderTest) -> None:
    """The second waits for the first and has its answer."""
    turn = under_test.turn()
    under_test.executor.gate = asyncio.Event()
    reads = [
        asyncio.create_task(under_test.read("light.kitchen", turn=turn))
        for _ in range(4)
    ]
    await under_test.until_running()
    for _ in range(10):
        await asyncio.sleep(0)
    assert under_test.executor.running == 1
    under_test.executor.gate.set()
    outcomes = await asyncio.gather(*reads)
    assert len(under_test.executor.done) == 1
    assert {str(outcome.data) for outcome in outcomes} == {str(outcomes[0].data)}


async def test_changes_side_by_side_are_one(under_test: GateUnderTest) -> None:
    """Another agent that runs its tools in parallel gains nothing."""
    turn = under_test.turn()
    outcomes = await asyncio.gather(
        *(under_test.service("light.turn_on", KITCHEN, turn=turn) for _ in range(4))
    )
    codes = [outcome.error.code if outcome.error else None for outcome in outcomes]
    assert codes == [None, *[Code.REPEATED_CALL] * 3]
    assert len(under_test.executor.done) == 1


async def test_a_first_read_that_was_cancelled_is_no_answer(
    under_test: GateUnderTest,
) -> None:
    """Whoever waited for it asks for itself."""
    turn = under_test.turn()
    under_test.executor.gate = asyncio.Event()
    first = asyncio.create_task(under_test.read("light.kitchen", turn=turn))
    await under_test.until_running()
    second = asyncio.create_task(under_test.read("light.kitchen", turn=turn))
    await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    under_test.executor.gate.set()
    assert (await second).error is None
    assert len(under_test.executor.done) == 2


async def test_a_repeat_without_a_trail(under_test: GateUnderTest) -> None:
    """A read is answered even when nothing can be written."""
    turn = under_test.turn()
    await under_test.read("light.kitchen", turn=turn)
    under_test.trail.down = True
    again = await under_test.read("light.kitchen", turn=turn)
    assert (again.error, again.seq) == (None, None)


@pytest.mark.parametrize("odd", [{"entity_id": []}, {}])
async def test_a_read_of_everything_repeats_too(
    under_test: GateUnderTest, odd: dict[str, Any]
) -> None:
    """Also one without a target."""
    turn = under_test.turn()
    for number in range(3):
        request = ToolRequest(id=f"r{number}", name="get_state", arguments=odd)
        assert (await under_test.gate.dispatch(request, turn)).error is None
    assert len(under_test.executor.done) == 1
