"""Approvers are asked on their phones: the real companion-app integration, real pushes."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
from homeassistant.auth.models import User
from homeassistant.components.conversation import (
    ConversationInput,
    ConversationResult,
    async_converse,
    async_get_chat_log,
)
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED
from homeassistant.core import Context, CoreState, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.chat_session import async_get_chat_session
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.caesar.adapters.phone_book import phones_of
from custom_components.caesar.adapters.service_calls import OwnMessages
from custom_components.caesar.sentinel.approvals import Answerer, Standing, Via
from tests.ha.approvals import (
    AGENT,
    FRONT_DOOR,
    SATELLITE,
    approvals,
    house,
    kept_files,
    say,
    settle,
    speech,
    standing,
    until,
    waiting,
)
from tests.ha.house import CaesarHouse

__all__ = ["house"]

EVENT = "mobile_app_notification_action"


@dataclass(slots=True, kw_only=True)
class FakePhone:
    """A phone: what it was sent, and its buttons."""

    hass: HomeAssistant
    user_id: str
    pushed: list[dict[str, Any]] = field(default_factory=list)

    @property
    def actions(self) -> list[dict[str, Any]]:
        """Return the buttons of the last card."""
        found: list[dict[str, Any]] = self.pushed[-1]["data"]["actions"]
        return found

    def press(self, action: str, context: Context | None = None) -> None:
        """Press a button, as the app tells Home Assistant."""
        self.hass.bus.async_fire(
            EVENT, {"action": action}, context=context or Context(user_id=self.user_id)
        )


async def add_phone(hass: HomeAssistant, user_id: str, name: str) -> FakePhone:
    """Register a phone whose pushes arrive at a server of this test."""
    phone = FakePhone(hass=hass, user_id=user_id)

    async def push(request: web.Request) -> web.Response:
        phone.pushed.append(await request.json())
        return web.json_response({"target": "fake"}, status=201)

    app = web.Application()
    app.router.add_post("/push", push)
    server = TestServer(app)
    await server.start_server()
    _SERVERS.append(server)
    entry = MockConfigEntry(
        domain="mobile_app",
        title=name,
        data={
            "app_id": "io.test",
            "app_name": "Test",
            "app_version": "1",
            "device_id": f"id-{name}",
            "device_name": name,
            "manufacturer": "Apple",
            "model": "x",
            "os_name": "iOS",
            "os_version": "1",
            "supports_encryption": False,
            "user_id": user_id,
            "webhook_id": f"hook-{user_id}-{name}",
            "secret": "0" * 64,
            "app_data": {
                "push_token": "t",
                "push_url": str(server.make_url("/push")),
            },
        },
    )
    entry.add_to_hass(hass)
    if entry.state is ConfigEntryState.NOT_LOADED:
        assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return phone


_SERVERS: list[TestServer] = []


@pytest.fixture
async def child(hass: HomeAssistant, socket_enabled: None) -> AsyncGenerator[MockUser]:
    """Return somebody who may use everything and approve nothing."""
    assert await async_setup_component(hass, "mobile_app", {})
    user = MockUser(id="child", name="Boy").add_to_hass(hass)
    user.mock_policy({"entities": True})
    yield user
    for server in _SERVERS:
        await server.close()
    _SERVERS.clear()


async def ask_as(house: CaesarHouse, user: MockUser) -> tuple[Any, FakePhone]:
    """Let somebody ask for the front door; return the task and the owner's phone."""
    phone = await add_phone(house.hass, house.user_id, "Adults Phone")
    task = house.hass.async_create_task(
        say(house, "unlock the front door", context=Context(user_id=user.id))
    )
    await until(house, lambda: bool(phone.pushed))
    return task, phone


async def test_the_owners_button_unlocks_while_the_child_waits(
    house: CaesarHouse, child: MockUser
) -> None:
    """The card is made of facts, its yes needs an unlocked phone, and it is answered."""
    task, phone = await ask_as(house, child)
    card = phone.pushed[-1]
    assert card["title"] == "CAESAR asks"
    assert card["message"] == "Shall I unlock Front door (Hall)? Asked by Boy."
    yes, no = phone.actions
    assert yes["authenticationRequired"] is True
    assert "authenticationRequired" not in no
    assert len(yes["action"]) >= len("CAESAR_") + 22
    assert house.state(FRONT_DOOR) == "locked"
    phone.press(yes["action"])
    result: ConversationResult = await task
    assert house.state(FRONT_DOOR) == "unlocked"
    assert speech(result) == "Unlocking."
    await until(house, lambda: phone.pushed[-1]["message"].startswith("Done"))
    outcome = phone.pushed[-1]
    assert outcome["message"] == "Done: unlock Front door (Hall). Adult said yes."
    assert outcome["data"]["tag"] == card["data"]["tag"]
    assert "actions" not in outcome["data"]


async def test_a_no_by_phone(house: CaesarHouse, child: MockUser) -> None:
    """The child hears it, nothing is done."""
    task, phone = await ask_as(house, child)
    phone.press(phone.actions[1]["action"])
    result = await task
    assert house.state(FRONT_DOOR) == "locked"
    assert "refused" in speech(result)
    await until(house, lambda: "said no" in phone.pushed[-1]["message"])


async def test_only_the_phones_owner_can_press(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """The child fires the same event with the same token; so does another admin."""
    task, phone = await ask_as(house, child)
    [pending] = waiting(house)
    yes = phone.actions[0]["action"]
    admin = MockUser(id="admin2", name="Elder", is_owner=True).add_to_hass(hass)
    for context in (
        Context(user_id=child.id),
        Context(user_id=admin.id),
        Context(),
        Context(user_id=house.user_id, parent_id="a-script"),
    ):
        phone.press(yes, context)
    for made_up in ("CAESAR_", "CAESAR_x", f"{yes}x", yes[:-1]):
        phone.press(made_up)
    hass.bus.async_fire(EVENT, {}, context=Context(user_id=house.user_id))
    hass.bus.async_fire(EVENT, {"action": 1}, context=Context(user_id=house.user_id))
    await settle(house)
    assert standing(house, pending.id) is Standing.WAITING
    assert house.state(FRONT_DOOR) == "locked"
    rows = await house.entry.runtime_data.audit.async_export(pending.decision_id)
    rejected = [row for row in rows if row["event_type"] == "approval.rejected"]
    assert [row["payload"]["via"] for row in rejected] == ["phone"]
    phone.press(yes)
    await task
    assert house.state(FRONT_DOOR) == "unlocked"


async def test_a_token_is_used_once_and_kept_nowhere(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """Pressed again it does nothing; the files hold its hash only."""
    task, phone = await ask_as(house, child)
    yes = phone.actions[0]["action"]
    assert yes.removeprefix("CAESAR_") not in await kept_files(house)
    phone.press(yes)
    await task
    await hass.services.async_call(
        "lock", "lock", {"entity_id": FRONT_DOOR}, blocking=True
    )
    phone.press(yes)
    await settle(house)
    assert house.state(FRONT_DOOR) == "locked"


async def test_buttons_work_after_a_restart(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """The owner asks, CAESAR is started anew, the button is pressed: done once."""
    phone = await add_phone(hass, house.user_id, "Adults Phone")
    await say(house, "unlock the front door")
    await until(house, lambda: bool(phone.pushed))
    [pending] = waiting(house)
    yes = phone.actions[0]["action"]
    assert await hass.config_entries.async_reload(house.entry.entry_id)
    await hass.async_block_till_done()
    assert len(phone.pushed) == 1, "the card is on the phone already"
    phone.press(yes)
    await until(house, lambda: house.state(FRONT_DOOR) == "unlocked")
    await until(house, lambda: standing(house, pending.id) is Standing.DONE)
    await until(house, lambda: phone.pushed[-1]["message"].startswith("Done"))


async def test_the_asker_who_may_approve_is_asked_on_no_other_phone(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """Another admin's phone stays quiet; the child's never rings."""
    other = MockUser(id="admin2", name="Elder", is_owner=True).add_to_hass(hass)
    own = await add_phone(hass, house.user_id, "Adults Phone")
    elders = await add_phone(hass, other.id, "Elders Phone")
    boys = await add_phone(hass, child.id, "Boys Phone")
    await say(house, "unlock the front door")
    await until(house, lambda: bool(own.pushed))
    assert elders.pushed == boys.pushed == []
    await say(house, "unlock the front door", context=Context(user_id=other.id))
    await until(house, lambda: bool(elders.pushed))
    assert boys.pushed == []


async def test_phones_that_share_a_name_are_told_nothing(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """Home Assistant would send to either of them: nobody knows to whose."""
    own = await add_phone(hass, house.user_id, "iPhone")
    boys = await add_phone(hass, child.id, "iphone")
    answer = await say(
        house, "unlock the front door", context=Context(user_id=child.id)
    )
    assert own.pushed == boys.pushed == []
    assert "nobody I can ask" in speech(answer)
    assert house.state(FRONT_DOOR) == "locked"


async def test_a_test_card_comes_back(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant, hass_admin_user: User
) -> None:
    """The owner sees that the whole way works; another's press doesn't count."""
    phone = await add_phone(hass, house.user_id, "Adults Phone")
    phones = approvals(house).phones
    assert await phones.async_test_phone(child.id) == ()
    assert await phones.async_test_phone(hass_admin_user.id) == ("Adults Phone",)
    button = phone.actions[0]["action"]
    phone.press(button, Context(user_id=child.id))
    await settle(house)
    assert len(phone.pushed) == 1
    phone.press(button)
    await until(house, lambda: len(phone.pushed) == 2)
    assert "It works" in phone.pushed[-1]["message"]


async def test_a_voice_is_told_whom_caesar_asks_before_it_waits(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """The satellite says so at once, waits, and then says what came of it."""
    phone = await add_phone(hass, house.user_id, "Adults Phone")
    heard: list[str] = []

    async def speak_up() -> ConversationResult:
        with async_get_chat_session(hass, "voice") as session:
            spoken = ConversationInput(
                text="unlock the front door",
                context=Context(),
                conversation_id="voice",
                device_id=None,
                satellite_id=SATELLITE,
                language="en",
                agent_id=AGENT,
            )
            with async_get_chat_log(
                hass,
                session,
                spoken,
                chat_log_delta_listener=lambda _, delta: heard.append(
                    delta.get("content") or ""
                ),
            ):
                return await async_converse(
                    hass,
                    spoken.text,
                    "voice",
                    spoken.context,
                    "en",
                    agent_id=AGENT,
                    satellite_id=SATELLITE,
                )

    task = hass.async_create_task(speak_up())
    await until(house, lambda: bool(phone.pushed))
    assert "a voice in Children's room" in phone.pushed[-1]["message"]
    asking = "I'm asking Adult whether I may unlock Front door (Hall)."
    await until(house, lambda: asking in "".join(heard))
    assert not task.done()
    phone.press(phone.actions[0]["action"])
    assert speech(await task) == "Unlocking."
    assert house.state(FRONT_DOOR) == "unlocked"


async def test_what_ended_meanwhile_is_shown_when_phones_can_be_told(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """While Home Assistant starts there are no phones yet; the card isn't forgotten."""
    phone = await add_phone(hass, house.user_id, "Adults Phone")
    await say(house, "unlock the front door")
    await until(house, lambda: bool(phone.pushed))
    [pending] = waiting(house)
    yes = phone.actions[0]["action"]
    hass.set_state(CoreState.not_running)
    assert await hass.config_entries.async_reload(house.entry.entry_id)
    await approvals(house).desk.answer(
        pending.id,
        False,
        Answerer(via=Via.ACTION, user_id=house.user_id, is_admin=True),
    )
    await settle(house)
    assert len(phone.pushed) == 1
    hass.set_state(CoreState.running)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await until(house, lambda: len(phone.pushed) == 2)
    assert phone.pushed[-1]["message"] == "Adult said no: unlock Front door (Hall)."
    phone.press(yes)
    await settle(house)
    assert house.state(FRONT_DOOR) == "locked"


async def test_caesars_own_messages_reach_nothing_else(
    house: CaesarHouse, child: MockUser, hass: HomeAssistant
) -> None:
    """No other action of notify, no other's phone, nothing but a satellite."""
    phone = await add_phone(hass, house.user_id, "Adults Phone")
    await add_phone(hass, child.id, "Boys Phone")
    [real] = phones_of(hass, house.user_id)
    [boys] = phones_of(hass, child.id)
    called: list[str] = []
    hass.bus.async_listen("call_service", lambda event: called.append(str(event.data)))
    messages = approvals(house).phones._messages
    assert isinstance(messages, OwnMessages)
    for forged in (
        replace(real, service="notify"),
        replace(real, service=boys.service),
        replace(real, user_id=child.id),
        replace(real, entry_id=boys.entry_id),
        replace(real, entry_id=house.entry.entry_id),
    ):
        with pytest.raises(HomeAssistantError):
            await messages.async_phone(forged, "hello", None, {})
    for target in (
        "lock.front_door",
        "assist_satellite.none",
        "all",
        SATELLITE.upper(),
    ):
        with pytest.raises(HomeAssistantError):
            await messages.async_speak(target, "hello")
    assert called == []
    assert phone.pushed == []
    await messages.async_phone(real, "hello", None, {})
    assert phone.pushed[-1]["message"] == "hello"
