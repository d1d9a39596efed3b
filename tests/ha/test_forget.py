"""A house forgets when somebody who may asks for it."""

from typing import Any

from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters import assistant, ending
from custom_components.caesar.adapters.report import TurnReport

from .approvals import (
    SATELLITE,
    house,
    listen_with_caesar,
    say,
    tell_satellite,
    waiting,
)
from .house import CaesarHouse
from .person import ANSWER, FORGET, Person, call, forget, restart, rows, verified

__all__ = ["house"]


async def test_a_model_forgets_when_asked(house: CaesarHouse) -> None:
    """Its own conversation and no other; not even the wish is remembered."""
    person = Person(house, house.user_id)
    other = Person(house, house.user_id, "other")
    await other.say("keep this")
    await person.say("secret words")
    await person.say("open up", call("lock__unlock", entity_id="lock.front_door"))
    await other.say("close up", call("lock__lock", entity_id="lock.front_door"))
    assert len(waiting(house)) == 2
    assert await verified(house)
    report = await person.say("forget all of this", FORGET)
    [outcome] = report.outcomes
    assert outcome.error is None
    assert outcome.data == {
        "forgotten": True,
        "turns": 2,
        "questions": 1,
        "checkpoints": 1,
        "planned": 0,
    }
    assert outcome.taint == frozenset()
    # The question of the other conversation waits on.
    assert len(waiting(house)) == 1
    for table in ("tool_loop_checkpoints", "pending_approvals"):
        assert await rows(house, f"SELECT count(*) FROM {table}") == [(1,)]  # noqa: S608 - names of our own
    assert await person.history() == []
    assert (await other.history())[:2] == ["keep this", ANSWER]
    await restart(house)
    assert await person.history() == ["and now", ANSWER]
    [(decision_id, payload, user)] = await rows(
        house,
        "SELECT decision_id, payload, user_id FROM audit_log"
        " WHERE event_type = 'memory.erased'",
    )
    assert decision_id == report.decision_id
    assert user == house.user_id
    for part in ('"turns":2', '"questions":1', '"checkpoints":1', '"scope":"session"'):
        assert part in payload.replace(" ", "")
    completed = await rows(
        house,
        "SELECT payload ->> '$.memory_id' FROM audit_log"
        " WHERE event_type = 'chat.completed' AND decision_id = ?",
        report.decision_id,
    )
    assert completed == [(None,)]
    assert await verified(house)


async def test_the_policy_can_forbid_it(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """As with the reads: an entry of its own says for whom it is."""
    policy = "version: 1\nallowed_services: []\nallowed_tools:\n  - tool: forget_conversation\n    for: {user: [Kid]}\n"
    MockUser(id="kid", name="Kid").add_to_hass(hass)
    path = house.database.with_name("policy.yaml")
    await hass.async_add_executor_job(path.write_text, policy)
    await restart(house)
    person, kid = Person(house, house.user_id), Person(house, "kid")
    for each in (person, kid):
        await each.say("words")
    [refused] = (await person.say("forget", FORGET)).outcomes
    assert refused.error is not None
    assert refused.error.code.value == "caller_not_covered"
    [done] = (await kid.say("forget", FORGET)).outcomes
    assert done.error is None
    assert (await person.history())[0] == "words"
    assert await kid.history() == []


async def test_who_may_forget_what(hass: HomeAssistant, house: CaesarHouse) -> None:
    """One's own by everybody in person; others', satellites', everything: admins."""
    MockUser(id="kid", name="Kid").add_to_hass(hass)
    adult, kid = Person(house, house.user_id), Person(house, "kid")
    mine = Context(user_id="kid")
    for context, data in (
        (mine, {"scope": "all"}),
        (mine, {"scope": "user", "user": "Adult"}),
        (mine, {"scope": "session", "conversation_id": "talk", "user": "Adult"}),
        (mine, {"scope": "session", "satellite": SATELLITE}),
        (mine, {"scope": "session"}),
        (mine, {"scope": "session", "conversation_id": "x", "satellite": SATELLITE}),
        (None, {"scope": "session", "user": "Kid", "satellite": SATELLITE}),
        (mine, {"scope": "all", "user": "kid"}),
        (None, {"scope": "user", "conversation_id": "talk"}),
        (None, {"scope": "user", "user": "Nobody"}),
        (None, {"scope": "session", "satellite": "light.kitchen_light"}),
        (Context(), {"scope": "user"}),
        (Context(user_id=house.user_id, parent_id="script"), {"scope": "user"}),
    ):
        await adult.say("adult's")
        await kid.say("kid's")
        before = await rows(house, "SELECT count(*) FROM bot_memory")
        with pytest.raises(ServiceValidationError):
            await forget(house, context, **data)
        assert await rows(house, "SELECT count(*) FROM bot_memory") == before
    assert await forget(house, mine, scope="session", conversation_id="talk") == {
        "turns": 13,
        "questions": 0,
        "checkpoints": 0,
        "planned": 0,
    }
    assert await kid.history() == []
    assert (await forget(house, mine, scope="user"))["turns"] == 1
    await kid.say("kid's")
    assert (await forget(house, scope="user", user="Kid"))["turns"] == 1
    await kid.say("kid's")
    assert (await forget(house, scope="session", conversation_id="talk", user="kid"))[
        "turns"
    ] == 1
    assert (await adult.history())[-2:] == ["adult's", ANSWER]
    await kid.say("kid's")
    assert (await forget(house, scope="all"))["turns"] == 15
    assert await rows(house, "SELECT * FROM bot_memory") == []
    assert await verified(house)


async def test_a_satellites_conversation(house: CaesarHouse) -> None:
    """Nobody knows who spoke there; an admin has it forgotten."""
    await listen_with_caesar(house)
    await tell_satellite(house, "which lights are on")
    [(user, origin)] = await rows(house, "SELECT user_id, origin FROM bot_memory")
    assert (user, origin) == (None, "voice")
    assert (await forget(house, scope="user"))["turns"] == 0
    assert (await forget(house, scope="session", satellite=SATELLITE))["turns"] == 1


async def test_everything_that_waits_goes_too(house: CaesarHouse) -> None:
    """Also what an earlier run has left, and what was answered today."""
    person = Person(house, house.user_id)
    await say(house, "unlock the front door")
    await say(house, "no")
    await say(house, "unlock the front door")
    await restart(house)
    assert len(waiting(house)) == 1
    erased = await forget(house, scope="user")
    assert (erased["questions"], erased["checkpoints"]) == (2, 1)
    assert waiting(house) == ()
    answered = await say(house, "yes")
    assert house.state("lock.front_door") == "locked"
    assert "understand" in str(answered.response.speech)
    await restart(house)
    assert waiting(house) == ()
    assert await person.history() == []


async def test_a_turn_that_goes_on_meanwhile(
    house: CaesarHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends, and nothing of it is remembered after what was forgotten."""
    await say(house, "unlock the front door")
    ended = ending.async_report
    forgotten: list[dict[str, Any]] = []

    async def forget_first(*args: Any) -> TurnReport:
        forgotten.append(await forget(house, scope="user"))
        return await ended(*args)

    monkeypatch.setattr(assistant, "async_report", forget_first)
    await say(house, "yes")
    assert house.state("lock.front_door") == "unlocked"
    assert [each["turns"] for each in forgotten] == [1]
    assert await rows(house, "SELECT * FROM bot_memory") == []


async def test_a_removed_users_words_go(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """With the user; those of others stay."""
    user = await hass.auth.async_create_user("Guest")
    guest, adult = Person(house, user.id), Person(house, house.user_id)
    await guest.say("guest's")
    await adult.say("adult's")
    await hass.auth.async_remove_user(user)
    await hass.async_block_till_done()
    left = await rows(house, "SELECT user_id FROM bot_memory")
    assert left == [(house.user_id,)]


async def test_removed_nothing_is_remembered(house: CaesarHouse) -> None:
    """With the entry goes what was said; the trail stays."""
    await Person(house, house.user_id).say("words")
    assert await house.hass.config_entries.async_remove(house.entry.entry_id)
    assert await rows(house, "SELECT * FROM bot_memory") == []
    assert await rows(house, "SELECT * FROM audit_log") != []
