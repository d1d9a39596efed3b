"""A button whose question is gone: the phone says so, and says nothing untrue."""

from contextlib import closing
import sqlite3

from homeassistant.core import Context, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockUser

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
from tests.ha.test_approvals_phone import FakePhone, add_phone, child

__all__ = ["child", "house"]


@pytest.fixture
async def phone(house: CaesarHouse, child: MockUser) -> FakePhone:
    """Return the owner's phone with a card: the owner has asked for the front door."""
    phone = await add_phone(house.hass, house.user_id, "Adults Phone")
    await say(house, "unlock the front door", context=Context(user_id=house.user_id))
    await until(house, lambda: bool(phone.pushed))
    return phone


async def test_a_question_that_was_tampered_with_is_not_open_any_more(
    hass: HomeAssistant, house: CaesarHouse, phone: FakePhone
) -> None:
    """The press does nothing, and the card says that it doesn't."""

    def spoil() -> None:
        with closing(sqlite3.connect(house.database)) as db:
            db.execute("UPDATE pending_approvals SET sealed = x'00'")
            db.commit()

    card, [pending] = phone.pushed[-1], waiting(house)
    assert await hass.config_entries.async_unload(house.entry.entry_id)
    await hass.async_add_executor_job(spoil)
    assert await hass.config_entries.async_setup(house.entry.entry_id)
    await settle(house)
    phone.press(card["data"]["actions"][0]["action"])
    await until(house, lambda: phone.pushed[-1] is not card)
    told = phone.pushed[-1]
    assert told["message"] == "This question is not open any more. Nothing was done."
    assert told["data"]["tag"] == card["data"]["tag"]
    assert "actions" not in told["data"]
    assert standing(house, pending.id) is None
    assert house.state(FRONT_DOOR) == "locked"


async def test_a_yes_that_came_to_nothing_is_not_called_unanswered(
    house: CaesarHouse, phone: FakePhone
) -> None:
    """The turn that asked can't go on: somebody did answer, and it did not work."""
    [pending] = waiting(house)
    house.entry.runtime_data.assistants.clear()
    phone.press(phone.actions[0]["action"])
    await until(house, lambda: standing(house, pending.id) is Standing.EXPIRED)
    await until(house, lambda: "didn't work" in phone.pushed[-1]["message"])
    assert phone.pushed[-1]["message"].startswith("Adult said yes")
    assert house.state(FRONT_DOOR) == "locked"


async def test_a_question_that_was_withdrawn_is_not_called_late(
    house: CaesarHouse, phone: FakePhone
) -> None:
    """There was time enough; nobody waits for the answer any more."""
    [pending] = waiting(house)
    await approvals(house).desk.withdraw(pending.id)
    await until(house, lambda: "not open any more" in phone.pushed[-1]["message"])
    assert "in time" not in phone.pushed[-1]["message"]


async def test_a_question_that_ran_out_is_called_late(
    house: CaesarHouse, phone: FakePhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody answered in time."""
    [pending] = waiting(house)
    desk = approvals(house).desk
    monkeypatch.setattr(desk._ledger, "_now", lambda: pending.expires_at + 1)
    await desk.sweep()
    await until(house, lambda: "in time" in phone.pushed[-1]["message"])
