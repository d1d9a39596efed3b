"""A house remembers across restarts, and makes nobody wait for it."""

import asyncio
import threading

from homeassistant.components.conversation.chat_log import DATA_CHAT_LOGS
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers.chat_session import DATA_CHAT_SESSION
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters import late
from custom_components.caesar.adapters.lasting_id import lasting_id, own_id
from custom_components.caesar.adapters.late import Endings
from custom_components.caesar.adapters.turns import session_key
from custom_components.caesar.audit.store import Store
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.policy.caller import Caller, Origin

from .approvals import house, say
from .house import CaesarHouse
from .person import ANSWER, Person, restart, rows

__all__ = ["house"]


async def test_what_was_said_survives_a_restart(house: CaesarHouse) -> None:
    """And the trail names its row; a call made directly is no conversation."""
    person = Person(house, house.user_id)
    report = await person.say("my cat is called Minka")
    await house.obey("get_state", {"entity_id": ["light.kitchen_light"]})
    await house.hass.services.async_call(
        DOMAIN,
        "call_tool",
        {"tool": "get_state", "arguments": {"domain": "light"}},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    await restart(house)
    assert await person.history() == ["my cat is called Minka", ANSWER]
    assert await Person(house, None).history() == []
    assert await Person(house, house.user_id, "other").history() == []
    kept = await rows(
        house,
        "SELECT decision_id, payload ->> '$.memory_id' FROM audit_log"
        " WHERE event_type = 'chat.completed' ORDER BY chain_seq",
    )
    assert kept[0] == (report.decision_id, 1)
    # The direct call has none; the others have their own.
    assert [each for _, each in kept] == [1, 2, None, 3, 4, 5]
    memory_ids = await rows(house, "SELECT id FROM bot_memory ORDER BY id")
    assert [each for (each,) in memory_ids] == [1, 2, 3, 4, 5]


async def test_the_answer_does_not_wait_for_the_disk(
    house: CaesarHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is out before the turn is written; unloading waits for that."""
    monkeypatch.setattr(late, "GRACE_S", 0.02)
    person = Person(house, house.user_id)
    await person.say("first")
    let_go = threading.Event()

    def hold(_: Store) -> None:
        assert let_go.wait(10)

    writer = house.entry.runtime_data.audit._writer
    holding = asyncio.wrap_future(writer.call(hold))
    report = await person.say("second")
    assert report.shown == ANSWER
    assert not holding.done()
    assert await person.history() == ["first", ANSWER, "second", ANSWER]
    unloading = asyncio.ensure_future(
        house.hass.config_entries.async_unload(house.entry.entry_id)
    )
    await asyncio.sleep(0)
    let_go.set()
    assert await unloading
    assert await rows(house, "SELECT count(*) FROM bot_memory") == [(3,)]
    assert await rows(
        house,
        "SELECT count(*) FROM audit_log WHERE event_type = 'chat.completed'"
        " AND payload ->> '$.memory_id' IS NOT NULL",
    ) == [(3,)]


async def test_a_dialog_goes_on_after_five_minutes(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Home Assistant has forgotten it, the person hasn't; nobody else gets in."""
    MockUser(id="kid", name="Kid").add_to_hass(hass)
    first = await say(house, "which lights are on", conversation_id=None)
    name = first.conversation_id
    assert name is not None
    hass.data[DATA_CHAT_SESSION].clear()
    hass.data[DATA_CHAT_LOGS].clear()
    await restart(house)
    again = await say(house, "which lights are on", conversation_id=name)
    assert again.conversation_id == name
    await say(
        house,
        "which lights are on",
        conversation_id=name,
        context=Context(user_id="kid"),
    )
    kept = await rows(
        house, "SELECT count(*), user_id FROM bot_memory GROUP BY session"
    )
    assert sorted(kept) == sorted([(2, house.user_id), (1, "kid")])
    # Under Home Assistant's own name it is the same one, while that lasts.
    key = Caller(
        origin=Origin.CHAT,
        user_id=house.user_id,
        agent_id=house.assistant.settings.agent_id,
        context_id="",
        conversation_id=own_id(name),
    )
    remembered = await house.entry.runtime_data.memory.memory.recall(session_key(key))
    assert len(remembered.messages) == 4


async def test_a_satellites_names_stay_home_assistants(house: CaesarHouse) -> None:
    """Its conversation is kept by the device; its names are not for us to change."""
    result = await say(
        house, "which lights are on", conversation_id=None, context=Context()
    )
    assert result.conversation_id in house.hass.data[DATA_CHAT_SESSION]


@pytest.mark.parametrize(
    ("given", "lasting", "own"),
    [
        ("my_morning", "my_morning", "my_morning"),
        ("caesar-", "caesar-", "caesar-"),
        ("caesar-my_morning", "caesar-my_morning", "caesar-my_morning"),
        (
            "01JDXK5W2ZQ0W3Y8Q4T7V6M1NB",
            "caesar-01JDXK5W2ZQ0W3Y8Q4T7V6M1NB",
            "01JDXK5W2ZQ0W3Y8Q4T7V6M1NB",
        ),
        (
            "caesar-01JDXK5W2ZQ0W3Y8Q4T7V6M1NB",
            "caesar-01JDXK5W2ZQ0W3Y8Q4T7V6M1NB",
            "01JDXK5W2ZQ0W3Y8Q4T7V6M1NB",
        ),
    ],
)
def test_lasting_names(given: str, lasting: str, own: str) -> None:
    """Only names that Home Assistant would replace are changed, and only once."""
    assert lasting_id(given) == lasting
    assert own_id(given) == own


async def test_what_is_written_late(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody waits for it for long, until everything is stopped."""
    monkeypatch.setattr(late, "GRACE_S", 0.01)
    endings = Endings(lambda coro, name: asyncio.create_task(coro, name=name))
    gate, written = asyncio.Event(), []

    async def write(name: str) -> None:
        await gate.wait()
        written.append(name)

    await endings.async_stop()
    await endings.write(write("first"))
    waiter = asyncio.ensure_future(endings.write(write("second")))
    await asyncio.sleep(0)
    # Whoever waits for the answer may go away.
    waiter.cancel()
    stopping = asyncio.ensure_future(endings.async_stop())
    await asyncio.wait({stopping}, timeout=0.02)
    assert written == []
    assert not stopping.done()
    gate.set()
    await stopping
    assert written == ["first", "second"]
    assert "could not be written" not in caplog.text
    gate.clear()
    monkeypatch.setattr(late, "STOP_WAIT_S", 0.01)
    await endings.write(write("never"))
    await endings.async_stop()
    assert "The end of 1 turns could not be written" in caplog.text
    gate.set()
