"""A turn that waits for a person, in the demo house: all real parts but the model."""

import asyncio
import json
from pathlib import Path
import sqlite3
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import Context
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.caesar.adapters.desk import HouseDeskTrail
from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.sentinel.approvals import Answerer, Standing, Via
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider, Step
from tests.ha.approvals import (
    FRONT_DOOR,
    KITCHEN,
    approvals,
    house,
    say,
    speech,
    standing,
    until,
    waiting,
)
from tests.ha.house import CaesarHouse

__all__ = ["house"]

CALLS = Completed(stop=StopReason.TOOL_USE)
ANSWER: Step = [TextDelta(text="All of it is done."), Completed(stop=StopReason.END)]
STRICT = "version: 1\nallowed_services: [light.turn_off]\nallowed_tools: []\n"


def _call(number: int, service: str, entity_id: str) -> ToolRequest:
    domain, _, name = service.partition(".")
    return ToolRequest(
        id=f"r{number}",
        name="call_service",
        arguments={
            "domain": domain,
            "service": name,
            "target": {"entity_id": entity_id},
        },
    )


OFF = _call(1, "light.turn_off", "light.living_room_lights")
UNLOCK = _call(2, "lock.unlock", FRONT_DOOR)
ON = _call(3, "light.turn_on", KITCHEN)


def _model(house: CaesarHouse, *steps: Step) -> ScriptedProvider:
    """Let a model answer that plays these steps."""
    provider = ScriptedProvider(steps, name="model")
    house.assistant._providers = (provider,)
    return provider


async def _approve(house: CaesarHouse, yes: bool = True) -> str:
    """Answer what waits by an action; return its id."""
    [pending] = waiting(house)
    answer = await approvals(house).desk.answer(
        pending.id,
        yes,
        Answerer(via=Via.ACTION, user_id=house.user_id, is_admin=True),
    )
    assert answer.ok
    return pending.id


async def _restart(house: CaesarHouse) -> None:
    """Unload everything and build it anew over the same files."""
    assert await house.hass.config_entries.async_reload(house.entry.entry_id)
    await house.hass.async_block_till_done()


async def _rows(house: CaesarHouse, statement: str) -> list[tuple[Any, ...]]:
    def read() -> list[tuple[Any, ...]]:
        db = sqlite3.connect(f"file:{house.database}?mode=ro", uri=True)
        found = db.execute(statement).fetchall()
        db.close()
        return found

    return await house.hass.async_add_executor_job(read)


async def _kept(house: CaesarHouse) -> int:
    [(count,)] = await _rows(house, "SELECT count(*) FROM tool_loop_checkpoints")
    return int(count)


async def _none_kept(house: CaesarHouse) -> None:
    """Wait until a turn is forgotten: that is after its answer is out."""
    async with asyncio.timeout(10):
        while await _kept(house):
            await asyncio.sleep(0.01)


async def test_approved_after_a_restart(house: CaesarHouse) -> None:
    """Asked, restarted, approved: done once, the turn ends, the trail is complete."""
    finished = async_capture_events(house.hass, "caesar_turn_finished")
    opened = async_capture_events(house.hass, "call_service")
    await say(house, "unlock the front door")
    assert await _kept(house) == 1
    await _restart(house)
    approval_id = await _approve(house)
    await until(house, lambda: bool(finished))

    assert house.state(FRONT_DOOR) == "unlocked"
    assert [e.data["service"] for e in opened if e.data["domain"] == "lock"] == [
        "unlock"
    ]
    assert standing(house, approval_id) is Standing.DONE
    assert finished[0].data["finish"] == "text"
    assert finished[0].data["calls"][0]["outcome"] == "ok"
    await _none_kept(house)
    kinds = await _rows(
        house,
        "SELECT event_type, decision_id FROM audit_log WHERE decision_id != ''"
        " ORDER BY id",
    )
    assert len({decision_id for _, decision_id in kinds}) == 1
    names = [kind for kind, _ in kinds]
    # The answer and the turn that it lets go on are two that write at once.
    names[4:6] = sorted(names[4:6])
    assert names == [
        "approval.requested",
        "policy.denied",
        "loop.checkpointed",
        "chat.completed",
        "approval.decided",
        "loop.resumed",
        "tool.intended",
        "service.called",
        "chat.completed",
    ]


async def test_a_model_goes_on_with_what_it_wrote(house: CaesarHouse) -> None:
    """Before the question, the question, after it; then the model hears of all."""
    model = _model(house, [TextDelta(text="Ok."), OFF, UNLOCK, ON, CALLS], ANSWER)
    asked = await say(house, "light off, door open, kitchen on")
    assert speech(asked) == "Shall I unlock Front door (Hall)? Say yes or no."
    assert house.state("light.living_room_lights") == "off"
    assert house.state(KITCHEN) == "off"
    assert len(model.requests) == 1

    # Its third call needs a person as well: the next question is the answer.
    again = await say(house, "yes")
    assert house.state(FRONT_DOOR) == "unlocked"
    assert speech(again).startswith("Shall I turn on Kitchen light")
    assert again.continue_conversation
    assert len(model.requests) == 1

    last = await say(house, "yes")
    assert house.state(KITCHEN) == "on"
    assert speech(last) == "All of it is done."
    assert len(model.requests) == 2
    told = str([request.messages for request in model.requests])
    assert "yes" not in told.lower()
    await _none_kept(house)


async def test_a_no_after_a_restart(house: CaesarHouse) -> None:
    """Nothing is done, and the model hears the no."""
    _model(house, [UNLOCK, CALLS], ANSWER)
    finished = async_capture_events(house.hass, "caesar_turn_finished")
    await say(house, "open the door")
    await _restart(house)
    model = _model(house, ANSWER)
    await _approve(house, yes=False)
    await until(house, lambda: bool(finished))
    assert house.state(FRONT_DOOR) == "locked"
    assert "approval_denied" in str(model.requests[0].messages)


async def test_the_policy_was_tightened_meanwhile(house: CaesarHouse) -> None:
    """A yes to what is not allowed any more does nothing (E-4)."""
    finished = async_capture_events(house.hass, "caesar_turn_finished")
    await say(house, "unlock the front door")
    path = Path(house.hass.config.path("caesar", "policy.yaml"))
    await house.hass.async_add_executor_job(path.write_text, STRICT)
    await _restart(house)
    approval_id = await _approve(house)
    await until(house, lambda: bool(finished))
    assert house.state(FRONT_DOOR) == "locked"
    assert finished[0].data["calls"][0]["code"] == "not_listed"
    assert standing(house, approval_id) is Standing.FAILED


async def test_nobody_answered(
    house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """The moment is over: nothing of the rest is done, no model is asked."""
    model = _model(house, [UNLOCK, OFF, CALLS], ANSWER)
    light = house.state("light.living_room_lights")
    finished = async_capture_events(house.hass, "caesar_turn_finished")
    await say(house, "open the door and switch the light off")
    freezer.tick(901)
    await approvals(house).desk.sweep()
    await until(house, lambda: bool(finished))
    assert finished[0].data["finish"] == "expired"
    assert house.state(FRONT_DOOR) == "locked"
    assert house.state("light.living_room_lights") == light
    assert len(model.requests) == 1
    await _none_kept(house)


async def test_the_arguments_in_the_file_were_tampered_with(
    house: CaesarHouse,
) -> None:
    """What is sealed can't be changed; then nothing of it runs."""
    finished = async_capture_events(house.hass, "caesar_turn_finished")
    await say(house, "unlock the front door")
    assert await house.hass.config_entries.async_unload(house.entry.entry_id)

    def tamper() -> None:
        db = sqlite3.connect(house.database)
        db.execute(
            "UPDATE tool_loop_checkpoints SET sealed ="
            " CAST(substr(sealed, 1, 60) || x'2a' || substr(sealed, 62) AS BLOB)"
        )
        db.commit()
        db.close()

    await house.hass.async_add_executor_job(tamper)
    assert await house.hass.config_entries.async_setup(house.entry.entry_id)
    await house.hass.async_block_till_done()
    approval_id = await _approve(house)
    await until(house, lambda: bool(finished))
    assert finished[0].data["finish"] == "abandoned"
    assert house.state(FRONT_DOOR) == "locked"
    assert standing(house, approval_id) is Standing.EXPIRED
    # The conversation knows of it when the person comes back.
    memory: Any = house.assistant._house.memory
    told = str(memory._sessions)
    assert "gave it up" in told
    [(reason,)] = await _rows(
        house,
        "SELECT payload ->> '$.reason' FROM audit_log"
        " WHERE event_type = 'loop.abandoned'",
    )
    assert reason == "unreadable"


async def test_removed_nothing_waits_any_more(house: CaesarHouse) -> None:
    """With the entry goes what waited; the trail stays."""
    await say(house, "unlock the front door")
    assert await house.hass.config_entries.async_remove(house.entry.entry_id)
    await _none_kept(house)
    assert await _rows(house, "SELECT * FROM pending_approvals") == []
    assert await _rows(house, "SELECT * FROM audit_log") != []


async def test_the_events_hold_no_words(house: CaesarHouse) -> None:
    """Anybody who listens to events learns what was done, not what was said."""
    finished = async_capture_events(house.hass, "caesar_turn_finished")
    _model(house, [UNLOCK, CALLS], ANSWER)
    await say(house, "the old aunt is here", context=Context(user_id=house.user_id))
    await _approve(house)
    await until(house, lambda: bool(finished))
    assert "old aunt" not in json.dumps(finished[0].data)
    assert "All of it" not in json.dumps(finished[0].data)


async def test_the_answer_is_in_the_trail_before_what_came_of_it(
    house: CaesarHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slowly it is written, and whoever it was, or nobody, that decided."""
    note = HouseDeskTrail.note

    async def slow(self: HouseDeskTrail, *what: Any) -> None:
        await asyncio.sleep(0.05)
        await note(self, *what)

    monkeypatch.setattr(HouseDeskTrail, "note", slow)
    for yes in (True, False, None):
        await say(house, "lock the front door")
        if yes is None:
            [pending] = waiting(house)
            await approvals(house).desk.withdraw(pending.id)
        else:
            await _approve(house, yes)
        await _none_kept(house)
    rows = await _rows(
        house,
        "SELECT event_type FROM audit_log WHERE event_type IN"
        " ('approval.decided', 'loop.resumed') ORDER BY chain_seq",
    )
    assert rows == [("approval.decided",), ("loop.resumed",)] * 3
