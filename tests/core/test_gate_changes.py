"""Between a question and its effect the house moves on: everything is judged again."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.decision import ApprovalTerms
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel.approvals import PendingApproval
from custom_components.caesar.turn import ApprovalResult, ApprovalState
from tests.fakes.gate_desk import FRONT_DOOR, KITCHEN, House, found, house, join, until
from tests.fakes.parts import POLICY, GateUnderTest

NOTHING = "version: 1\nallowed_services: []\n"


def _tighten(house: House) -> None:
    house.gate.policy = load_policy(NOTHING)


def _unshare(house: House) -> None:
    door = house.gate.home.facts["lock.front_door"]
    house.gate.home.facts["lock.front_door"] = replace(door, exposed=False)


def _forbid(house: House) -> None:
    house.gate.permissions.forbidden.add(("child", "lock.front_door"))


@pytest.mark.parametrize("change", [_tighten, _unshare, _forbid])
@pytest.mark.parametrize("inline", [True, False])
async def test_the_decision_is_made_again_after_a_yes(
    house: House, change: Callable[[House], None], inline: bool
) -> None:
    """Policy, sharing and permissions of that moment; an old yes is no grant.

    The revisions stay the same: whoever looks only at these sees no change.
    """
    turn = house.turn()
    turn.deadline += 100 if inline else 0
    task = asyncio.create_task(house.gate.service("lock.unlock", FRONT_DOOR, turn=turn))
    await until(lambda: bool(house.desk.desk.pending()))
    [pending] = house.desk.desk.pending()
    change(house)
    await house.approve(pending.id)
    outcome = await task
    if not inline:
        outcome = await house.resume(pending.id)
    assert outcome.error is not None
    assert outcome.error.code in (Code.NOT_LISTED, Code.CAPABILITY_DENIED)
    assert house.door_opened == 0
    assert house.desk.store.standing(pending.id) == "failed"


@pytest.mark.parametrize("inline", [True, False])
async def test_what_it_means_has_changed(house: House, inline: bool) -> None:
    """The lock has got a member since: the person is asked about that, anew."""
    turn = house.turn()
    turn.deadline += 100 if inline else 0
    task = asyncio.create_task(house.gate.service("lock.unlock", FRONT_DOOR, turn=turn))
    await until(lambda: bool(house.desk.desk.pending()))
    [first] = house.desk.desk.pending()
    join(house.gate, "lock.shed")
    await house.approve(first.id)
    if inline:
        await until(lambda: bool(house.desk.desk.pending()))
        [second] = house.desk.desk.pending()
        assert house.door_opened == 0
        await house.approve(second.id)
        assert (await task).error is None
    else:
        await task
        outcome = await house.resume(first.id)
        second = found(house, outcome.parked)
        await house.approve(second.id)
        assert (await house.resume(second.id)).error is None
    assert house.desk.store.standing(first.id) == "failed"
    assert second.digest != first.digest
    assert house.door_opened == 1


__all__ = ["house"]


async def test_a_house_that_never_rests_is_asked_about_thrice(house: House) -> None:
    """A call whose meaning changes under each question is given up."""
    approver = house.gate.approver
    gate = GateUnderTest(home=house.gate.home)
    gate.approver.result = ApprovalResult(
        state=ApprovalState.APPROVED,
        reason=Reason(code=Code.ALLOWED),
        approval_id="approval-1",
    )
    ask = gate.approver.request

    async def request(asked: Any) -> ApprovalResult:
        member = f"lock.number_{len(gate.approver.asked)}"
        shed = gate.home.facts["lock.shed"]
        gate.home.facts[member] = replace(shed, entity_id=member)
        join(gate, member)
        return await ask(asked)

    gate.approver.request = request  # type: ignore[method-assign]  # the house moves
    outcome = await gate.service("lock.unlock", FRONT_DOOR)
    assert outcome.error is not None
    assert outcome.error.code is Code.APPROVAL_DENIED
    assert len(gate.approver.asked) == 3
    assert gate.executor.done == []
    assert approver.asked == []


async def test_whoever_said_yes_must_still_be_an_approver(house: House) -> None:
    """The policy of now wants somebody else's yes: that one is asked for."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    policy = load_policy(POLICY)
    terms = policy.evaluate(*_front_door(house)).approval
    assert terms is not None
    terms = replace(terms, approvers=("adult",))
    house.gate.policy = Changed(policy, terms)
    outcome = await house.resume(approval_id)
    assert outcome.parked not in (None, approval_id)
    assert house.door_opened == 0
    assert found(house, outcome.parked).terms.approvers == ("adult",)


async def test_nobody_waits_for_a_person_in_the_way_of_others(house: House) -> None:
    """While a person is asked anew, every other call goes on."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    house.gate.executor.gate = asyncio.Event()
    light = asyncio.create_task(house.gate.service("light.turn_on", KITCHEN))
    await house.gate.until_running()
    resumed = asyncio.create_task(house.resume(approval_id))
    await asyncio.sleep(0)
    join(house.gate, "lock.shed")
    asked = asyncio.Event()
    ask = house.desk.channel.ask

    async def slow(pending: PendingApproval) -> Any:
        asked.set()
        await asyncio.Event().wait()
        return await ask(pending)

    house.desk.channel.ask = slow  # type: ignore[method-assign]  # nobody answers
    house.gate.executor.gate.set()
    await light
    async with asyncio.timeout(5):
        await asked.wait()
    async with asyncio.timeout(5):
        other = await house.gate.service("light.turn_on", {"entity_id": "light.hall"})
    assert other.error is None
    assert not resumed.done()
    resumed.cancel()
    with pytest.raises(asyncio.CancelledError):
        await resumed


async def test_a_house_that_changes_at_every_look_stops_the_call(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judged anew three times, then given up; the lock is free for the others."""
    judge = house.gate.gate._judge
    monkeypatch.setattr(judge, "stands", lambda _: False)
    outcome = await house.gate.service("light.turn_on", KITCHEN)
    assert outcome.error is not None
    assert outcome.error.code is Code.TOOL_ERROR
    assert "kept changing" in outcome.error.message
    assert house.door_opened == 0
    monkeypatch.undo()
    assert (await house.gate.service("light.turn_on", KITCHEN)).error is None


async def test_a_spoken_pin_stands_where_the_rule_still_takes_it(house: House) -> None:
    """A yes without a user counts for the terms only that it was given under."""
    policy = load_policy(POLICY)
    pin = ApprovalTerms(approvers=("adult",), pin="front")
    house.gate.policy = Changed(policy, pin)
    approval_id = await house.park(house.turn())
    await house.approve_as("adult", approval_id)
    house.gate.policy = Changed(policy, replace(pin, pin="back"))
    asked = await house.resume(approval_id, decided_by=None)
    assert asked.parked not in (None, approval_id)
    house.gate.policy = Changed(policy, pin)
    second = await house.park(house.turn())
    await house.approve_as("adult", second)
    assert (await house.resume(second, decided_by=None)).error is None


def _front_door(house: House) -> Any:
    pending = found(house, "approval-1")
    return pending.call, pending.caller, house.gate.home, None


class Changed:
    """The same policy with other approvers, whatever the grammar calls them."""

    def __init__(self, policy: Any, terms: Any) -> None:
        self._policy = policy
        self._terms = terms
        self.revision = "changed"

    def evaluate(self, *asked: Any) -> Any:
        return replace(self._policy.evaluate(*asked), approval=self._terms)
