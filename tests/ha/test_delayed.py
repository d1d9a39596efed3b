"""Commands for later: kept, run once as their giver, judged when they are due."""

from datetime import timedelta
from pathlib import Path
import re
import sqlite3
from typing import Any, Final

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.auth.models import User
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED
from homeassistant.core import Context, CoreState, HomeAssistant, callback
import pytest
from pytest_homeassistant_custom_component.common import (
    MockUser,
    async_fire_time_changed,
)

from custom_components.caesar.adapters.usage import HouseMeter
from custom_components.caesar.policy.call import tool_id
from custom_components.caesar.turn import Taint
from house.in_hass import async_build_house
from tests.ha.approvals import (
    FRONT_DOOR,
    KITCHEN,
    SATELLITE,
    approvals,
    listen_with_caesar,
    say,
    settle,
    speech,
    tell_satellite,
    until,
    waiting,
)
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_timers import tool_rows

POLICY: Final = """
version: 1
allowed_services:
  - light.turn_on
  - light.turn_off
  - service: lock.unlock
    approval: always
allowed_tools: [plan_command, planned_commands, cancel_planned]
"""
PLAN: Final = "turn on the kitchen light in 10 minutes"


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house, whose satellite it hears."""
    hass.loop.set_debug(False)
    await async_build_house(hass)
    found = await async_move_in(hass, hass_admin_user.id, POLICY)
    await listen_with_caesar(found)
    await hass.services.async_call(
        "light", "turn_off", {"entity_id": KITCHEN}, blocking=True
    )
    return found


async def later(
    house: CaesarHouse, freezer: FrozenDateTimeFactory, **passed: float
) -> None:
    """Let time pass."""
    freezer.tick(timedelta(**passed))
    async_fire_time_changed(house.hass)
    await settle(house)


async def restart(
    house: CaesarHouse, freezer: FrozenDateTimeFactory, **passed: float
) -> None:
    """Let time pass while CAESAR is not there."""
    entries = house.hass.config_entries
    assert await entries.async_unload(house.entry.entry_id)
    freezer.tick(timedelta(**passed))
    async_fire_time_changed(house.hass)
    assert await entries.async_setup(house.entry.entry_id)
    await settle(house)


def spoken(house: CaesarHouse) -> list[str]:
    """Return what satellites were made to say."""
    return [str(each["message"]) for each in house.hass.data["heard_announcements"]]


@pytest.fixture(autouse=True)
def announcements(hass: HomeAssistant, house: CaesarHouse) -> list[dict[str, Any]]:
    """Write down what satellites are made to say."""
    heard: list[dict[str, Any]] = []

    @callback
    def called(event: Any) -> None:
        if event.data["domain"] == "assist_satellite":
            heard.append(dict(event.data["service_data"]))

    hass.bus.async_listen("call_service", called)
    hass.data["heard_announcements"] = heard
    return heard


async def test_by_voice_and_told_there(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """Planned, listed, run when due, told by the same satellite; the trail has both."""
    answer = await tell_satellite(house, PLAN)
    assert answer == "Command will be executed in 10 minutes."
    listed = await tell_satellite(house, "what have I planned")
    assert re.fullmatch(
        r"Planned: “turn on the kitchen light” to(day|morrow) \d+:\d\d [AP]M\.", listed
    ), listed
    await later(house, freezer, minutes=9)
    assert house.state(KITCHEN) == "off"
    await later(house, freezer, minutes=2)
    await until(house, lambda: bool(spoken(house)))
    assert house.state(KITCHEN) == "on"
    (told,) = spoken(house)
    assert told.startswith("As planned: Turned on the light")
    rows = await tool_rows(house, "plan_command")
    assert [row["type"] for row in rows] == ["tool.intended", "tool.called"]
    assert rows[0]["input"]["command"] == "turn on the kitchen light"
    acted = await tool_rows(house, "light.turn_on")
    assert [row["type"] for row in acted] == ["tool.intended", "service.called"]
    assert await tell_satellite(house, "what have I planned") == "Nothing is planned."


async def test_cancelled_by_voice(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """The last one, or all; a chat neither sees nor cancels what a satellite planned."""
    await tell_satellite(house, PLAN)
    await tell_satellite(house, "in 20 minutes turn off the kitchen light")
    assert speech(await say(house, "what have I planned")) == "Nothing is planned."
    await say(house, "cancel everything I planned")
    answer = await tell_satellite(house, "cancel that")
    assert answer.startswith("Cancelled: “turn off the kitchen light”")
    answer = await tell_satellite(house, "cancel everything I planned")
    assert answer.startswith("Cancelled: “turn on the kitchen light”")
    await later(house, freezer, minutes=30)
    assert house.state(KITCHEN) == "off"
    assert spoken(house) == []


@pytest.mark.parametrize(
    "text",
    [
        "Mach das Küchenlicht in 10 Minuten an",
        "In 10 Minuten das Küchenlicht an",
        "Schalte das Küchenlicht in 10 Minuten ein",
    ],
)
async def test_in_german(hass: HomeAssistant, house: CaesarHouse, text: str) -> None:
    """The same in the words of another language."""
    answer = speech(await say(house, text, language="de"))
    assert "in 10 Minuten ausgeführt" in answer


async def test_survives_a_restart_and_runs_once(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """A little late is run, as its giver, encrypted until then; never again after."""
    await say(house, PLAN)
    assert "turn on the kitchen light" not in await database_text(house)
    await restart(house, freezer, minutes=12)
    await until(house, lambda: house.state(KITCHEN) == "on")
    (intent, _) = await tool_rows(house, "light.turn_on")
    assert intent["type"] == "tool.intended"
    await hass.services.async_call(
        "light", "turn_off", {"entity_id": KITCHEN}, blocking=True
    )
    await restart(house, freezer, minutes=1)
    assert house.state(KITCHEN) == "off"


async def test_given_while_home_assistant_starts(
    hass: HomeAssistant,
    house: CaesarHouse,
    freezer: FrozenDateTimeFactory,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is due once; nothing of CAESAR wakes up for it after an unload."""
    entries = hass.config_entries
    assert await entries.async_unload(house.entry.entry_id)
    hass.set_state(CoreState.starting)
    assert await entries.async_setup(house.entry.entry_id)
    await say(house, PLAN)
    hass.set_state(CoreState.running)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await settle(house)
    assert await entries.async_unload(house.entry.entry_id)
    freezer.tick(timedelta(minutes=11))
    async_fire_time_changed(hass)
    await hass.async_block_till_done()
    assert "planned command" not in caplog.text
    assert await entries.async_setup(house.entry.entry_id)
    await until(house, lambda: house.state(KITCHEN) == "on")


async def test_missed_is_told_and_not_run(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """More than five minutes late: nobody expects it any more."""
    await tell_satellite(house, PLAN)
    await restart(house, freezer, minutes=16)
    await until(house, lambda: bool(spoken(house)))
    assert spoken(house) == [
        "I could not do this in time, so I left it: “turn on the kitchen light”."
    ]
    assert house.state(KITCHEN) == "off"


async def test_judged_when_due(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """By the policy of then, by the user of then; what asks is asked then."""
    await say(house, "unlock the front door in 10 minutes")
    assert waiting(house) == ()
    await later(house, freezer, minutes=11)
    await until(house, lambda: bool(waiting(house)))
    # Nobody has read that question in the chat, so a yes there is for something else.
    await say(house, "yes")
    assert house.state(FRONT_DOOR) == "locked"
    await approvals(house).desk.withdraw(waiting(house)[0].id)

    await tell_satellite(house, "unlock the front door in 10 minutes")
    await later(house, freezer, minutes=11)
    await until(house, lambda: bool(spoken(house)))
    assert spoken(house)[0].startswith("As planned: ")
    assert house.state(FRONT_DOOR) == "locked"

    await say(house, PLAN)
    user = await hass.auth.async_get_user(house.user_id)
    assert user is not None
    await hass.auth.async_update_user(user, is_active=False)
    await later(house, freezer, minutes=11)
    assert house.state(KITCHEN) == "off"
    notice = hass.data["persistent_notification"]["caesar_planned"]
    assert "kitchen" not in notice["message"]


async def test_a_planned_yes_answers_nothing(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """What was said earlier is never somebody's yes to a question of now."""
    report = await house.obey(
        "plan_command",
        {"command": "yes", "seconds": 30},
        Context(user_id=house.user_id),
    )
    assert report.calls[0]["outcome"] == "ok"
    conversation = report.conversation_id
    await say(house, "unlock the front door", conversation_id=conversation)
    (question,) = waiting(house)
    await later(house, freezer, seconds=31)
    assert house.state(FRONT_DOOR) == "locked"
    assert [each.id for each in waiting(house)] == [question.id]


async def test_taint_comes_back(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """What was planned from words of strangers asks, when it is given and when due."""
    planned = house.entry.runtime_data.house_tools.planned
    await say(house, PLAN)
    (one,) = planned._plans.values()
    object.__setattr__(one, "taint", frozenset({Taint.UNTRUSTED}))
    assert "kitchen" not in speech(await say(house, "what have I planned"))
    await later(house, freezer, minutes=11)
    await until(house, lambda: bool(waiting(house)))
    assert house.state(KITCHEN) == "off"


async def test_limits(
    hass: HomeAssistant, house: CaesarHouse, freezer: FrozenDateTimeFactory
) -> None:
    """Not too far, not too many, not one from another, not what isn't understood."""
    answer = speech(await say(house, "turn on the kitchen light in 24 hours"))
    assert answer.startswith("Command will be executed")
    report = await house.obey(
        "plan_command", {"command": "turn on the light", "hours": 24, "seconds": 1}
    )
    assert report.calls[0]["code"] == "invalid_input"
    answer = speech(await say(house, "frobnicate the gizmo in 5 minutes"))
    assert "executed" not in answer
    for minutes in range(2, 11):
        await say(house, f"turn on the kitchen light in {minutes} minutes")
    answer = speech(await say(house, PLAN))
    assert answer.startswith("Too many commands")
    nested = "turn on the kitchen light in 5 minutes in 5 minutes"
    await say(house, "cancel everything I planned")
    await say(house, nested)
    await later(house, freezer, minutes=6)
    assert speech(await say(house, "what have I planned")) == "Nothing is planned."


async def test_a_broadcast_asks(hass: HomeAssistant, house: CaesarHouse) -> None:
    """What a satellite says can't be taken back; the one that was spoken to is spared."""
    path = Path(hass.config.path("caesar", "policy.yaml"))
    text = "version: 1\nallowed_services: [assist_satellite.announce]\n"
    await hass.async_add_executor_job(path.write_text, text)
    await hass.services.async_call("caesar", "reload_policy", blocking=True)
    answer = await tell_satellite(house, "broadcast that dinner is ready")
    assert answer == "There is no other satellite here that could say it."
    async_expose_entity(hass, "conversation", SATELLITE, True)
    await hass.async_block_till_done()
    await say(house, "broadcast that dinner is ready")
    assert spoken(house) == []
    (question,) = waiting(house)
    assert tool_id(question.call) == "assist_satellite.announce"
    await say(house, "yes")
    assert spoken(house) == ["dinner is ready"]


async def test_erased_with_the_entry(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Whoever removes CAESAR leaves no words behind."""
    await say(house, PLAN)
    assert await database_text(house)
    await hass.config_entries.async_remove(house.entry.entry_id)
    await hass.async_block_till_done()
    with pytest.raises(AssertionError):
        await database_text(house)


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        ({"scope": "session", "conversation_id": "talk"}, {"me", "kid", "hall"}),
        ({"scope": "user"}, {"kid", "hall"}),
        ({"scope": "user", "user": "Kid"}, {"me", "hall"}),
        ({"scope": "all"}, set()),
    ],
)
async def test_forgotten_with_the_person(
    hass: HomeAssistant,
    house: CaesarHouse,
    freezer: FrozenDateTimeFactory,
    wanted: dict[str, str],
    left: set[str],
) -> None:
    """Commands of a user, or everybody's, go with their words; not with one talk."""
    group = await hass.auth.async_get_group(GROUP_ID_USER)
    assert group is not None
    MockUser(id="kid", name="Kid", groups=[group]).add_to_hass(hass)
    await house.ask(PLAN)
    await house.ask(PLAN, context=Context(user_id="kid"))
    await tell_satellite(house, PLAN)
    erased = await hass.services.async_call(
        "caesar",
        "forget",
        wanted,
        blocking=True,
        context=Context(user_id=house.user_id),
        return_response=True,
    )
    assert erased is not None
    assert erased["planned"] == 3 - len(left)
    planned = house.entry.runtime_data.house_tools.planned
    names = {house.user_id: "me", "kid": "kid", None: "hall"}
    assert {names[each.caller.user_id] for each in planned._plans.values()} == left
    await restart(house, freezer, minutes=1)
    planned = house.entry.runtime_data.house_tools.planned
    assert {names[each.caller.user_id] for each in planned._plans.values()} == left
    await later(house, freezer, minutes=10)
    assert hass.states.is_state(KITCHEN, "on" if left else "off")


async def database_text(house: CaesarHouse) -> str:
    """Return what CAESAR keeps beside the trail, as text."""

    def read() -> str:
        with sqlite3.connect(f"file:{house.database}?mode=ro", uri=True) as db:
            found = db.execute("SELECT * FROM planned_commands").fetchall()
        db.close()
        assert found
        return repr(found)

    return await house.hass.async_add_executor_job(read)


@pytest.mark.parametrize("stopping", [False, True])
async def test_a_trail_that_is_closed_at_the_start(
    house: CaesarHouse, caplog: pytest.LogCaptureFixture, stopping: bool
) -> None:
    """It is told, unless Home Assistant stops before all has started."""
    running = house.entry.runtime_data
    meter = HouseMeter(house.hass, running.audit, lambda _: None, lambda _: None)
    await running.audit.async_stop()
    house.hass.set_state(CoreState.stopping if stopping else CoreState.running)
    await running.house_tools.planned.async_start()
    await meter.async_start()
    house.hass.set_state(CoreState.running)
    told = [each.message for each in caplog.records if "can't be read" in each.message]
    assert len(told) == (0 if stopping else 3), told
