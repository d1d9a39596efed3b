"""What was done and who did it: to each asker their own, admins all."""

from datetime import datetime
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.legion.spec_json import RESERVED
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.impact import TELLING_TOOLS
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import Taint
from house.in_hass import async_build_house
from tests.ha.approvals import SATELLITE, listen_with_caesar, tell_satellite
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.past import (
    POLICY,
    READS_ONLY_KITCHEN,
    asked_tool,
    boy,
    house,
    intend,
    say_of,
    told,
)

__all__ = ["boy", "house"]


async def test_what_did_you_do(house: CaesarHouse, boy: Context) -> None:
    """An admin hears of everybody, others of themselves."""
    await told(house, "turn on the kitchen light")
    await told(house, "turn on the night light", boy, conversation_id="b")
    await told(house, "close the bedroom blind", boy, conversation_id="b")
    everybody = await told(house, "what did you do today?")
    assert everybody.startswith(
        "Today I did 2 things: turn on Night light and turn on Kitchen light. "
        "I refused one: close Bedroom blind."
    )
    assert ", Boy: turn on Night light (done)." in everybody
    assert ", you: turn on Kitchen light (done)." in everybody
    own = await told(
        house, "Was hast du heute gemacht?", boy, conversation_id="b", language="de"
    )
    assert own.startswith("Heute habe ich eines getan: Night light einschalten.")
    assert "Kitchen" not in own
    assert "Adult" not in own
    refused = await told(house, "what did you refuse today")
    assert refused.startswith("Today: I refused one: close Bedroom blind")
    assert (
        await told(house, "what did you do yesterday") == "Yesterday I changed nothing."
    )


async def test_who_did_it(house: CaesarHouse, boy: Context) -> None:
    """Only an admin hears who; what others did is no business of Boy's."""
    await told(house, "turn on the night light", boy, conversation_id="b")
    said = await told(house, "who turned on the night light?")
    assert "Boy asked me to turn on Night light." in said
    own = await told(house, "who turned on the night light?", boy, conversation_id="b")
    assert "you asked me to turn on Night light." in own
    await told(house, "turn on the kitchen light")
    other = await told(
        house, "who turned on the kitchen light?", boy, conversation_id="b"
    )
    assert other == (
        "In the last seven days I did no such thing. What others have asked for, I only "
        "tell an admin."
    )
    nobody = await told(
        house, "Wer hat gestern die Haustür aufgeschlossen?", language="de"
    )
    assert nobody == (
        "Gestern habe ich so etwas nicht getan. Was ohne mich geschah, steht in Home "
        "Assistant unter Aktivität."
    )


async def test_a_satellite_tells_its_own(house: CaesarHouse, boy: Context) -> None:
    """Not what was done elsewhere, nor what a user did who only named it."""
    await listen_with_caesar(house)
    await house.hass.services.async_call(
        "conversation",
        "process",
        {"text": "turn off the kitchen light", "agent_id": "conversation.caesar"},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    forged = Caller(
        origin=Origin.CHAT,
        user_id=boy.user_id,
        satellite_id=SATELLITE,
        agent_id="agent",
        context_id="context",
    )
    await intend(house, forged)
    assert (
        await tell_satellite(house, "what did you do today")
        == "Today I changed nothing."
    )
    await tell_satellite(house, "turn on the night light")
    said = await tell_satellite(house, "why did you do that")
    assert (
        "somebody here asked me to turn on Night light. The policy allows that." in said
    )
    happened = await tell_satellite(house, "what did you do today")
    assert happened == "Today I did one thing: turn on Night light."
    # An admin hears where it came from.
    everybody = await told(house, "what did you do today")
    assert ", a voice in Children's room: turn on Night light (done)." in everybody


async def test_an_automation_hears_nothing(house: CaesarHouse) -> None:
    """Nobody is known to be behind it."""
    await told(house, "turn on the kitchen light")
    for question in ("what did you do today", "why did you do that", "why not"):
        answer = await house.ask(question, context=Context())
        assert answer["answer"].startswith("I can only tell that to the person")


async def test_what_may_not_be_read_has_no_name(
    house: CaesarHouse, hass: HomeAssistant
) -> None:
    """Home Assistant's read permission counts for the past too."""
    kid = MockUser(name="Kid").add_to_hass(hass)
    kid.mock_policy({"entities": True})
    context = Context(user_id=kid.id)
    await told(house, "turn on the kitchen light", context, conversation_id="k")
    await told(house, "turn on the night light", context, conversation_id="k")
    kid.mock_policy(READS_ONLY_KITCHEN)
    said = await told(house, "what did you do today", context, conversation_id="k")
    assert "Night light" not in said
    assert "turn on something that isn't shared with you" in said
    assert "turn on Kitchen light" in said
    by_name = await asked_tool(house, "why", context, what="Night light")
    assert say_of(by_name) == "I don't know anything of that name that you may see."


@pytest.mark.parametrize(
    "given",
    [
        {"since": "yesterday"},
        {"since": "2026-12-01", "until": "2026-11-30"},
        {"until": "0001-01-01"},
        {"since": "9999-12-31T23:59:59-23:00"},
    ],
)
async def test_odd_times(house: CaesarHouse, given: dict[str, Any]) -> None:
    """A model is told which field is wrong."""
    outcome = await asked_tool(house, "what_happened", **given)
    assert outcome.error is not None
    assert outcome.error.code is Code.INVALID_INPUT


async def test_a_model_asks(house: CaesarHouse, boy: Context) -> None:
    """It gets the same sentences, and its turn is private from then on."""
    await told(house, "turn on the kitchen light", boy, conversation_id="b")
    outcome = await asked_tool(house, "what_happened", boy, tool="light.turn_on")
    assert "you asked me to turn on Kitchen light" in say_of(outcome)
    assert outcome.taint == {Taint.PRIVATE}
    since = dt_util.now().date().isoformat()
    again = await asked_tool(house, "what_happened", boy, since=since, until=since)
    assert say_of(again).startswith("Today I did one thing")


async def test_a_foreign_tools_name_is_not_repeated(house: CaesarHouse) -> None:
    """What never was a call is no part of an answer, for a model wrote it."""
    await asked_tool(house, "say that all doors are open")
    await asked_tool(house, "all_doors_are_open")
    await asked_tool(house, "call_service", domain="all doors", service="are open")
    assert await told(house, "what did you do today") == "Today I changed nothing."
    await asked_tool(house, "all_doors__are_open")
    said = await told(house, "what did you do today")
    assert "all_doors" not in said
    assert "I refused one: use something that doesn't exist here." in said


async def test_the_policy_may_keep_it_from_somebody(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """An entry for it counts as for the other reads of the house."""
    await async_build_house(hass)
    rule = "allowed_tools:\n  - tool: what_happened\n    for: {admin: true}\n"
    house = await async_move_in(hass, hass_admin_user.id, POLICY + rule)
    kid = MockUser(name="Kid").add_to_hass(hass)
    kid.mock_policy({"entities": True})
    refused = await asked_tool(house, "what_happened", Context(user_id=kid.id))
    assert refused.error is not None
    assert refused.error.code is Code.CALLER_NOT_COVERED
    assert say_of(await asked_tool(house, "what_happened")).startswith("Today")


@pytest.mark.parametrize(
    ("language", "text", "since", "until"),
    [
        ("en", "what did you do this morning", "04:00", "12:00"),
        ("en", "what have you done this afternoon", "12:00", "18:00"),
        ("de", "Was hast du heute Vormittag gemacht?", "04:00", "12:00"),
        ("de", "Was hast du heute Nachmittag alles gemacht?", "12:00", "18:00"),
    ],
)
async def test_parts_of_the_day(
    house: CaesarHouse, language: str, text: str, since: str, until: str
) -> None:
    """In local time, whatever the server's."""
    answer = await house.ask(text, language=language)
    (row,) = await house.trail(answer["decision_id"])
    assert row["action"] == "what_happened"
    story = await house.entry.runtime_data.audit.async_export(answer["decision_id"])
    given = next(
        each["payload"]["input"] for each in story if "input" in each["payload"]
    )
    clocks = [
        f"{datetime.fromisoformat(given[key]):%H:%M}" for key in ("since", "until")
    ]
    assert clocks == [since, until]
    zone = datetime.fromisoformat(given["since"]).utcoffset()
    assert zone == dt_util.now().utcoffset()


def test_no_worker_takes_their_names() -> None:
    """It would be asked in their place."""
    assert TELLING_TOOLS <= RESERVED
