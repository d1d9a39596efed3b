"""The desk after a crash, and with a disk that can't be written."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.call import GenericToolCall
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing
from custom_components.caesar.sentinel.ledger import StoreUnavailable
from custom_components.caesar.sentinel.written import (
    NotAQuestion,
    call_from_json,
    call_to_json,
    from_json,
    to_json,
)
from custom_components.caesar.turn import ApprovalState, ToolOutcome
from tests.fakes.desk import ADMIN, DeskUnderTest

DONE = ToolOutcome(request_id="request-1", tool="lock.unlock", executed=True)


async def crash(house: DeskUnderTest) -> list[PendingApproval]:
    """Start a new desk on the same file; return what its listeners hear at once."""
    await house.desk.stop()
    await house.settle()
    house.restart()
    heard: list[PendingApproval] = []
    house.desk.listen(heard.append)
    await house.desk.start()
    return heard


async def test_what_waits_still_waits(house: DeskUnderTest) -> None:
    """It is asked once more when all is up, and its answer counts."""
    approval_id = await house.park()
    before = house.desk.find(approval_id)
    assert await crash(house) == []
    assert house.desk.find(approval_id) == before
    assert len(house.channel.asked) == 1
    await house.desk.ask_again()
    assert len(house.channel.asked) == 2
    assert (await house.desk.answer(approval_id, True, ADMIN)).ok
    assert await house.claim(approval_id)


async def test_a_yes_is_kept(house: DeskUnderTest) -> None:
    """What was approved and not begun may still begin, in time, once."""
    approval_id = await house.park()
    await house.desk.answer(approval_id, True, ADMIN)
    assert await crash(house) == []
    await house.desk.ask_again()
    assert len(house.channel.asked) == 1
    assert await house.claim(approval_id)
    assert not await house.claim(approval_id)


async def test_half_done_is_interrupted(house: DeskUnderTest) -> None:
    """A crash in the middle: told, never repeated, not even after another one."""
    approval_id = await house.park()
    await house.desk.answer(approval_id, True, ADMIN)
    assert await house.claim(approval_id)
    heard = await crash(house)
    assert [(each.id, each.standing) for each in heard] == [
        (approval_id, Standing.INTERRUPTED)
    ]
    assert house.store.standing(approval_id) == "interrupted"
    assert not await house.claim(approval_id)
    assert (await house.desk.answer(approval_id, True, ADMIN)).code is (
        Code.ALREADY_DECIDED
    )
    assert await crash(house) == []
    assert not await house.claim(approval_id)
    assert Standing.INTERRUPTED in house.channel.told


async def test_what_ran_out_meanwhile_is_over(house: DeskUnderTest) -> None:
    """Whoever waits for it hears so at the start."""
    waiting = await house.park()
    held = await house.park(entity_id="lock.shed")
    await house.desk.answer(held, True, ADMIN)
    house.now.advance(900)
    heard = await crash(house)
    assert {each.id for each in heard} == {waiting, held}
    assert {each.standing for each in heard} == {Standing.EXPIRED}
    assert not await house.claim(held)


async def test_a_clock_set_back_makes_nothing_live_longer(
    house: DeskUnderTest,
) -> None:
    """Not in the same run, and not by more than its whole time after a restart."""
    approval_id = await house.park()
    house.now.seconds -= 86_400
    await crash(house)
    house.clock.advance(899)
    assert house.desk.pending()
    house.clock.advance(1)
    answer = await house.desk.answer(approval_id, True, ADMIN)
    assert answer.code is Code.APPROVAL_EXPIRED


async def test_no_question_without_a_disk(house: DeskUnderTest) -> None:
    """What can't be kept is not asked."""
    house.store.down = True
    result = await house.desk.request(house.asks())
    assert (result.state, result.reason.code) == (
        ApprovalState.DENIED,
        Code.AUDIT_UNAVAILABLE,
    )
    assert house.channel.asked == []
    assert house.desk.pending() == ()


async def test_no_answer_without_a_disk(house: DeskUnderTest) -> None:
    """It does not count, and may be given again."""
    approval_id = await house.park()
    house.store.down = True
    answer = await house.desk.answer(approval_id, True, ADMIN)
    assert (answer.ok, answer.code) == (False, Code.AUDIT_UNAVAILABLE)
    house.store.down = False
    assert (await house.desk.answer(approval_id, True, ADMIN)).ok


async def test_nothing_runs_without_a_disk(house: DeskUnderTest) -> None:
    """A claim that is not on disk is none."""
    approval_id = await house.park()
    await house.desk.answer(approval_id, True, ADMIN)
    house.store.down = True
    assert not await house.claim(approval_id)
    house.store.down = False
    assert await house.claim(approval_id)


async def test_an_end_that_can_not_be_written(house: DeskUnderTest) -> None:
    """It is over here; after a restart it reads as interrupted, never as runnable."""
    approval_id = await house.park()
    await house.desk.answer(approval_id, True, ADMIN)
    assert await house.claim(approval_id)
    house.store.down = True
    await house.desk.close(approval_id, DONE)
    pending = house.desk.find(approval_id)
    assert pending is not None
    assert pending.standing is Standing.DONE
    house.store.down = False
    [told] = await crash(house)
    assert told.standing is Standing.INTERRUPTED


async def test_a_disk_that_went_on_without_us(house: DeskUnderTest) -> None:
    """A write that came through after it was given up: the disk is believed."""
    approval_id = await house.park()
    pending = house.desk.find(approval_id)
    assert pending is not None
    denied = replace(pending, standing=Standing.DENIED, decided_by="admin")
    await house.store.change(denied, Standing.WAITING)
    answer = await house.desk.answer(approval_id, True, ADMIN)
    assert (answer.ok, answer.code) == (False, Code.ALREADY_DECIDED)
    assert house.desk.find(approval_id) == denied
    assert not await house.claim(approval_id)


async def test_a_file_that_was_lost(house: DeskUnderTest) -> None:
    """A question that is on no disk any more can't be answered."""
    approval_id = await house.park()
    house.store.rows.clear()
    answer = await house.desk.answer(approval_id, True, ADMIN)
    assert not answer.ok
    pending = house.desk.find(approval_id)
    assert pending is not None
    assert pending.standing is Standing.EXPIRED


async def test_a_file_that_can_not_be_read_at_the_start(house: DeskUnderTest) -> None:
    """It is read as soon as it can be; until then nothing of it is known."""
    approval_id = await house.park()
    house.store.down = True
    await crash(house)
    assert house.desk.find(approval_id) is None
    house.store.down = False
    await house.desk.sweep()
    assert (await house.desk.answer(approval_id, True, ADMIN)).ok


async def test_a_listener_that_fails_keeps_no_other_from_hearing(
    house: DeskUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor the answer from counting."""

    def broken(_: PendingApproval) -> None:
        raise OSError("broken")

    heard: list[PendingApproval] = []
    house.desk.listen(broken)
    house.desk.listen(heard.append)
    approval_id = await house.park()
    assert (await house.desk.answer(approval_id, True, ADMIN)).ok
    assert len(heard) == 2
    assert "listener" in caplog.text


async def test_written_and_read_is_the_same(house: DeskUnderTest) -> None:
    """Every field, of both shapes of a call; and no other call under its hash."""
    approval_id = await house.park()
    await house.desk.answer(approval_id, True, ADMIN)
    pending = house.desk.find(approval_id)
    assert pending is not None
    written = to_json(pending)
    assert from_json(written) == pending
    tool = GenericToolCall(tool="web_search", input={"q": "x", "n": [1, None]})
    assert call_from_json(call_to_json(tool)) == tool
    reader = replace(tool, reads=True)
    assert call_from_json(call_to_json(reader)) == reader
    said_by_nobody: tuple[Any, ...] = (1, "true", None)
    for said in said_by_nobody:
        assert call_from_json({**call_to_json(tool), "reads": said}) == tool
    call = call_to_json(pending.call)
    changes: tuple[dict[str, Any], ...] = (
        {"call": {**call, "service": "open"}},
        {"call": {**call, "target": {"entity_id": ["lock.shed"]}}},
        {"call": {**call, "data": {"x": 1}}},
        {"call": {**call, "target": {"entity": ["lock.shed"]}}},
        {"args_hash": "0" * 64},
        {"standing": "sure"},
        {"impact": "HARMLESS"},
        {"why": None},
        {"caller": {}},
    )
    for changed in changes:
        with pytest.raises(NotAQuestion):
            from_json({**written, **changed})
    with pytest.raises(NotAQuestion, match=r"^KeyError: 'id'$"):
        from_json({})
    with pytest.raises(
        NotAQuestion, match="^its call is not the one that was asked about$"
    ):
        from_json({**written, "args_hash": "0" * 64})


async def test_a_store_that_fails_in_the_middle_of_a_sweep(
    house: DeskUnderTest,
) -> None:
    """A sweep never raises; what is over is over here."""
    approval_id = await house.park()
    house.now.advance(900)
    house.store.down = True
    await house.desk.sweep()
    pending = house.desk.find(approval_id)
    assert pending is not None
    assert pending.standing is Standing.EXPIRED
    with pytest.raises(StoreUnavailable):
        await house.store.load()
