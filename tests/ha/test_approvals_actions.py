"""The actions, the entities, the notification and Activity's lines of approvals."""

from typing import Any

from homeassistant.components.persistent_notification import (
    _async_get_or_create_notifications,
)
from homeassistant.core import Context, Event, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters.activity_seal import is_sealed
from custom_components.caesar.adapters.activity_words import message
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.sentinel.approvals import Standing
from tests.ha.approvals import (
    FRONT_DOOR,
    approvals,
    house,
    say,
    settle,
    standing,
    until,
    waiting,
)
from tests.ha.house import CaesarHouse

__all__ = ["house"]

EVENT_ENTITY = "event.caesar_approval"
SENSOR = "sensor.caesar_pending_approvals"
NOTICE = "caesar_approvals"


async def act(
    house: CaesarHouse, name: str, context: Context, **data: str
) -> dict[str, Any]:
    """Call one of the actions."""
    answer = await house.hass.services.async_call(
        "caesar",
        name,
        data,
        blocking=True,
        context=context,
        return_response=name == "pending",
    )
    return dict(answer or {})


async def test_a_person_finds_and_answers_a_question(house: CaesarHouse) -> None:
    """What waits is listed with its text; approved, it is carried out once."""
    owner = Context(user_id=house.user_id)
    await say(house, "unlock the front door")
    [listed] = (await act(house, "pending", owner))["approvals"]
    assert listed["text"] == "Shall I unlock Front door (Hall)? Asked by Adult."
    assert listed["tool"] == "lock.unlock"
    assert listed["entities"] == [FRONT_DOOR]
    await act(house, "approve", owner, approval_id=listed["approval_id"])
    await until(house, lambda: house.state(FRONT_DOOR) == "unlocked")
    assert (await act(house, "pending", owner))["approvals"] == []
    with pytest.raises(ServiceValidationError) as err:
        await act(house, "approve", owner, approval_id=listed["approval_id"])
    assert err.value.translation_key == "already_decided"


async def test_a_no_is_a_no(house: CaesarHouse) -> None:
    """Denied, nothing is done; an id that doesn't exist is an error."""
    owner = Context(user_id=house.user_id)
    await say(house, "unlock the front door")
    [pending] = waiting(house)
    await act(house, "deny", owner, approval_id=pending.id)
    assert standing(house, pending.id) is Standing.DENIED
    with pytest.raises(ServiceValidationError) as err:
        await act(house, "deny", owner, approval_id="made-up")
    assert err.value.translation_key == "unknown_approval"
    assert house.state(FRONT_DOOR) == "locked"


async def test_nobody_else_can_answer(hass: HomeAssistant, house: CaesarHouse) -> None:
    """A child, an automation, a script, CAESAR's own users and calls: none of them."""
    child = MockUser(id="child", name="Boy").add_to_hass(hass)
    await say(house, "unlock the front door")
    [pending] = waiting(house)
    users = house.entry.runtime_data.users
    own_call = Context(user_id=house.user_id)
    approvals(house).contexts.add(own_call.id)
    gone = MockUser(id="gone", is_owner=True, is_active=False).add_to_hass(hass)
    for context in (
        Context(user_id=child.id),
        Context(),
        Context(user_id=house.user_id, parent_id="a-script"),
        Context(user_id=users.acting_id(Origin.VOICE, None)),
        Context(user_id="nobody"),
        Context(user_id=gone.id),
        own_call,
    ):
        with pytest.raises(ServiceValidationError) as err:
            await act(house, "approve", context, approval_id=pending.id)
        assert err.value.translation_key == "person_required", context
    assert (await act(house, "pending", Context(user_id=child.id)))["approvals"] == []
    assert standing(house, pending.id) is Standing.WAITING
    assert house.state(FRONT_DOOR) == "locked"


async def test_ask_says_that_it_waits_without_an_id(house: CaesarHouse) -> None:
    """What an automation could pass on to a model holds no id of an approval."""
    answer = await house.ask("unlock the front door")
    [pending] = waiting(house)
    assert answer["parked"] is True
    assert answer["expires_at"]
    assert pending.id not in str(answer)


async def test_the_house_shows_that_something_waits(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Event entity, sensor and notification; the last says nothing of what it is."""
    notices = _async_get_or_create_notifications(hass)
    assert hass.states.get(SENSOR).state == "0"  # type: ignore[union-attr]  # it was added at set-up
    await say(house, "unlock the front door")
    await until(house, lambda: NOTICE in notices)
    assert "ront door" not in str(notices[NOTICE])
    assert hass.states.get(SENSOR).state == "1"  # type: ignore[union-attr]  # it was added at set-up
    event = hass.states.get(EVENT_ENTITY)
    assert event is not None
    assert event.attributes["event_type"] == "requested"
    assert event.attributes["names"] == ["Front door"]
    assert waiting(house)[0].id not in str(event.attributes)
    await say(house, "no")
    await until(house, lambda: NOTICE not in notices)
    assert hass.states.get(SENSOR).state == "0"  # type: ignore[union-attr]  # it was added at set-up
    event = hass.states.get(EVENT_ENTITY)
    assert event is not None
    assert event.attributes["event_type"] == "denied"
    assert event.attributes["via"] == "chat"


async def test_activity_tells_who_asked_and_who_said_yes(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Both lines are sealed, and hold names and results."""
    heard: list[Event[Any]] = []
    for kind in ("caesar_approval_requested", "caesar_approval_decided"):
        hass.bus.async_listen(kind, heard.append)
    await say(house, "unlock the front door")
    await say(house, "yes")
    await until(house, lambda: len(heard) == 2)
    lines = [message(hass, str(each.event_type), each.data) for each in heard]
    assert lines == [
        "asks whether it may unlock Front door",
        "may unlock Front door: Adult said yes",
    ]
    for each in heard:
        assert is_sealed(hass, str(each.event_type), each.context.id, each.data)
    assert heard[0].context.user_id == house.user_id


async def test_nothing_stays_after_an_unload(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Notification and listeners go; the question comes back with the entry."""
    notices = _async_get_or_create_notifications(hass)
    await say(house, "unlock the front door")
    await until(house, lambda: NOTICE in notices)
    [pending] = waiting(house)
    assert await hass.config_entries.async_unload(house.entry.entry_id)
    await hass.async_block_till_done()
    assert NOTICE not in notices
    assert "mobile_app_notification_action" not in hass.bus.async_listeners()
    assert await hass.config_entries.async_setup(house.entry.entry_id)
    await hass.async_block_till_done()
    assert [each.id for each in waiting(house)] == [pending.id]
    assert NOTICE in notices


async def test_a_question_that_reaches_nobody_is_none(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """No notification, no event, no line in Activity, and the sensor stays at zero."""
    notices = _async_get_or_create_notifications(hass)
    heard: list[Event[Any]] = []
    for kind in ("caesar_approval_requested", "caesar_approval_decided"):
        hass.bus.async_listen(kind, heard.append)
    child = MockUser(id="child", name="Boy").add_to_hass(hass)
    child.mock_policy({"entities": True})
    await say(house, "unlock the front door", context=Context(user_id=child.id))
    await settle(house)
    assert heard == []
    assert NOTICE not in notices
    assert hass.states.get(SENSOR).state == "0"  # type: ignore[union-attr]  # it was added at set-up
    assert hass.states.get(EVENT_ENTITY).state == "unknown"  # type: ignore[union-attr]  # it was added at set-up
