"""Parked turns when something broke, changed or went away meanwhile."""

import asyncio
from dataclasses import replace
from typing import Any

from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.adapters.parked_store import async_erase_waiting
from custom_components.caesar.brain.checkpoint import Checkpoint
from custom_components.caesar.brain.loop import Finish
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.sentinel.approvals import Standing
from custom_components.caesar.turn import ToolOutcome, Turn
from tests.ha.parked import parked_then_stopped, question, restarted, running


@pytest.mark.parametrize(
    ("standing", "finish", "ran"),
    [
        (Standing.APPROVED, Finish.TEXT, ["r2", "r3"]),
        (Standing.DENIED, Finish.TEXT, ["r3"]),
        (Standing.EXPIRED, Finish.EXPIRED, []),
        (Standing.INTERRUPTED, Finish.INTERRUPTED, []),
    ],
)
async def test_answered_while_home_assistant_was_down(
    hass: HomeAssistant,
    hass_admin_user: MockUser,
    standing: Standing,
    finish: Finish,
    ran: list[str],
) -> None:
    """Whatever became of the question meanwhile, the person hears of it once."""
    before = await parked_then_stopped(hass, hass_admin_user)
    before.desk.put("a-r2", standing)
    async with restarted(before) as house:
        assert house.gate.ids() == ran
        assert [report.finish for report in house.delivered] == [finish]
        assert await house.rows() == []


@pytest.mark.parametrize(
    ("standing", "finish"),
    [
        (Standing.APPROVED, Finish.ABANDONED),
        (Standing.DONE, Finish.ABANDONED),
        (Standing.INTERRUPTED, Finish.INTERRUPTED),
    ],
)
async def test_a_turn_is_taken_up_once(
    hass: HomeAssistant,
    hass_admin_user: MockUser,
    standing: Standing,
    finish: Finish,
) -> None:
    """A crash in the middle of a resumed turn repeats nothing of it (E-5)."""
    before = await parked_then_stopped(hass, hass_admin_user)
    await before.change("UPDATE tool_loop_checkpoints SET state = 'resuming'")
    before.desk.put("a-r2", standing)
    async with restarted(before) as house:
        assert house.gate.ids() == []
        assert house.provider.requests == []
        assert [report.finish for report in house.delivered] == [finish]
        assert await house.rows() == []
        assert house.desk.withdrawn == ["a-r2"]
        assert (await house.trail())[-1] == (
            "loop.abandoned",
            {"turn_id": "decision-1", "reason": "taken_up_before"},
        )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tool_loop_checkpoints SET sealed = substr(sealed, 1, 40)"
        " || x'00' || substr(sealed, 42)",
        "UPDATE tool_loop_checkpoints SET sealed = x'00'",
        "UPDATE tool_loop_checkpoints SET expires_at = expires_at + 86400",
        "UPDATE tool_loop_checkpoints SET created_at = 0",
    ],
)
async def test_tampered_with(
    hass: HomeAssistant, hass_admin_user: MockUser, statement: str
) -> None:
    """Nothing of it runs; it is given up, and the person is told."""
    before = await parked_then_stopped(hass, hass_admin_user)
    await before.change(statement)
    async with restarted(before) as house:
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == []
        assert [report.finish for report in house.delivered] == [Finish.ABANDONED]
        assert house.desk.withdrawn == ["a-r2"]
        assert (await house.trail())[-1] == (
            "loop.abandoned",
            {"turn_id": "decision-1", "reason": "unreadable"},
        )
        assert await house.rows() == []


async def test_another_turns_bytes(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """A turn's sealed bytes open in their own row only."""
    async with running(hass, hass_admin_user) as house:
        await house.park("decision-1")
        house.provider.requests.clear()
        house.desk.questions["a-r2+"] = question(house.caller, "a-r2+", "decision-2")
        await house.park("decision-2")
    assert len(await house.rows()) == 2
    await house.change(
        "UPDATE tool_loop_checkpoints SET sealed ="
        " (SELECT sealed FROM tool_loop_checkpoints WHERE decision_id = 'decision-2')"
    )
    async with restarted(house) as after:
        after.desk.put("a-r2", Standing.APPROVED)
        await after.settle()
        assert after.gate.ids() == []


async def test_a_second_turn_leaves_the_parked_one_alone(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """There is one checkpoint a turn, not one a conversation (E-7)."""
    async with running(hass, hass_admin_user) as house:
        await house.park("decision-1")
        house.provider.requests.clear()
        house.desk.questions["a-r2+"] = question(house.caller, "a-r2+", "decision-2")
        await house.park("decision-2")
        assert len(await house.rows()) == 2


async def test_the_rights_of_that_moment(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """An admin who is none any more goes on as what they are now."""
    before = await parked_then_stopped(hass, hass_admin_user)
    await hass.auth.async_update_user(hass_admin_user, group_ids=["system-users"])
    async with restarted(before) as house:
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        (turn,) = house.agents["agent-1"].turns
        assert turn.caller.is_admin is False
        assert turn.caller == replace(before.caller, is_admin=False)
        assert turn.decision_id == "decision-1"


async def test_a_person_who_is_gone(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """A user who was deactivated meanwhile does nothing any more."""
    before = await parked_then_stopped(hass, hass_admin_user)
    await hass.auth.async_deactivate_user(hass_admin_user)
    async with restarted(before) as house:
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == []
        assert [report.finish for report in house.delivered] == [Finish.ABANDONED]
        assert (await house.trail())[-1][1]["reason"] == "caller_gone"


async def test_the_agent_is_gone(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Nobody could go on with it; another agent finds the words."""
    before = await parked_then_stopped(hass, hass_admin_user)
    async with restarted(before) as house:
        house.agents["agent-2"] = house.agents.pop("agent-1")
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == []
        assert [report.finish for report in house.delivered] == [Finish.ABANDONED]


async def test_an_agent_that_breaks(
    hass: HomeAssistant, hass_admin_user: MockUser, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever goes wrong, the person hears that it did, and the row is gone."""
    async with running(hass, hass_admin_user) as house:
        await house.park()

        async def broken(request: Any, turn: Turn) -> ToolOutcome:
            raise KeyError("x")

        house.gate.dispatch = broken  # type: ignore[method-assign]  # a slow disk
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert [report.finish for report in house.delivered] == [Finish.ABANDONED]
        assert await house.rows() == []
        assert "could not go on" in caplog.text


async def test_a_file_that_can_not_be_written(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """No checkpoint, no question: it is withdrawn, and the turn says so."""
    async with running(hass, hass_admin_user) as house:
        await house.audit.async_stop()
        result = await house.park()
        assert (result.finish, result.parked) == (Finish.ABANDONED, None)
        assert house.desk.withdrawn == ["a-r2"]
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == ["r1", "r2"]


async def test_a_turn_that_is_cancelled_while_it_parks_stays_parked(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Its question is out already; a yes must find the turn."""
    async with running(hass, hass_admin_user) as house:
        kept, reached = house.parked._store.put, asyncio.Event()

        async def slow(checkpoint: Checkpoint, approval_id: str) -> bool:
            reached.set()
            await asyncio.sleep(0.05)
            return await kept(checkpoint, approval_id)

        house.parked._store.put = slow  # type: ignore[method-assign]  # a slow disk
        task = asyncio.create_task(house.park())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await house.settle()
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == ["r1", "r2", "r2", "r3"]


async def test_unloaded_it_takes_nothing_up(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Unload parks: what is answered afterwards waits for the next start (E-9)."""
    before = await parked_then_stopped(hass, hass_admin_user)
    before.desk.put("a-r2", Standing.APPROVED)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert before.gate.ids() == ["r1", "r2"]
    assert len(await before.rows()) == 1


async def test_removed_it_is_deleted(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Remove deletes what waits; the trail stays (E-9)."""
    before = await parked_then_stopped(hass, hass_admin_user)
    await async_erase_waiting(hass)
    assert await before.rows() == []
    assert [kind for kind, _ in await before.trail()] == ["loop.checkpointed"]


async def test_removed_without_a_file(hass: HomeAssistant) -> None:
    """There may be none; then none is made."""
    await async_erase_waiting(hass)
    path = HouseAuditLog(hass).path
    assert not await hass.async_add_executor_job(path.exists)


async def test_a_satellite_that_is_gone(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Who asked can't be vouched for any more: it would be an automation now."""
    async with running(hass, hass_admin_user) as house:
        house.caller = Caller(
            origin=Origin.VOICE,
            satellite_id="assist_satellite.gone",
            agent_id="agent-1",
            context_id="context-1",
        )
        await house.park()
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == ["r1", "r2"]
        assert [report.finish for report in house.delivered] == [Finish.ABANDONED]
