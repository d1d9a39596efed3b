"""The one path: what each step of the gate is for.

`proofs/gate_steps.py` takes each step out in turn and sees a test below fail that
names it.
"""

from typing import Any

import pytest

from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.result import MAX_RESULT_BYTES, size_of
from custom_components.caesar.tool import ExecutorError
from custom_components.caesar.turn import ApprovalResult, ApprovalState, ToolRequest
from tests.fakes.parts import GateUnderTest

KITCHEN: dict[str, Any] = {"entity_id": "light.kitchen"}
FRONT_DOOR: dict[str, Any] = {"entity_id": "lock.front_door"}


@pytest.fixture
def under_test() -> GateUnderTest:
    """Return a gate with a small house behind it."""
    return GateUnderTest()


async def test_an_allowed_call_takes_every_step(under_test: GateUnderTest) -> None:
    """An allowed call is on record, told, carried out and concluded, in that order."""
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is None
    assert outcome.executed
    assert outcome.target == ("light.kitchen",)
    assert under_test.trail.types() == ["tool.intended", "service.called"]
    assert under_test.trail.rows[1][1] == outcome.seq == 1
    assert under_test.executor.rows_before == [["tool.intended"]]
    assert [verb for verb, _ in under_test.activity.told] == ["intended"]


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("no_such_tool", {}, Code.UNKNOWN_TOOL),
        ("call_service", None, Code.INVALID_INPUT),
        ("call_service", {"domain": "light"}, Code.INVALID_INPUT),
        ("call_service", {"domain": 7, "service": "turn_on"}, Code.INVALID_INPUT),
        (
            "call_service",
            {"domain": "light", "service": "turn_on", "extra": 1},
            Code.INVALID_INPUT,
        ),
        (
            "call_service",
            {
                "domain": "light",
                "service": "turn_on",
                "target": {"entity_id": "light.kitchen"},
                "data": {"entity_id": "light.hall"},
            },
            Code.MALFORMED_TARGET,
        ),
        (
            "call_service",
            {
                "domain": "light",
                "service": "turn_on",
                "target": {"entity": "light.kitchen"},
            },
            Code.MALFORMED_TARGET,
        ),
        (
            "call_service",
            {"domain": "light", "service": "turn_on", "target": {"entity_id": []}},
            Code.MALFORMED_TARGET,
        ),
    ],
)
async def test_step_resolve(
    under_test: GateUnderTest, name: str, arguments: dict[str, Any] | None, code: Code
) -> None:
    """What is no call is refused and on record, and nothing runs."""
    outcome = await under_test.gate.dispatch(
        ToolRequest(id="r", name=name, arguments=arguments, raw="{oops"),
        under_test.turn(),
    )

    assert outcome.error is not None
    assert outcome.error.code is code
    assert under_test.executor.done == []
    assert under_test.trail.types() == ["tool.invalid"]
    payload = under_test.trail.rows[0][2].payload
    assert {"tool", "input", "decision", "connector", "action"} <= set(payload)


async def test_step_resolve_pins_what_is_sent(under_test: GateUnderTest) -> None:
    """A spelling that Home Assistant would accept is resolved before it is decided."""
    await under_test.service(
        "light.turn_on", {"entity_id": " LIGHT.Kitchen, light.hall"}
    )

    [(_, pinned, _)] = under_test.executor.done
    assert set(pinned) == {"light.kitchen", "light.hall"}


async def test_step_decide(under_test: GateUnderTest) -> None:
    """What the policy does not list does not happen, and leaves a row with why."""
    outcome = await under_test.service("light.turn_off", KITCHEN)

    assert outcome.error is not None
    assert outcome.error.code is Code.NOT_LISTED
    assert "light.turn_off" in outcome.error.message
    assert under_test.executor.done == []
    assert under_test.trail.types() == ["policy.denied"]
    decision = under_test.trail.rows[0][2].payload["decision"]
    assert isinstance(decision, dict)
    assert decision["code"] == "not_listed"
    assert [verb for verb, _ in under_test.activity.told] == ["denied"]


async def test_step_guard_exposure(under_test: GateUnderTest) -> None:
    """What isn't shared with the assistant stays out of reach."""
    outcome = await under_test.service("light.turn_on", {"entity_id": "light.attic"})

    assert outcome.error is not None
    assert outcome.error.code is Code.CAPABILITY_DENIED
    assert under_test.executor.done == []


async def test_step_guard_comes_before_approval(under_test: GateUnderTest) -> None:
    """Nobody is asked about what a guard refuses anyway."""
    under_test.permissions.missing.add("lock.unlock")
    outcome = await under_test.service("lock.unlock", FRONT_DOOR)

    assert outcome.error is not None
    assert outcome.error.code is Code.CAPABILITY_DENIED
    assert under_test.approver.asked == []


async def test_step_guard_permission(under_test: GateUnderTest) -> None:
    """Home Assistant's own permissions of the user hold."""
    under_test.permissions.forbidden.add(("user-1", "light.kitchen"))

    denied = await under_test.service("light.turn_on", KITCHEN)
    unread = await under_test.read("light.kitchen")
    other = await under_test.service(
        "light.turn_on", KITCHEN, turn=under_test.turn(user_id="user-2")
    )

    assert denied.error is not None
    assert denied.error.code is Code.CAPABILITY_DENIED
    assert unread.error is not None
    assert unread.error.code is Code.CAPABILITY_DENIED
    assert other.error is None


async def test_step_guard_automation_reads_only(under_test: GateUnderTest) -> None:
    """An automation reads; it changes nothing."""
    turn = under_test.turn(user_id=None, origin=Origin.AUTOMATION)

    changed = await under_test.service("light.turn_on", KITCHEN, turn=turn)
    read = await under_test.read("light.kitchen", turn=turn)

    assert changed.error is not None
    assert changed.error.code is Code.CALLER_NOT_COVERED
    assert read.error is None


async def test_step_approve_nobody_to_ask(under_test: GateUnderTest) -> None:
    """A question that nobody hears is a no."""
    outcome = await under_test.service("lock.unlock", FRONT_DOOR)

    assert outcome.error is not None
    assert outcome.error.code is Code.NO_APPROVER
    assert outcome.decision is not None
    assert outcome.decision.policy.verdict is Verdict.ASK
    assert outcome.decision.verdict is Verdict.DENY
    assert outcome.decision.policy.rule is not None
    assert outcome.decision.policy.rule.name == "doors"
    assert under_test.executor.done == []
    assert len(under_test.approver.asked) == 1


async def test_step_approve_yes(under_test: GateUnderTest) -> None:
    """A person's yes lets exactly that call through, and the row says whose it was."""
    under_test.approver.result = ApprovalResult(
        state=ApprovalState.APPROVED,
        reason=Reason(code=Code.ALLOWED),
        decided_by="user-1",
        via="chat",
        approval_id="approval-1",
    )
    outcome = await under_test.service("lock.unlock", FRONT_DOOR)

    assert outcome.error is None
    [(_, pinned, _)] = under_test.executor.done
    assert pinned == ("lock.front_door",)
    decision = under_test.trail.rows[0][2].payload["decision"]
    assert isinstance(decision, dict)
    assert decision["decided_by"] == "user-1"


async def test_step_intend_before_the_effect(under_test: GateUnderTest) -> None:
    """The intent is on the disk itself before anything happens."""
    await under_test.service("light.turn_on", KITCHEN)

    assert under_test.executor.rows_before == [["tool.intended"]]
    assert under_test.trail.rows[0][2].durable


async def test_step_intend_refuses_without_a_trail(under_test: GateUnderTest) -> None:
    """What can't be recorded does not happen; a read is still answered."""
    under_test.trail.down = True

    changed = await under_test.service("light.turn_on", KITCHEN)
    read = await under_test.read("light.kitchen")

    assert changed.error is not None
    assert changed.error.code is Code.AUDIT_UNAVAILABLE
    assert changed.decision is not None
    assert changed.decision.verdict is Verdict.DENY
    assert not changed.executed
    assert read.error is None
    assert [call for call, _, _ in under_test.executor.done] != []
    assert len(under_test.executor.done) == 1


async def test_step_intend_that_comes_late_leaves_one_row(
    under_test: GateUnderTest,
) -> None:
    """An intent that the trail will conclude itself gets no second row."""
    under_test.trail.down_for = "intend"
    for concluded in (True, False):
        under_test.trail.concludes = concluded
        outcome = await under_test.service("light.turn_on", KITCHEN)
        assert outcome.error is not None
        assert outcome.error.code is Code.AUDIT_UNAVAILABLE
        assert under_test.trail.types() == ([] if concluded else ["policy.denied"])
    assert under_test.executor.done == []


async def test_step_intend_tells_before_the_effect(under_test: GateUnderTest) -> None:
    """Activity hears of a call before it runs, with the call's own context."""
    await under_test.service("light.turn_on", KITCHEN)

    [(_, _, context_id)] = under_test.executor.done
    assert under_test.activity.context_ids == [context_id]
    assert under_test.trail.rows[0][2].payload["context_id"] == context_id


async def test_step_execute(under_test: GateUnderTest) -> None:
    """The tool's own executor gets the call, the pinned entities and a context."""
    under_test.executor.data = {"entities": [{"entity_id": "light.kitchen"}]}
    outcome = await under_test.service("light.turn_on", KITCHEN, {"brightness": 3})

    [(call, pinned, _)] = under_test.executor.done
    assert outcome.data == {"entities": [{"entity_id": "light.kitchen"}]}
    assert pinned == ("light.kitchen",)
    assert getattr(call, "data", None) == {"brightness": 3}


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (ExecutorError(Code.TOOL_ERROR, "no", retryable=True), Code.TOOL_ERROR, True),
        (ExecutorError(Code.INVALID_INPUT, "bad"), Code.INVALID_INPUT, False),
        (KeyError("boom"), Code.TOOL_ERROR, None),
    ],
)
async def test_step_execute_failures_are_outcomes(
    under_test: GateUnderTest, error: Exception, code: Code, retryable: bool | None
) -> None:
    """A tool of any make may raise anything: the turn gets an error, the trail a row."""
    under_test.executor.error = error
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is not None
    assert outcome.error.code is code
    if retryable is not None:
        assert outcome.error.retryable is retryable
    assert "boom" not in outcome.error.message
    assert under_test.trail.types() == ["tool.intended", "service.called"]
    result = under_test.trail.rows[1][2].payload["outcome"]
    assert isinstance(result, dict)
    assert result["ok"] is False
    assert result["error"] == code.value
    assert [verb for verb, _ in under_test.activity.told] == ["intended", "failed"]


async def test_step_filter(under_test: GateUnderTest) -> None:
    """A result is cut to 8 KiB, and secrets never reach a brain."""
    under_test.executor.data = {
        "entities": [
            {"entity_id": f"light.l{number}", "state": "ä" * 40}
            for number in range(500)
        ],
        "access_token": "s3cret",
    }
    outcome = await under_test.read("light.kitchen")

    assert outcome.truncated
    assert size_of(outcome.data) <= MAX_RESULT_BYTES
    assert isinstance(outcome.data, dict)
    assert outcome.data["truncated"] is True
    assert "s3cret" not in str(outcome.data)


async def test_step_conclude(under_test: GateUnderTest) -> None:
    """The outcome is a row of its own that points to the intent, never an update."""
    under_test.executor.data = {"entities": ["x"]}
    await under_test.read("light.kitchen")

    (_, _, intent), (_, intent_seq, outcome) = under_test.trail.rows
    assert intent.type == "tool.intended"
    assert outcome.type == "tool.called"
    assert intent_seq == 1
    assert outcome.payload["bytes"] == size_of({"entities": ["x"]})
    assert len(str(outcome.payload["sha256"])) == 64
    assert "entities" not in outcome.payload


async def test_step_conclude_survives_a_broken_trail(
    under_test: GateUnderTest,
) -> None:
    """What was done was done: the turn hears it even if the second row is lost."""
    under_test.trail.down_for = "conclude"
    outcome = await under_test.service("light.turn_on", KITCHEN)

    assert outcome.error is None
    assert under_test.trail.types() == ["tool.intended"]


async def test_a_read_by_area_names_what_it_read(under_test: GateUnderTest) -> None:
    """A read that names no entity has those as its target that it answered with."""
    under_test.executor.data = {
        "entities": [{"entity_id": "light.kitchen", "state": "on"}, "odd", {}]
    }
    outcome = await under_test.gate.dispatch(
        ToolRequest(id="r", name="get_state", arguments={}), under_test.turn()
    )
    assert outcome.target == ("light.kitchen",)
