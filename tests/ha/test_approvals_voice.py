"""A satellite without a user: a bare yes, a PIN, and what neither of them opens."""

from pathlib import Path
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
import pytest

from custom_components.caesar.adapters.pins import InvalidPin
from custom_components.caesar.sentinel.approvals import Standing
from custom_components.caesar.wording import async_wording
from house.in_hass import async_build_house
from tests.ha.approvals import (
    FRONT_DOOR,
    KITCHEN,
    SATELLITE,
    all_logs,
    approvals,
    house,
    kept_files,
    listen_with_caesar,
    say,
    speech,
    standing,
    tell_satellite,
    until,
    waiting,
)
from tests.ha.house import CaesarHouse, async_move_in

__all__ = ["house"]

PIN: Final = "4711"
POLICY: Final = """
version: 1
allowed_services:
  - service: lock.unlock
    approval: always
    pin: door
  - service: light.turn_on
    approval: always
allowed_tools: []
"""


@pytest.fixture
async def pin_house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return a house whose front door opens to a spoken PIN."""
    await async_build_house(hass)
    found = await async_move_in(hass, hass_admin_user.id, "version: 1\n")
    await approvals(found).pins.async_keep("door", PIN)
    await _write_policy(hass)
    assert await hass.config_entries.async_reload(found.entry.entry_id)
    await hass.async_block_till_done()
    await listen_with_caesar(found)
    return found


async def _write_policy(hass: HomeAssistant) -> None:
    path = Path(hass.config.path("caesar", "policy.yaml"))
    await hass.async_add_executor_job(path.write_text, POLICY)


async def test_a_bare_yes_counts_for_what_can_be_undone(house: CaesarHouse) -> None:
    """A light goes on."""
    await listen_with_caesar(house)
    asked = await tell_satellite(house, "turn on the kitchen light")
    assert asked == "Shall I turn on Kitchen light? Say yes or no."
    await tell_satellite(house, "yes")
    assert house.state(KITCHEN) == "on"


async def test_a_bare_yes_opens_no_door(house: CaesarHouse) -> None:
    """Nobody else could be asked: the door isn't even waited for."""
    await listen_with_caesar(house)
    asked = await tell_satellite(house, "unlock the front door")
    assert "nobody I can ask" in asked
    await tell_satellite(house, "yes")
    assert house.state(FRONT_DOOR) == "locked"


async def test_the_pin_opens_the_door(pin_house: CaesarHouse) -> None:
    """A yes is told how to answer; the PIN counts, spoken in words."""
    asked = await tell_satellite(pin_house, "unlock the front door")
    assert asked == "Shall I unlock Front door (Hall)? Say the PIN, or no."
    refused = await tell_satellite(pin_house, "yes")
    assert "A spoken yes isn't enough" in refused
    assert "Say the PIN" in refused
    assert pin_house.state(FRONT_DOOR) == "locked"
    await tell_satellite(pin_house, "four seven one one")
    assert pin_house.state(FRONT_DOOR) == "unlocked"


async def test_a_pin_in_other_languages(pin_house: CaesarHouse) -> None:
    """Asked for in the language that was spoken, and heard in its words."""
    for language, asks, yes, pin in (
        ("fr", "Déverrouille Front door", "oui", "quatre sept un un"),
        ("pl", "Odblokuj Front door", "tak", "cztery siedem jeden jeden"),
        ("zh-CN", "解锁Front door", "好的", "四七一一"),
    ):
        await listen_with_caesar(pin_house, language)
        wording = await async_wording(pin_house.hass, language)
        asked = await tell_satellite(pin_house, asks, language)
        assert asked.endswith(wording.text("approval_say_pin"))
        refused = await tell_satellite(pin_house, yes, language)
        assert refused.endswith(wording.text("answer_how_pin"))
        assert pin_house.state(FRONT_DOOR) == "locked"
        await tell_satellite(pin_house, pin, language)
        assert pin_house.state(FRONT_DOOR) == "unlocked", language
        await pin_house.hass.services.async_call(
            "lock", "lock", {"entity_id": FRONT_DOOR}, blocking=True
        )


async def test_five_wrong_pins_and_only_a_phone_is_left(
    pin_house: CaesarHouse,
) -> None:
    """Not even the right one opens then, and none of them goes anywhere."""
    await tell_satellite(pin_house, "unlock the front door")
    [pending] = waiting(pin_house)
    answers = [await tell_satellite(pin_house, f"000{n}") for n in range(5)]
    assert all("isn't right" in answer for answer in answers[:4])
    assert "too many wrong PINs" in answers[4]
    late = await tell_satellite(pin_house, PIN)
    assert "no question open" in late
    await tell_satellite(pin_house, "unlock the front door")
    assert "too many wrong PINs" in await tell_satellite(pin_house, PIN)
    assert pin_house.state(FRONT_DOOR) == "locked"
    assert standing(pin_house, pending.id) is Standing.WAITING


async def test_a_pin_is_kept_nowhere(pin_house: CaesarHouse) -> None:
    """Neither on disk, nor in the memory, nor in Home Assistant's logs of chats."""
    # As long as can be: four digits stand in some hash by chance.
    right, wrong = "471105839264", "987612034587"
    await approvals(pin_house).pins.async_keep("door", right)
    await tell_satellite(pin_house, "unlock the front door")
    await tell_satellite(pin_house, wrong)
    assert pin_house.state(FRONT_DOOR) == "locked"
    await tell_satellite(pin_house, right)
    assert pin_house.state(FRONT_DOOR) == "unlocked"
    kept = await kept_files(pin_house)
    memory: Any = pin_house.assistant._house.memory
    for text in (kept, str(memory._sessions), all_logs(pin_house)):
        assert right not in text
        assert wrong not in text


async def test_a_pin_vouches_for_nobody_in_a_chat(pin_house: CaesarHouse) -> None:
    """A user says yes; a PIN there is kept from the model and does nothing."""
    await say(pin_house, "unlock the front door")
    answer = await say(pin_house, PIN)
    assert speech(answer) == "Shall I unlock Front door (Hall)? Say yes or no."
    assert pin_house.state(FRONT_DOOR) == "locked"
    await say(pin_house, "yes")
    assert pin_house.state(FRONT_DOOR) == "unlocked"


async def test_the_satellite_says_the_late_outcome(
    pin_house: CaesarHouse, hass: HomeAssistant
) -> None:
    """The owner answers elsewhere: the satellite that asked says how it ended."""
    said: list[dict[str, Any]] = []
    hass.bus.async_listen(
        "call_service",
        lambda event: (
            said.append(event.data["service_data"])
            if event.data["service"] == "announce"
            else None
        ),
    )
    await tell_satellite(pin_house, "unlock the front door")
    [pending] = waiting(pin_house)
    await hass.services.async_call(
        "caesar",
        "approve",
        {"approval_id": pending.id},
        blocking=True,
        context=Context(user_id=pin_house.user_id),
    )
    await until(pin_house, lambda: bool(said))
    assert said == [{"entity_id": SATELLITE, "message": "Unlocking."}]
    assert pin_house.state(FRONT_DOOR) == "unlocked"


async def test_pins_are_hashed_and_checked(house: CaesarHouse) -> None:
    """Names and digits are checked; a name without a PIN verifies nothing."""
    pins = approvals(house).pins
    for name, pin, part in (
        ("", "1234", "name"),
        ("a", "12", "pin"),
        ("a", "x1234", "pin"),
    ):
        with pytest.raises(InvalidPin) as err:
            await pins.async_keep(name, pin)
        assert err.value.part == part
    await pins.async_keep("door", "0815")
    assert pins.names() == ("door",)
    assert await pins.async_verify("door", "0815")
    assert not await pins.async_verify("door", "0816")
    assert not await pins.async_verify("gate", "0815")
    assert "0815" not in await kept_files(house)
    await pins.async_remove("door")
    assert not await pins.async_verify("door", "0815")
