"""What people and the trail are told of a call: all of it, and of that very call."""

from dataclasses import replace
import hashlib
from typing import Any

import pytest

from custom_components.caesar.audit.event import AuditRow
from custom_components.caesar.policy.call import tool_id
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.tool import ExecutorError
from custom_components.caesar.turn import ToolOutcome
from tests.fakes.parts import FakeActivity, GateUnderTest

from .test_gate import FRONT_DOOR, KITCHEN


class Keeps(FakeActivity):
    """Keeps every word of what people would read."""

    def __init__(self) -> None:
        """Start with nothing told."""
        super().__init__()
        self.all: list[tuple[Any, ...]] = []

    def intended(self, *told: Any, **_: Any) -> None:
        """Keep an intent."""
        self.all.append(("intended", *told))

    def failed(self, *told: Any, **_: Any) -> None:
        """Keep a failure."""
        self.all.append(("failed", *told))

    def denied(self, *told: Any, **_: Any) -> None:
        """Keep a refusal."""
        self.all.append(("denied", *told))


def row(seq: int) -> AuditRow:
    """Return how the trail of the tests names a row."""
    return AuditRow(seq=seq, row_hash=f"{seq:064x}")


@pytest.fixture
def told() -> Keeps:
    """Return people who have heard nothing."""
    return Keeps()


async def test_a_change_is_told_with_its_row_and_context(told: Keeps) -> None:
    """The context is the one that it goes out with, so that Activity can credit it."""
    gate = GateUnderTest(activity=told)
    turn = gate.turn()
    outcome = await gate.service("light.turn_on", KITCHEN, turn=turn)
    [(call, _, context_id)] = gate.executor.done
    assert told.all == [
        ("intended", call, outcome.decision, turn, row(1), context_id),
    ]
    assert gate.trail.rows[0][2].payload["context_id"] == context_id == "context-1"


async def test_a_failure_is_told_with_what_came_of_it(told: Keeps) -> None:
    """After the intent, of the same call in the same context."""
    gate = GateUnderTest(activity=told)
    gate.executor.error = ExecutorError(Code.TIMEOUT, "It did not answer.")
    turn = gate.turn()
    outcome = await gate.service("light.turn_on", KITCHEN, turn=turn)
    [(_, call, *_), failed] = told.all
    assert tool_id(call) == "light.turn_on"
    assert failed == ("failed", call, outcome, turn, "context-1")


async def test_a_refusal_is_told_with_its_row(told: Keeps) -> None:
    """And the outcome points to that row."""
    gate = GateUnderTest(activity=told)
    turn = gate.turn()
    outcome = await gate.service("light.turn_off", KITCHEN, turn=turn)
    [(verb, call, refused, whose, where)] = told.all
    assert (verb, tool_id(call), whose, where) == (
        "denied",
        "light.turn_off",
        turn,
        row(1),
    )
    assert isinstance(refused, ToolOutcome)
    assert outcome == replace(refused, seq=1)


async def test_a_refusal_without_a_row_says_so(told: Keeps) -> None:
    """Where the trail itself concludes an intent that came late, none is added."""
    gate = GateUnderTest(activity=told)
    gate.trail.down_for, gate.trail.concludes = "intend", True
    outcome = await gate.service("light.turn_on", KITCHEN)
    [(verb, *_, where)] = told.all
    assert (verb, where, outcome.seq) == ("denied", None, None)


async def test_every_call_has_a_context_of_its_own() -> None:
    """Two of one turn too."""
    gate = GateUnderTest()
    turn = gate.turn()
    for entity_id in ("light.kitchen", "light.hall"):
        await gate.service("light.turn_on", {"entity_id": entity_id}, turn=turn)
    contexts = [context_id for _, _, context_id in gate.executor.done]
    assert contexts == ["context-1", "context-2"]


async def test_a_tool_hears_whose_turn_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the call and what was decided of it."""
    gate = GateUnderTest()
    heard: list[tuple[Any, ...]] = []

    async def execute(*asked: Any) -> None:
        heard.append(asked)

    monkeypatch.setattr(gate.executor, "execute", execute)
    turn = gate.turn()
    outcome = await gate.service("light.turn_on", KITCHEN, turn=turn)
    [(call, policy, whose, context_id)] = heard
    assert (tool_id(call), whose, context_id) == ("light.turn_on", turn, "context-1")
    assert outcome.decision is not None
    assert policy == outcome.decision.policy


@pytest.mark.parametrize("fails", [False, True])
async def test_the_trail_knows_how_long_it_took_and_how_much_came(
    monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """In milliseconds and bytes; where nothing came back there are none."""
    gate = GateUnderTest()

    async def execute(*_: object) -> None:
        gate.clock.advance(1.5)
        if fails:
            raise ExecutorError(Code.TIMEOUT, "It did not answer.")

    monkeypatch.setattr(gate.executor, "execute", execute)
    await gate.service("light.turn_on", KITCHEN)
    payload = gate.trail.rows[-1][2].payload
    assert (payload["duration_ms"], payload["bytes"]) == (1500, 0)
    assert payload["sha256"] == hashlib.sha256(b"null").hexdigest()


async def test_a_repeat_names_the_tool() -> None:
    """A model reads which call of its own it has made before."""
    gate = GateUnderTest()
    turn = gate.turn()
    await gate.service("light.turn_on", KITCHEN, turn=turn)
    again = await gate.service("light.turn_on", KITCHEN, turn=turn)
    assert again.decision is not None
    assert again.decision.verdict is Verdict.DENY
    assert again.decision.reason.code is Code.REPEATED_CALL
    assert dict(again.decision.reason.values) == {"tool": "light.turn_on"}


async def test_a_task_bears_the_name_of_its_call() -> None:
    """Whoever looks at a house that does not stop sees what it waits for."""
    gate = GateUnderTest()
    await gate.service("light.turn_on", KITCHEN)
    await gate.service("lock.unlock", FRONT_DOOR)
    await gate.read("light.kitchen")
    assert [task.get_name() for task in gate.tasks] == [
        "caesar light.turn_on",
        "caesar get_state",
    ]
