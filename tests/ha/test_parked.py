"""Parked turns in Home Assistant: kept, sealed, gone on with, told about."""

import asyncio
import json
from pathlib import Path
from typing import Any

from homeassistant.const import EVENT_HOMEASSISTANT_STARTED
from homeassistant.core import CoreState, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockUser, async_capture_events

from custom_components.caesar.adapters import resumed
from custom_components.caesar.adapters.report import TurnReport
from custom_components.caesar.brain.checkpoint import Checkpoint
from custom_components.caesar.brain.loop import Finish
from custom_components.caesar.sentinel.approvals import Standing, Via
from tests.core.brain.parking import call
from tests.ha.parked import SECRET, parked_then_stopped, question, restarted, running


async def test_a_yes_from_elsewhere_goes_on_and_is_told_once(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """The rest of the turn runs, its end is delivered, nothing is left behind."""
    finished = async_capture_events(hass, "caesar_turn_finished")
    async with running(hass, hass_admin_user) as house:
        parked = await house.park()
        assert (parked.finish, parked.parked) == (Finish.PARKED, "a-r2")
        assert house.gate.ids() == ["r1", "r2"]
        assert len(await house.rows()) == 1

        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == ["r1", "r2", "r2", "r3"]
        request, held = house.gate.dispatched[2]
        assert request == call(2)
        assert held["r2"].approval_id == "a-r2"
        assert (held["r2"].args_hash, held["r2"].digest) == ("hash", "digest")
        (report,) = house.delivered
        assert (report.finish, report.shown) == (Finish.TEXT, "All done.")
        assert await house.rows() == []
        (event,) = finished
        assert event.data["decision_id"] == "decision-1"
        assert event.data["finish"] == "text"
        assert SECRET not in json.dumps(event.data)
        assert event.context.parent_id == "context-1"
        first, second = await house.trail()
        assert first[0] == "loop.checkpointed"
        assert first[1]["states"] == ["done", "awaiting_approval", "pending"]
        assert (second[0], second[1]["answer"]) == ("loop.resumed", "approved")


async def test_nothing_that_was_said_can_be_read_in_the_file(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """What a person said is sealed (SPEC E-8)."""
    house = await parked_then_stopped(hass, hass_admin_user)
    folder = Path(house.audit.path).parent

    def everything() -> bytes:
        return b"".join(path.read_bytes() for path in folder.iterdir())

    found = await hass.async_add_executor_job(everything)
    assert b"a-r2" in found
    assert b"old aunt" not in found


async def test_a_restart_loses_nothing(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Approved after the restart: the same bytes, once; the provider only then."""
    before = await parked_then_stopped(hass, hass_admin_user)
    async with restarted(before) as house:
        assert house.gate.ids() == []
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert [request for request, _ in house.gate.dispatched] == [call(2), call(3)]
        assert len(house.provider.requests) == 1
        assert [report.shown for report in house.delivered] == ["All done."]
    async with restarted(house) as again:
        assert again.gate.ids() == []
        assert again.delivered == []


async def test_a_question_without_a_turn_is_withdrawn_after_a_restart(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """A yes to it would lead to nothing; those with a turn stay."""
    before = await parked_then_stopped(hass, hass_admin_user)
    before.desk.questions["alone"] = question(before.caller, "alone", "decision-9")
    async with restarted(before) as house:
        assert house.desk.withdrawn == ["alone"]
        late = question(house.caller, "late", "decision-10")
        house.desk.questions["late"] = late
        await house.settle()
        assert house.desk.withdrawn == ["alone"]


async def test_not_before_home_assistant_has_started(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """There are no entities before: the call would touch nothing (E-2)."""
    before = await parked_then_stopped(hass, hass_admin_user)
    before.desk.put("a-r2", Standing.APPROVED)
    hass.set_state(CoreState.starting)
    async with restarted(before) as house:
        assert house.gate.ids() == []
        hass.set_state(CoreState.running)
        hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
        await house.settle()
        assert house.gate.ids() == ["r2", "r3"]


async def test_answered_before_it_was_kept(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """A very quick thumb: the answer comes while the turn goes to the disk."""
    async with running(hass, hass_admin_user) as house:
        kept = house.parked._store.put

        async def slow(checkpoint: Checkpoint, approval_id: str) -> bool:
            house.desk.put(approval_id, Standing.APPROVED)
            return await kept(checkpoint, approval_id)

        house.parked._store.put = slow  # type: ignore[method-assign]  # a slow disk
        await house.park()
        await house.settle()
        assert house.gate.ids() == ["r1", "r2", "r2", "r3"]
        assert [report.shown for report in house.delivered] == ["All done."]


async def test_answered_where_nothing_is_parked(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Questions of calls that no turn waits for are none of our business."""
    async with running(hass, hass_admin_user) as house:
        house.desk.questions["other"] = question(house.caller, "other", "decision-9")
        house.desk.put("other", Standing.APPROVED)
        await house.settle()
        assert house.delivered == []
        assert [event async for event in house.parked.resume_now("other")] == []


async def test_whoever_answers_in_the_conversation_hears_the_end_there(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """The answering turn gets all events as they come; nothing is told twice."""
    async with running(hass, hass_admin_user) as house:
        await house.park()
        house.desk.put("a-r2", Standing.APPROVED, Via.CHAT)
        events = [event async for event in house.parked.resume_now("a-r2")]
        await house.settle()
        assert [type(event).__name__ for event in events] == [
            "ToolRequest",
            "ToolOutcome",
            "ToolRequest",
            "ToolOutcome",
            "RoundStarted",
            "TextDelta",
            "TurnResult",
            "TurnReport",
        ]
        assert house.delivered == []


async def test_a_reader_who_goes_away_changes_nothing(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """The browser is closed: the turn goes on, and its end is delivered."""
    async with running(hass, hass_admin_user) as house:
        await house.park()
        house.gate.waits = {"r3": asyncio.Event()}
        house.desk.put("a-r2", Standing.APPROVED, Via.CHAT)

        async def read() -> list[Any]:
            return [event async for event in house.parked.resume_now("a-r2")]

        reader = asyncio.create_task(read())
        while house.gate.ids()[-1] != "r3":
            await asyncio.sleep(0.01)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reader
        house.gate.waits["r3"].set()
        await house.settle()
        assert house.gate.ids() == ["r1", "r2", "r2", "r3"]
        assert [report.shown for report in house.delivered] == ["All done."]


async def test_nobody_comes_to_read(
    hass: HomeAssistant,
    hass_admin_user: MockUser,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An answer by chat whose turn then broke off: the end is delivered after all."""
    monkeypatch.setattr(resumed, "ATTACH_S", 0.05)
    async with running(hass, hass_admin_user) as house:
        await house.park()
        house.desk.put("a-r2", Standing.APPROVED, Via.CHAT)
        await house.settle()
        assert [report.shown for report in house.delivered] == ["All done."]


async def test_a_reader_who_comes_late(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """The turn was quicker than the conversation that answered: nothing is lost."""
    async with running(hass, hass_admin_user) as house:
        await house.park()
        house.desk.put("a-r2", Standing.APPROVED, Via.CHAT)
        while await house.rows():
            await asyncio.sleep(0.01)
        events = [event async for event in house.parked.resume_now("a-r2")]
        await house.settle()
        assert isinstance(events[-1], TurnReport)
        assert events[-1].shown == "All done."
        assert house.delivered == []
        assert house.parked._running == {}


async def test_a_turn_that_parks_again_is_not_over(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Its next question is told like an end, but nothing has finished."""
    finished = async_capture_events(hass, "caesar_turn_finished")
    async with running(hass, hass_admin_user) as house:
        await house.park()
        house.gate.parks = ["r3"]
        house.desk.questions["a-r3"] = question(house.caller, "a-r3", "decision-1")
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert [report.parked for report in house.delivered] == ["a-r3"]
        assert finished == []
        [row] = await house.rows()
        assert row[:3] == ("decision-1", "a-r3", "waiting")

        house.desk.put("a-r3", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == ["r1", "r2", "r2", "r3", "r3"]
        assert len(finished) == 1
        assert await house.rows() == []


async def test_answered_while_home_assistant_still_starts(
    hass: HomeAssistant, hass_admin_user: MockUser
) -> None:
    """Kept and approved before all has started: it waits for that."""
    hass.set_state(CoreState.starting)
    async with running(hass, hass_admin_user) as house:
        await house.park()
        house.desk.put("a-r2", Standing.APPROVED)
        await house.settle()
        assert house.gate.ids() == ["r1", "r2"]
        hass.set_state(CoreState.running)
        hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
        await house.settle()
        assert house.gate.ids() == ["r1", "r2", "r2", "r3"]
