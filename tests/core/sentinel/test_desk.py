"""The approval desk: asked once, answered once, used once, or it is a no."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.approvals import (
    Answerer,
    PendingApproval,
    Standing,
    Via,
)
from custom_components.caesar.turn import ToolError, ToolOutcome
from tests.fakes.desk import ADMIN, CHILD, DeskUnderTest

DONE = ToolOutcome(request_id="request-1", tool="lock.unlock", executed=True)
FAILED = replace(DONE, error=ToolError(code=Code.TOOL_ERROR, message="no"))


async def approved(house: DeskUnderTest, **asks: Any) -> str:
    """Return the id of a question that an admin has said yes to."""
    approval_id = await house.park(**asks)
    assert (await house.desk.answer(approval_id, True, ADMIN)).ok
    return approval_id


async def test_a_yes_is_used_once(house: DeskUnderTest) -> None:
    """Asked, answered, claimed, closed: every step is on disk, and none comes twice."""
    approval_id = await house.park()
    assert house.store.standing(approval_id) == "waiting"
    answer = await house.desk.answer(approval_id, True, ADMIN)
    assert (answer.ok, answer.code) == (True, Code.ALLOWED)
    assert house.store.standing(approval_id) == "approved"
    assert await house.claim(approval_id)
    assert house.store.standing(approval_id) == "executing"
    assert not await house.claim(approval_id)
    await house.desk.close(approval_id, DONE)
    assert house.store.standing(approval_id) == "done"
    assert not await house.claim(approval_id)

    await house.settle()
    assert house.channel.told == [Standing.APPROVED, Standing.DONE]
    assert house.trail.types() == [
        "requested",
        "decided",
        "rejected",
        "rejected",
    ]
    pending = house.desk.find(approval_id)
    assert pending is not None
    assert (pending.decided_by, pending.via) == ("admin", Via.ACTION)


async def test_a_failure_is_told_as_one(house: DeskUnderTest) -> None:
    """What failed is not done; and what was never begun can't be begun later."""
    ran, not_run = await approved(house), await approved(house, entity_id="lock.shed")
    assert await house.claim(ran)
    await house.desk.close(ran, FAILED)
    await house.desk.close(not_run, FAILED)
    assert house.store.standing(ran) == house.store.standing(not_run) == "failed"
    assert not await house.claim(not_run)
    await house.desk.close("approval-7", FAILED)


async def test_the_second_answer_does_not_count(house: DeskUnderTest) -> None:
    """Whoever is first decides; the other hears that it was decided."""
    approval_id = await house.park()
    answers = await asyncio.gather(
        house.desk.answer(approval_id, False, ADMIN),
        house.desk.answer(approval_id, True, ADMIN),
        house.desk.answer(approval_id, True, ADMIN),
    )
    assert [answer.code for answer in answers] == [
        Code.ALLOWED,
        Code.ALREADY_DECIDED,
        Code.ALREADY_DECIDED,
    ]
    assert house.store.standing(approval_id) == "denied"
    assert not await house.claim(approval_id)


async def test_parallel_claims_are_one(house: DeskUnderTest) -> None:
    """Two turns with the same yes in hand: one of them runs."""
    house.store.slow = 3
    approval_id = await approved(house)
    claims = await asyncio.gather(*(house.claim(approval_id) for _ in range(5)))
    assert sorted(claims) == [False, False, False, False, True]


async def test_nobody_knows_this_question(house: DeskUnderTest) -> None:
    """An id that was never given out decides nothing, and is on record."""
    answer = await house.desk.answer("approval-99", True, ADMIN)
    assert (answer.ok, answer.code) == (False, Code.UNKNOWN_APPROVAL)
    assert house.trail.types() == ["rejected"]
    caller = house.turn().caller
    assert not await house.desk.claim("x", args_hash="", digest="", caller=caller)


@pytest.mark.parametrize("clock", ["now", "clock"])
async def test_an_answer_that_comes_too_late(house: DeskUnderTest, clock: str) -> None:
    """Time is compared at the answer; no sweep has to have run, nor a clock be right."""
    approval_id = await house.park()
    getattr(house, clock).advance(900)
    assert house.desk.pending() == ()
    answer = await house.desk.answer(approval_id, True, ADMIN)
    assert (answer.ok, answer.code) == (False, Code.APPROVAL_EXPIRED)
    assert house.store.standing(approval_id) == "expired"
    again = await house.desk.answer(approval_id, True, ADMIN)
    assert again.code is Code.APPROVAL_EXPIRED
    assert not await house.claim(approval_id)


async def test_a_yes_lapses_too(house: DeskUnderTest) -> None:
    """What was approved in time but not begun in time does not begin."""
    approval_id = await approved(house)
    house.now.advance(900)
    assert not await house.claim(approval_id)
    assert house.store.standing(approval_id) == "expired"


async def test_a_sweep_ends_what_is_over(house: DeskUnderTest) -> None:
    """Whoever waits hears it, although nobody has answered; a day later it is gone."""
    heard: list[PendingApproval] = []
    end = house.desk.listen(heard.append)
    waiting = await house.park()
    held = await approved(house, entity_id="lock.shed")
    house.now.advance(900)
    await house.desk.sweep()
    assert house.store.standing(waiting) == house.store.standing(held) == "expired"
    assert [pending.standing for pending in heard] == [
        Standing.WAITING,
        Standing.WAITING,
        Standing.APPROVED,
        Standing.EXPIRED,
        Standing.EXPIRED,
    ]
    end()
    end()
    house.now.advance(86_400)
    await house.desk.sweep()
    assert house.store.rows == {}
    assert house.desk.find(waiting) is None
    assert len(heard) == 5


@pytest.mark.parametrize("other", ["args_hash", "digest"])
async def test_a_yes_is_for_one_call(house: DeskUnderTest, other: str) -> None:
    """Other arguments, or another meaning of the same ones, have no yes."""
    approval_id = await approved(house)
    assert not await house.claim(approval_id, **{other: "0" * 64})
    assert house.store.standing(approval_id) == "approved"
    assert await house.claim(approval_id)


async def test_a_yes_is_for_one_asker(house: DeskUnderTest) -> None:
    """Nobody else's turn runs on it, whoever that is."""
    approval_id = await approved(house)
    caller = house.turn().caller
    for other in (
        replace(caller, user_id="admin"),
        replace(caller, origin=Origin.AUTOMATION),
        replace(caller, agent_id="agent-2"),
        replace(caller, satellite_id="assist_satellite.kitchen"),
    ):
        assert not await house.claim(approval_id, caller=other)
    assert await house.claim(approval_id, caller=replace(caller, context_id="later"))


async def test_who_may_not_answer_learns_nothing(house: DeskUnderTest) -> None:
    """Their answer does not count, is on record, and tells nothing of the question."""
    stranger = Answerer(via=Via.PHONE, user_id="guest", is_admin=False)
    approval_id = await house.park()
    for answerer in (CHILD, stranger):
        answer = await house.desk.answer(approval_id, True, answerer)
        assert (answer.ok, answer.code, answer.pending) == (
            False,
            Code.CALLER_NOT_COVERED,
            None,
        )
    refusal = await house.desk.answer(approval_id, False, stranger)
    assert refusal.code is Code.CALLER_NOT_COVERED
    assert house.store.standing(approval_id) == "waiting"
    assert (await house.desk.answer(approval_id, False, CHILD)).ok


@pytest.mark.parametrize(
    ("via", "is_admin", "user_id", "ok"),
    [
        (Via.PANEL, True, "admin", True),
        (Via.ACTION, True, "admin", True),
        (Via.PHONE, True, "admin", True),
        (Via.CHAT, True, "admin", False),
        (Via.VOICE, True, "admin", False),
        (Via.PANEL, False, "child", False),
        (Via.PANEL, True, None, False),
        (Via.PANEL, True, "caesar-voice", False),
    ],
)
async def test_allow_once_is_for_admins_by_hand(
    house: DeskUnderTest, via: Via, is_admin: bool, user_id: str | None, ok: bool
) -> None:
    """Never by what is said in a conversation, nor by CAESAR's own users."""
    asked = house.asks()
    answerer = Answerer(via=via, user_id=user_id, is_admin=is_admin)
    caller = asked.turn.caller
    answer = await house.desk.allow_once(asked.call, caller, answerer)
    assert answer.ok is ok
    assert house.allowances.take(asked.call, caller) is ok
    assert house.trail.types() == ["decided" if ok else "rejected"]
