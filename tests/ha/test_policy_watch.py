"""The policy file is watched: names that mean nothing, changes by hand, lost people."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components import caesar
from custom_components.caesar.adapters.bypass import async_watch_policy
from custom_components.caesar.policy.family import fill_family
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.fakes.tools import BUS, FakeTools
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_policy_file import (
    LIGHTS,
    NOTHING,
    file_of,
    issue,
    light_may_go_on,
    write,
)

STARTERS = Path(caesar.__file__).parent / "starters"
TYPO = """version: 1
allowed_services:
  - service: light.turn_on
    when:
      not:
        condition: state
        entity_id: input_boolean.gests
        state: "on"
"""


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_admin_user: User, request: pytest.FixtureRequest
) -> CaesarHouse:
    """Return CAESAR in the demo house; the parameter is the policy's text."""
    await async_build_house(hass)
    return await async_move_in(
        hass, hass_admin_user.id, getattr(request, "param", LIGHTS)
    )


async def an_hour_later(house: CaesarHouse, then: Callable[[], bool]) -> None:
    """Let the hourly look happen; it runs in the background, and `then` holds."""
    async_fire_time_changed(
        house.hass, dt_util.utcnow() + timedelta(hours=1, minutes=1)
    )
    async with asyncio.timeout(10):
        while not then():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("house", [TYPO], indirect=True)
async def test_a_misspelt_helper_grants_nothing_and_is_told(house: CaesarHouse) -> None:
    """In a `not` it would be true: it isn't, and a repair names the line."""
    assert not await light_may_go_on(house)
    found = issue(house, "policy_unknown")
    assert found is not None
    assert found.translation_placeholders is not None
    assert found.translation_placeholders["count"] == "1"
    assert found.translation_placeholders["line"] == "5"
    assert "input_boolean.gests" in found.translation_placeholders["problem"]
    house.hass.states.async_set("input_boolean.gests", "off")
    await an_hour_later(house, lambda: issue(house, "policy_unknown") is None)
    assert await light_may_go_on(house)


UNKNOWN = """version: 1
allowed_services:
  - light.turn_onn
  - vacum.start
  - water_heater.turn_on
  - service: light.turn_on
    target: {entity_id: [light.kitchen_light, light.nowhere]}
  - service: light.turn_off
    target: {area_id: [kitchen, kichen], label_id: [nolabel], floor_id: [nofloor]}
  - service: light.toggle
    target: {device_id: [nodevice]}
allowed_tools: [calculator, calculater, web_search]
bot:
  tool_policy:
    deny: ["lock__*", "lok__*", "*__delete_*"]
"""


@pytest.mark.parametrize("house", [UNKNOWN], indirect=True)
async def test_names_that_mean_nothing_are_told_with_their_line(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """One repair: the first place, and how many there are."""
    found = issue(house, "policy_unknown")
    assert found is not None
    placeholders = found.translation_placeholders
    assert placeholders is not None
    assert placeholders["line"] == "3"
    assert "light.turn_onn" in placeholders["problem"]
    words = {
        "light.turn_onn", "vacum.start", "light.nowhere", "kichen", "nolabel",
        "nofloor", "nodevice", "calculater", "lok__*", "*__delete_*",
    }  # fmt: skip
    assert int(placeholders["count"]) == len(words)
    policy_file = file_of(house)
    await policy_file.async_save(
        LIGHTS, expected_revision=policy_file.revision, by=house.user_id
    )
    assert issue(house, "policy_unknown") is None


BOUNDED = """version: 1
allowed_tools:
  - calculator
  - tool: bus_times
    input: {line: [7]}
  - tool: bus_times
    name: typing error
    input: {lien: [7]}
"""


@pytest.mark.parametrize("house", [BOUNDED], indirect=True)
async def test_tools_of_workers_are_known_as_they_come_and_go(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Without a worker the tool means nothing; with it, only the wrong input."""
    tools = FakeTools()
    stop = async_watch_policy(
        hass, file_of(house), house.entry.runtime_data.home, tools
    )

    def told() -> tuple[str, str, str]:
        found = issue(house, "policy_unknown")
        assert found is not None
        assert found.translation_placeholders is not None
        values = found.translation_placeholders
        return values["line"], values["count"], values["problem"]

    assert told() == ("4", "2", "There is no tool bus_times.")
    tools.change(BUS)
    assert told() == (
        "8",
        "1",
        "There is no input bus_times.lien, so this rule allows nothing.",
    )
    tools.change()
    assert told()[0] == "4"
    stop()
    tools.change(BUS)
    assert told()[0] == "4"


async def test_changed_on_disk_is_found_within_the_hour(house: CaesarHouse) -> None:
    """A repair offers to load it; put back, the repair goes."""
    await write(house, NOTHING)
    assert issue(house, "policy_changed") is None
    with loop_guard():
        await an_hour_later(house, lambda: issue(house, "policy_changed") is not None)
    assert await light_may_go_on(house)
    await write(house, LIGHTS)
    await an_hour_later(house, lambda: issue(house, "policy_changed") is None)


async def test_a_person_who_goes_is_told_before_the_next_start(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """The file would not load again: better said now than at the next start."""
    guest = await hass.auth.async_create_user("Guest")
    policy_file = file_of(house)
    text = f"{LIGHTS[:-1].replace('[light.turn_on]', '')}\n  - service: light.turn_on\n    for: {{user: [guest]}}\n"
    await policy_file.async_save(
        text, expected_revision=policy_file.revision, by=house.user_id
    )
    await hass.auth.async_remove_user(guest)
    await an_hour_later(house, lambda: issue(house, "policy_invalid") is not None)
    found = issue(house, "policy_invalid")
    assert found is not None
    assert found.translation_placeholders is not None
    assert found.translation_placeholders["line"] == "4"
    again = await hass.auth.async_create_user("Guest")
    assert again.id != guest.id
    await an_hour_later(house, lambda: issue(house, "policy_invalid") is None)


@pytest.mark.parametrize(
    "starter", sorted(path.stem for path in STARTERS.glob("*.yaml"))
)
@pytest.mark.parametrize("furnished", [True, False])
async def test_a_starter_policy_causes_no_repair(
    hass: HomeAssistant, hass_admin_user: User, starter: str, furnished: bool
) -> None:
    """What a house may well not have yet is not told, be it full or empty."""
    if furnished:
        await async_build_house(hass)
    else:
        for component in ("homeassistant", "conversation"):
            assert await async_setup_component(hass, component, {})
    text = await hass.async_add_executor_job((STARTERS / f"{starter}.yaml").read_text)
    if starter == "family":
        rooms = ["children_s_room"] if furnished else []
        text = fill_family(text, rooms, ["kitchen", "hall"] if furnished else [])
    house = await async_move_in(hass, hass_admin_user.id, text)
    assert file_of(house).loaded is not None
    for issue_id in ("policy_unknown", "policy_invalid", "policy_lints"):
        found = issue(house, issue_id)
        assert found is None, found.translation_placeholders
