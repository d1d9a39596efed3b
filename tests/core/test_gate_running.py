"""Calls under way: cancelled turns, long ones, several at once, and what breaks."""

import asyncio

import pytest

from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import ToolRequest
from tests.fakes.parts import GateUnderTest

from .test_gate import FRONT_DOOR, KITCHEN, under_test

__all__ = ["under_test"]


async def test_a_cancelled_turn_does_not_stop_a_call(
    under_test: GateUnderTest,
) -> None:
    """Cancelling ends the waiting: the call runs to its end and is concluded."""
    under_test.executor.gate = asyncio.Event()
    waiting = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await under_test.until_running()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert under_test.trail.types() == ["tool.intended"]

    under_test.executor.gate.set()
    await asyncio.gather(*under_test.tasks)
    assert under_test.trail.types() == ["tool.intended", "service.called"]
    assert len(under_test.executor.done) == 1


async def test_still_running_after_the_tools_time(under_test: GateUnderTest) -> None:
    """A call that takes too long goes on; the brain hears so, and the lock is free."""
    slow = GateUnderTest(timeout_s=0.01)
    slow.executor.gate = asyncio.Event()
    first = await slow.service("light.turn_on", KITCHEN)
    second_task = asyncio.create_task(slow.service("light.turn_on", KITCHEN))
    second = await second_task

    assert first.error is not None
    assert first.error.code is Code.STILL_RUNNING
    assert second.error is not None
    assert second.error.code is Code.STILL_RUNNING
    slow.executor.gate.set()
    await asyncio.gather(*slow.tasks)
    assert slow.trail.types().count("service.called") == 2


async def test_changes_run_one_at_a_time_and_reads_beside(
    under_test: GateUnderTest,
) -> None:
    """Whoever calls: two changes never overlap."""
    calls = [under_test.service("light.turn_on", KITCHEN) for _ in range(5)]
    await asyncio.gather(*calls)
    assert under_test.executor.most_at_once == 1

    under_test.executor.gate = asyncio.Event()
    reads = [asyncio.create_task(under_test.read("light.kitchen")) for _ in range(3)]
    await under_test.until_running(3)
    under_test.executor.gate.set()
    await asyncio.gather(*reads)
    assert under_test.executor.most_at_once == 3


async def test_a_policy_changed_while_waiting_is_asked_again(
    under_test: GateUnderTest,
) -> None:
    """A call that waited for its turn is decided by the policy of the moment."""
    under_test.executor.gate = asyncio.Event()
    first = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await under_test.until_running()
    second = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    for _ in range(20):
        await asyncio.sleep(0)
    under_test.policy = load_policy("version: 1\nallowed_services: []\n")
    under_test.executor.gate.set()

    assert (await first).error is None
    denied = await second
    assert denied.error is not None
    assert denied.error.code is Code.NOT_LISTED
    assert len(under_test.executor.done) == 1


async def test_waiting_for_a_turn_ends_with_the_turns_time(
    under_test: GateUnderTest,
) -> None:
    """A turn whose time is over while it waits changes nothing."""
    under_test.executor.gate = asyncio.Event()
    first = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await under_test.until_running()
    late = under_test.turn()
    late.deadline = under_test.clock()
    outcome = await under_test.service("light.turn_on", KITCHEN, turn=late)

    assert outcome.error is not None
    assert outcome.error.code is Code.TIMEOUT
    assert not outcome.executed
    under_test.executor.gate.set()
    await first
    assert len(under_test.executor.done) == 1


async def test_an_error_inside_the_gate_fails_closed(
    under_test: GateUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever breaks before the effect, nothing happens and the turn goes on."""
    under_test.policy = None
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is not None
    assert outcome.error.code is Code.TOOL_ERROR
    assert under_test.executor.done == []
    assert "failed inside the gate" in caplog.text


async def test_skip_records_why(under_test: GateUnderTest) -> None:
    """A call that is not even considered leaves a row."""
    outcome = await under_test.gate.skip(
        ToolRequest(id="r", name="call_service", arguments={}),
        under_test.turn(),
        Code.TOO_MANY_CALLS,
    )

    assert outcome.error is not None
    assert outcome.error.code is Code.TOO_MANY_CALLS
    assert under_test.trail.types() == ["tool.invalid"]


async def test_refusals_stand_without_a_trail(under_test: GateUnderTest) -> None:
    """A refusal doesn't depend on being written."""
    under_test.trail.down = True
    denied = await under_test.service("light.turn_off", KITCHEN)
    unknown = await under_test.gate.dispatch(
        ToolRequest(id="r", name="nothing", arguments={}), under_test.turn()
    )

    assert denied.error is not None
    assert denied.seq is None
    assert unknown.error is not None
    assert unknown.seq is None


async def test_offered_follows_the_policy(under_test: GateUnderTest) -> None:
    """A brain is shown what could be granted, and the reads are known as reads."""
    assert under_test.gate.is_read("get_state")
    assert not under_test.gate.is_read("call_service")
    assert not under_test.gate.is_read("nothing")
    names = {spec.name for spec in under_test.gate.offered(under_test.turn())}
    assert "get_state" in names


async def test_a_call_that_is_cancelled_itself_reads_as_interrupted(
    under_test: GateUnderTest,
) -> None:
    """When Home Assistant stops, a call under way is not reported as done."""
    under_test.executor.gate = asyncio.Event()
    waiting = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await under_test.until_running()
    under_test.tasks[0].cancel()
    outcome = await waiting

    assert outcome.error is not None
    assert outcome.error.code is Code.INTERRUPTED
    assert under_test.trail.types() == ["tool.intended"]


async def test_decision_reason_is_the_last_word(under_test: GateUnderTest) -> None:
    """An approval overrules a guard, and a guard the policy."""
    outcome = await under_test.service("lock.unlock", FRONT_DOOR)
    assert outcome.decision is not None
    assert outcome.decision.reason.code is Code.NO_APPROVER
    assert outcome.decision.as_json()["policy_code"] == "approval_needed"
