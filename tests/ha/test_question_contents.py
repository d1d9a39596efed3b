"""A question says what stands behind a name: nobody says yes to a garage unawares."""

from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in

LIGHTS: Final = [
    "light.kitchen_light",
    "light.counter_light",
    "light.ceiling_light",
    "light.floor_lamp",
    "light.shelf_light",
    "light.hall_light",
    "light.bedroom_lamp",
    "light.reading_light",
    "light.childrens_room_light",
    "light.night_light",
]
POLICY: Final = f"""
version: 1
allowed_services:
  - cover.open_cover
  - lock.unlock
  - service: homeassistant.turn_off
    target: {{entity_id: [lock.front_door, {", ".join(LIGHTS)}]}}
  - light.turn_off
  - scene.turn_on
  - script.turn_on
"""


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house, under a policy that asks."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, POLICY)


@pytest.mark.parametrize(
    ("service", "entity_id", "says"),
    [
        (
            "cover.open_cover",
            "cover.evening_covers",
            "open Evening covers (with Garage door and Living room blind)",
        ),
        (
            "lock.unlock",
            "lock.outside_locks",
            "unlock Outside locks (with Front door and Shed)",
        ),
        (
            "scene.turn_on",
            "scene.welcome_home",
            "activate the scene Welcome home (with Front door and Hall light)",
        ),
        (
            "script.turn_on",
            "script.let_guests_in",
            "run the script Let guests in (with Front door)",
        ),
        ("lock.unlock", "lock.shed", "unlock Shed (Garden)"),
    ],
)
async def test_it_names_what_is_inside(
    house: CaesarHouse, service: str, entity_id: str, says: str
) -> None:
    """What opens the house comes first."""
    said = await question(house, service, entity_id)
    assert said == f"Shall I {says}? Say yes or no."


async def test_a_lock_among_many_lights_is_not_cut_off(house: CaesarHouse) -> None:
    """However long the list is, the door is in what is read."""
    said = await question(
        house, "cover.open_cover", ["cover.bedroom_blind", "cover.evening_covers"]
    )
    assert "Garage door" in said
    many = [*LIGHTS, "lock.front_door"]
    said = await question(house, "homeassistant.turn_off", many)
    assert "Front door" in said, said


async def question(house: CaesarHouse, service: str, entity_id: Any) -> str:
    """Return what is asked about a call."""
    domain, _, name = service.partition(".")
    report = await house.obey(
        "call_service",
        {"domain": domain, "service": name, "target": {"entity_id": entity_id}},
    )
    assert report.parked is not None, report.calls
    await house.entry.runtime_data.approvals.desk.withdraw(report.parked)
    return report.shown
