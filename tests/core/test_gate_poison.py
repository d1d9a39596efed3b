"""What may not break the gate: poisoned arguments and answers, and a house that moves."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.audit.event import AuditEvent, AuditRow
from custom_components.caesar.legion.canonical import canonical_json
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.turn import ApprovalResult, ApprovalState, ToolRequest
from tests.fakes.parts import FakeTrail, GateUnderTest

from .test_gate import FRONT_DOOR, KITCHEN, under_test

__all__ = ["under_test"]


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("-inf"), "\ud800", {"\udfff": 1}, 10**5_000, object()],
    ids=["nan", "infinite", "half", "half a key", "endless", "object"],
)
async def test_arguments_without_one_json_text_are_refused(
    under_test: GateUnderTest, value: Any
) -> None:
    """What can't be hashed can't be approved or found again, so it is no call."""
    outcome = await under_test.service("light.turn_on", KITCHEN, {"x": [value]})

    assert outcome.error is not None
    assert outcome.error.code is Code.INVALID_INPUT
    assert outcome.error.message.encode()
    assert under_test.trail.types() == ["tool.invalid"]


async def test_a_tool_name_of_half_a_character_is_told_as_text(
    under_test: GateUnderTest,
) -> None:
    """Outcomes go to browsers and to REST, which know UTF-8 only."""
    outcome = await under_test.gate.dispatch(
        ToolRequest(id="r", name="\ud800", arguments={}), under_test.turn()
    )
    assert outcome.tool == "?"
    assert outcome.error is not None
    assert outcome.error.message.encode()


@pytest.mark.parametrize(
    "answer",
    [
        {"value": float("nan")},
        {"half": "\ud800"},
        {1: {2, 3}},
        [10**5_000],
        object(),
        None,
    ],
    ids=["nan", "half", "set", "endless", "object", "nothing"],
)
async def test_any_answer_of_a_tool_is_concluded(
    under_test: GateUnderTest, answer: Any
) -> None:
    """What was done is on record as done, whatever the tool answered."""
    under_test.executor.data = answer
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is None
    assert canonical_json(outcome.data).encode()
    assert under_test.trail.types() == ["tool.intended", "service.called"]


async def test_a_read_says_what_it_answered_with(under_test: GateUnderTest) -> None:
    """The entities of an answer are its target, unless the call named them."""
    under_test.executor.data = {"entities": [{"entity_id": "light.hall"}, "odd", {}]}
    assert (await under_test.read()).target == ("light.hall",)
    assert (await under_test.read("light.kitchen")).target == ("light.kitchen",)
    under_test.executor.data = {"entities": {"light.hall": "on"}}
    assert (await under_test.read()).target == ()


async def test_an_answer_that_is_json_stays_as_it_is(
    under_test: GateUnderTest,
) -> None:
    """Numbers, truth and nothing are told as they are."""
    under_test.executor.data = {"a": [1, 0.5, True, None, "ä", {"b": ["x", -7]}]}
    outcome = await under_test.service("light.turn_on", KITCHEN)
    assert outcome.data == under_test.executor.data


async def test_a_refusal_names_what_was_asked_for(under_test: GateUnderTest) -> None:
    """Also where nothing of it exists."""
    gone = await under_test.service("light.turn_on", {"entity_id": "light.gone"})
    assert gone.target == ("light.gone",)
    assert under_test.executor.done == []


async def test_a_tool_that_cancels_itself_is_concluded(
    under_test: GateUnderTest,
) -> None:
    """A handler whose own task was cancelled ends like any other failure."""
    under_test.executor.error = asyncio.CancelledError()  # type: ignore[assignment]  # a tool of any make may
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is not None
    assert outcome.error.code is Code.INTERRUPTED
    assert outcome.executed
    assert under_test.trail.types() == ["tool.intended", "service.called"]


async def test_the_lock_is_free_after_every_failure(under_test: GateUnderTest) -> None:
    """No refusal, failure or cancelled turn keeps the next change waiting."""
    for error in (KeyError("x"), RuntimeError("y")):
        under_test.executor.error = error
        await under_test.service("light.turn_on", KITCHEN)
    under_test.executor.error = None
    under_test.trail.down_for = "intend"
    await under_test.service("light.turn_on", KITCHEN)
    under_test.trail.down_for = None
    under_test.executor.gate = asyncio.Event()
    first = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await under_test.until_running()
    waiting = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await asyncio.sleep(0)
    waiting.cancel()
    under_test.executor.gate.set()
    await asyncio.gather(first, waiting, return_exceptions=True)

    assert waiting.cancelled()
    outcome = await under_test.service("light.turn_on", KITCHEN)
    assert outcome.error is None
    # The cancelled one, which was never begun, has no row of an effect.
    assert len(under_test.executor.done) == 2


async def test_no_change_begins_after_the_turns_time(under_test: GateUnderTest) -> None:
    """A turn whose time is over changes nothing, even if nobody is before it."""
    late = under_test.turn()
    late.deadline = under_test.clock()
    outcome = await under_test.service("light.turn_on", KITCHEN, turn=late)

    assert outcome.error is not None
    assert outcome.error.code is Code.TIMEOUT
    assert under_test.executor.done == []
    assert (await under_test.service("light.turn_on", KITCHEN)).error is None


async def test_a_turn_that_runs_out_of_time_in_the_queue_leaves_it(
    under_test: GateUnderTest,
) -> None:
    """It changes nothing, and doesn't keep the place it never had."""
    under_test.executor.gate = asyncio.Event()
    first = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await under_test.until_running()
    hurried = under_test.turn()
    hurried.deadline = under_test.clock() + 0.01
    outcome = await under_test.service("light.turn_on", KITCHEN, turn=hurried)
    under_test.executor.gate.set()

    assert outcome.error is not None
    assert outcome.error.code is Code.TIMEOUT
    assert (await first).error is None
    assert (await under_test.service("light.turn_on", KITCHEN)).error is None
    assert len(under_test.executor.done) == 2


class MovingTrail(FakeTrail):
    """A trail during whose slow write something happens in the house."""

    under_test: GateUnderTest
    then = ""

    async def intend(self, event: AuditEvent) -> AuditRow:
        """Keep the intent, and let it happen."""
        row = await super().intend(event)
        home = self.under_test.home
        kitchen = home.facts["light.kitchen"]
        match self.then:
            case "unshared":
                home.facts["light.kitchen"] = replace(kitchen, exposed=False)
            case "forbidden":
                self.under_test.policy = load_policy(
                    "version: 1\nallowed_services: []\n"
                )
            case "joined":
                home.facts["light.kitchen"] = replace(kitchen, members=("light.hall",))
        object.__setattr__(home, "revision", home.revision + 1)
        return row


@pytest.mark.parametrize("then", ["unshared", "forbidden", "joined"])
async def test_what_changes_while_the_intent_is_written_stops_the_call(
    then: str,
) -> None:
    """A slow disk leaves no gap: the house is looked at again right before."""
    trail = MovingTrail()
    under_test = trail.under_test = GateUnderTest(trail=trail)
    trail.then = then
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is not None
    assert outcome.error.retryable
    assert outcome.executed is False
    assert under_test.executor.done == []
    assert trail.types() == ["tool.intended", "service.called"]


async def test_what_changes_elsewhere_stops_nothing() -> None:
    """A house in which something else moved is judged again, and the call goes on."""
    trail = MovingTrail()
    under_test = trail.under_test = GateUnderTest(trail=trail)
    assert (await under_test.service("light.turn_on", KITCHEN)).error is None
    assert len(under_test.executor.done) == 1


async def test_a_person_is_asked_once(under_test: GateUnderTest) -> None:
    """A yes isn't asked for again because something else moved while it waited."""
    under_test.approver.result = ApprovalResult(
        state=ApprovalState.APPROVED,
        reason=Reason(code=Code.ALLOWED),
        approval_id="approval-1",
    )
    under_test.executor.gate = asyncio.Event()
    first = asyncio.create_task(under_test.service("light.turn_on", KITCHEN))
    await under_test.until_running()
    second = asyncio.create_task(under_test.service("lock.unlock", FRONT_DOOR))
    for _ in range(20):
        await asyncio.sleep(0)
    object.__setattr__(under_test.home, "revision", 7)
    under_test.executor.gate.set()
    await first

    assert (await second).error is None
    assert len(under_test.approver.asked) == 1


async def test_a_failure_inside_the_gate_is_on_record(
    under_test: GateUnderTest,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A guard that breaks refuses, and the trail says so."""

    def broken(*_: object) -> bool:
        raise OSError("broken")

    monkeypatch.setattr(under_test.permissions, "has_service", broken)
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is not None
    assert outcome.error.code is Code.TOOL_ERROR
    assert outcome.seq == 1
    assert under_test.trail.types() == ["tool.invalid"]
    assert "failed inside the gate" in caplog.text


async def test_a_broken_trail_after_the_effect_is_no_second_row(
    under_test: GateUnderTest,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What may have been done is never recorded as refused."""

    async def broken(*_: object) -> AuditRow:
        raise OSError("broken")

    monkeypatch.setattr(under_test.trail, "conclude", broken)
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is not None
    assert outcome.error.code is Code.TOOL_ERROR
    assert len(under_test.executor.done) == 1
    assert under_test.trail.types() == ["tool.intended"]
    assert "Carrying out" in caplog.text
