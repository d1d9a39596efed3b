"""CAESAR starts anew while its question is the last thing said; then it is answered."""

from typing import Final

import pytest

from custom_components.caesar.sentinel.approvals import Standing
from tests.ha.approvals import (
    FRONT_DOOR,
    approvals,
    house,
    say,
    settle,
    speech,
    standing,
    tell_satellite,
    until,
    waiting,
)
from tests.ha.house import CaesarHouse
from tests.ha.test_approvals_voice import PIN, pin_house

__all__ = ["house", "pin_house"]

ASKED: Final = "Shall I unlock Front door (Hall)? Say yes or no."


async def start_anew(house: CaesarHouse) -> None:
    """Start CAESAR anew, as Home Assistant's start does."""
    assert await house.hass.config_entries.async_reload(house.entry.entry_id)
    await settle(house)


async def test_a_yes_after_a_restart_is_asked_for_again(house: CaesarHouse) -> None:
    """Nobody knows any more what it is a yes to; it goes to no model either."""
    assert speech(await say(house, "unlock the front door")) == ASKED
    [pending] = waiting(house)
    await start_anew(house)
    again = await say(house, "yes")
    assert speech(again) == ASKED
    assert again.continue_conversation
    assert standing(house, pending.id) is Standing.WAITING
    assert house.state(FRONT_DOOR) == "locked"
    await say(house, "yes")
    await until(house, lambda: house.state(FRONT_DOOR) == "unlocked")


async def test_a_no_after_a_restart_is_asked_for_again(house: CaesarHouse) -> None:
    """The same for a no, which may be one to something else."""
    await say(house, "unlock the front door")
    await start_anew(house)
    assert speech(await say(house, "no")) == ASKED
    await say(house, "no")
    await until(house, lambda: not waiting(house))
    assert house.state(FRONT_DOOR) == "locked"


@pytest.mark.parametrize("conversation", ["chat", "another"])
async def test_something_else_was_said_meanwhile(
    house: CaesarHouse, conversation: str
) -> None:
    """Then a yes is no answer to the old question, nor in another conversation."""
    await say(house, "unlock the front door")
    [pending] = waiting(house)
    await start_anew(house)
    if conversation == "chat":
        await say(house, "what is the weather like")
    answer = await say(house, "yes", conversation_id=conversation)
    assert speech(answer) != ASKED
    assert standing(house, pending.id) is Standing.WAITING
    assert house.state(FRONT_DOOR) == "locked"


async def test_a_pin_after_a_restart_goes_to_no_model(pin_house: CaesarHouse) -> None:
    """It is taken for one, not for words; the question is said again."""
    asked = await tell_satellite(pin_house, "unlock the front door")
    assert "PIN" in asked
    await start_anew(pin_house)
    assert await tell_satellite(pin_house, f"the PIN is {PIN}") == asked
    assert pin_house.state(FRONT_DOOR) == "locked"
    assert approvals(pin_house).desk.pending()
    await tell_satellite(pin_house, PIN)
    await until(pin_house, lambda: pin_house.state(FRONT_DOOR) == "unlocked")


async def test_a_spoken_yes_after_a_restart_is_none(pin_house: CaesarHouse) -> None:
    """A bare yes counts only right after the question."""
    await tell_satellite(pin_house, "turn on the night light")
    [pending] = waiting(pin_house)
    await start_anew(pin_house)
    assert "isn't enough" in await tell_satellite(pin_house, "yes")
    assert standing(pin_house, pending.id) is Standing.WAITING
    assert pin_house.state("light.night_light") == "off"
