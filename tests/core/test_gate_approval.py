"""A call that needs a person, through the real gate and the real desk."""

import asyncio
from typing import Any

import pytest

from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.approvals import Standing
from custom_components.caesar.turn import ApprovalState, ApprovedCall
from tests.fakes.gate_desk import FRONT_DOOR, SHED, House, found, house, until

__all__ = ["house"]


async def test_parked_is_no_refusal(house: House) -> None:
    """The outcome says that it waits, and for what; the trail says `ask`."""
    outcome = await house.gate.service("lock.unlock", FRONT_DOOR, turn=house.turn())
    assert outcome.parked == "approval-1"
    assert outcome.error is not None
    assert outcome.error.code is Code.APPROVAL_NEEDED
    assert outcome.parked not in outcome.error.message
    assert outcome.decision is not None
    assert outcome.decision.verdict is Verdict.ASK
    assert outcome.decision.approval is not None
    assert outcome.decision.approval.state is ApprovalState.PARKED
    assert house.gate.trail.types() == ["policy.denied"]
    decision = house.gate.trail.rows[0][2].payload["decision"]
    assert isinstance(decision, dict)
    assert (decision["verdict"], decision["allowed"]) == ("ask", False)
    assert house.gate.activity.told == []
    assert house.door_opened == 0


async def test_a_yes_opens_the_door_once(house: House) -> None:
    """Resumed, claimed, done, closed; resumed again it opens nothing."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    outcome = await house.resume(approval_id)
    assert outcome.error is None
    assert outcome.decision is not None
    assert outcome.decision.approval is not None
    assert outcome.decision.approval.decided_by == "admin"
    assert house.door_opened == 1
    assert house.desk.store.standing(approval_id) == "done"

    again = await house.resume(approval_id)
    assert again.error is not None
    assert again.error.code is Code.ALREADY_DECIDED
    assert house.door_opened == 1


async def test_two_turns_with_one_yes(house: House) -> None:
    """Whoever claims it first has it, even at the same moment."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    outcomes = await asyncio.gather(*(house.resume(approval_id) for _ in range(4)))
    assert sorted(outcome.error is None for outcome in outcomes) == [
        False,
        False,
        False,
        True,
    ]
    assert house.door_opened == 1


async def test_inline_yes(house: House) -> None:
    """The person whom the turn waits for says yes: it goes on by itself."""
    turn = house.turn()
    turn.deadline += 100
    task = asyncio.create_task(house.gate.service("lock.unlock", FRONT_DOOR, turn=turn))
    await until(lambda: bool(house.desk.desk.pending()))
    [pending] = house.desk.desk.pending()
    await house.approve(pending.id)
    assert (await task).error is None
    assert house.door_opened == 1
    assert house.desk.store.standing(pending.id) == "done"


@pytest.mark.parametrize(
    ("target", "data"),
    [(SHED, None), (FRONT_DOOR, {"code": "1"})],
    ids=["another door", "other data"],
)
async def test_other_arguments_have_no_yes(
    house: House, target: dict[str, Any], data: dict[str, Any] | None
) -> None:
    """What the model writes later is not what the person saw; nobody is asked anew."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    asked = len(house.desk.channel.asked)
    outcome = await house.resume(approval_id, target, data)
    assert outcome.error is not None
    assert outcome.error.code is Code.APPROVAL_DENIED
    assert house.door_opened == 0
    assert len(house.desk.channel.asked) == asked
    assert house.desk.store.standing(approval_id) == "failed"


async def test_a_forged_checkpoint_has_no_yes(house: House) -> None:
    """The desk compares with its own record, not with what the turn brings along."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    other = await house.gate.service("lock.unlock", SHED, turn=house.turn())
    forged = house.desk.desk.find(str(other.parked))
    assert forged is not None
    outcome = await house.resume(
        approval_id, SHED, args_hash=forged.args_hash, digest=forged.digest
    )
    assert outcome.error is not None
    assert outcome.error.code is Code.ALREADY_DECIDED
    assert house.door_opened == 0


async def test_nobody_has_said_yes(house: House) -> None:
    """A turn that claims a yes which is still a question has none."""
    approval_id = await house.park(house.turn())
    outcome = await house.resume(approval_id)
    assert outcome.error is not None
    assert house.door_opened == 0
    assert house.desk.store.standing(approval_id) == "waiting"


async def test_a_yes_that_ran_out(house: House) -> None:
    """No sweep has run; the claim looks at the clock."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    house.desk.now.advance(900)
    outcome = await house.resume(approval_id)
    assert outcome.error is not None
    assert house.door_opened == 0
    assert house.desk.store.standing(approval_id) == "expired"


async def test_a_disk_that_fails_before_the_effect(house: House) -> None:
    """No claim, no effect; and no intent in the trail that would look like one."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    house.desk.store.down = True
    outcome = await house.resume(approval_id)
    assert outcome.error is not None
    assert house.door_opened == 0
    assert "tool.intended" not in house.gate.trail.types()
    house.desk.store.down = False


async def test_a_trail_that_fails_after_the_claim(house: House) -> None:
    """The yes is used up: it is told as failed, and can't be taken again."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    house.gate.trail.down_for = "intend"
    outcome = await house.resume(approval_id)
    assert outcome.error is not None
    assert outcome.error.code is Code.AUDIT_UNAVAILABLE
    assert house.desk.store.standing(approval_id) == "failed"
    house.gate.trail.down_for = None
    assert (await house.resume(approval_id)).error is not None
    assert house.door_opened == 0


async def test_claimed_before_the_intent_and_the_effect(house: House) -> None:
    """At the moment of the effect, the disk says that it is under way."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    house.gate.executor.gate = asyncio.Event()
    task = asyncio.create_task(house.resume(approval_id))
    await house.gate.until_running()
    assert house.desk.store.standing(approval_id) == "executing"
    # The process dies here: whatever comes, this call runs never again.
    before = house.desk.desk
    house.desk.restart()
    await house.desk.desk.start()
    assert found(house, approval_id).standing is Standing.INTERRUPTED
    assert not await house.desk.claim(approval_id)
    await house.desk.desk.stop()
    house.gate.executor.gate.set()
    await task
    await before.stop()


async def test_a_request_id_that_comes_twice(house: House) -> None:
    """Models number their calls as they like: a yes is for one dispatch."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    pending = found(house, approval_id)
    turn = house.turn()
    turn.approved["request-1"] = ApprovedCall(
        approval_id=approval_id,
        args_hash=pending.args_hash,
        digest=pending.digest,
        decided_by="admin",
        via="action",
    )
    first = await house.gate.service("lock.unlock", FRONT_DOOR, turn=turn)
    again = await house.gate.service("lock.unlock", FRONT_DOOR, turn=turn)
    other = await house.gate.service("lock.unlock", SHED, turn=turn)
    assert first.error is None
    assert again.error is not None
    assert again.error.code is Code.REPEATED_CALL
    assert other.parked is not None
    assert house.door_opened == 1


async def test_a_read_that_needs_a_person(house: House) -> None:
    """It waits like a change, and its yes is used once."""
    house.gate.policy = load_policy(
        "version: 1\n"
        "allowed_services: []\n"
        "allowed_tools:\n"
        "  - {tool: get_state, approval: always}\n"
    )
    outcome = await house.gate.read("light.kitchen", turn=house.turn())
    assert outcome.parked is not None
    await house.approve(outcome.parked)
    pending = found(house, outcome.parked)
    for done in (True, False):
        turn = house.turn()
        turn.approved["request-1"] = ApprovedCall(
            approval_id=pending.id,
            args_hash=pending.args_hash,
            digest=pending.digest,
            decided_by="admin",
            via="action",
        )
        again = await house.gate.read("light.kitchen", turn=turn)
        assert (again.error is None) is done
    assert len(house.gate.executor.done) == 1


async def test_two_questions_at_once_are_two(house: House) -> None:
    """A yes to one door opens that one; the other still waits."""
    turn = house.turn()
    front = await house.gate.service("lock.unlock", FRONT_DOOR, turn=turn)
    shed = await house.gate.service("lock.unlock", SHED, turn=turn)
    await house.approve(str(shed.parked))
    assert (await house.resume(str(front.parked))).error is not None
    assert house.door_opened == 0
    assert (await house.resume(str(shed.parked), SHED)).error is None
    [(_, pinned, _)] = house.gate.executor.done
    assert pinned == ("lock.shed",)
