"""The blueprints: Home Assistant takes them, and in a house they do what they say."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
import shutil
import sqlite3
from typing import Any, Final
from unittest.mock import patch

from homeassistant.auth.models import User
from homeassistant.components.automation.config import AUTOMATION_BLUEPRINT_SCHEMA
from homeassistant.components.blueprint import models
from homeassistant.core import Context, HomeAssistant
from homeassistant.util import dt as dt_util, yaml as yaml_util
import pytest
from pytest_homeassistant_custom_component.common import (
    async_fire_time_changed,
    async_mock_service,
)

from custom_components.caesar.const import CONF_AUTOMATION_TOOLS
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in

FOLDER: Final = Path(__file__).parents[2] / "blueprints" / "automation" / "caesar"
POLICY: Final = """version: 1
allowed_services:
  - light.turn_on
  - service: cover.close_cover
    approval: always
"""
MADE: Final = {"entity_id": "automation.made_of_it"}
TELL: Final = {"action": "test.tell", "data": {"message": "{{ %s }}"}}


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return the demo house, with the blueprints where people put them."""
    await async_build_house(hass)
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    hass.config_entries.async_update_entry(
        house.entry, options={CONF_AUTOMATION_TOOLS: "policy"}
    )
    await hass.async_block_till_done()
    where = Path(hass.config.path("blueprints", "automation", "caesar"))
    await hass.async_add_executor_job(shutil.copytree, FOLDER, where)
    return house


async def automate(
    house: CaesarHouse, name: str, inputs: Mapping[str, Any]
) -> list[Any]:
    """Make an automation of a blueprint; return the calls of `test.tell`."""
    told = async_mock_service(house.hass, "test", "tell")
    blueprint = {"path": f"caesar/{name}.yaml", "input": dict(inputs)}
    config = {"automation": {"alias": "Made of it", "use_blueprint": blueprint}}
    with patch("homeassistant.config.load_yaml_config_file", return_value=config):
        await house.hass.services.async_call("automation", "reload", blocking=True)
    assert house.state(MADE["entity_id"]) == "on"
    return told


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_home_assistant_takes_it(path: Path) -> None:
    """By the schema of its own, with a description and a name for every input."""
    data = yaml_util.load_yaml_dict(path)
    blueprint = models.Blueprint(
        data, expected_domain="automation", schema=AUTOMATION_BLUEPRINT_SCHEMA
    )
    assert blueprint.validate() is None
    assert blueprint.metadata["description"]
    assert all(each and each["name"] for each in blueprint.inputs.values())


async def test_a_refusal_is_told(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Of those only that were chosen, in a sentence and in a room."""
    said = async_mock_service(hass, "assist_satellite", "announce")
    told = await automate(
        house,
        "announce_denial",
        {
            "tell": [{**TELL, "data": {"message": "{{ sentence }}"}}],
            "satellites": ["assist_satellite.childrens_room_satellite"],
            "origins": ["automation"],
        },
    )
    await house.obey("lock__unlock", {"entity_id": "lock.front_door"})
    await hass.async_block_till_done()
    assert told == []
    await house.obey("lock__unlock", {"entity_id": "lock.front_door"}, Context())
    await hass.async_block_till_done()
    assert [call.data["message"] for call in told] == [
        call.data["message"] for call in said
    ]
    assert "lock.unlock (Front door): not listed" in told[0].data["message"]


async def test_a_report_in_the_evening(hass: HomeAssistant, house: CaesarHouse) -> None:
    """The answer, which changed nothing."""
    told = await automate(
        house,
        "nightly_report",
        {
            "question": "is the kitchen light on",
            "tell": [{**TELL, "data": {"message": "{{ answer }}"}}],
        },
    )
    evening = dt_util.now().replace(hour=21, minute=30, second=1) + timedelta(days=1)
    async_fire_time_changed(hass, evening)
    for _ in range(50):
        await hass.async_block_till_done()
        if told:
            break
    assert "off" in told[0].data["message"].lower()
    await hass.services.async_call("automation", "turn_off", MADE, blocking=True)


async def test_what_stays_open_is_asked_about(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Nothing is done before somebody says yes."""
    await automate(
        house,
        "ask_when_open",
        {
            "sensors": ["binary_sensor.kitchen_window"],
            "minutes": 0,
            "target": "cover.living_room_blind",
        },
    )
    hass.states.async_set("binary_sensor.kitchen_window", "on")
    desk = house.entry.runtime_data.approvals.desk
    for _ in range(50):
        await hass.async_block_till_done()
        if desk.pending():
            break
    trail = await hass.async_add_executor_job(_last_code, house.database)
    assert trail == "no_approver"
    assert house.state("cover.living_room_blind") == "open"


def _last_code(path: Path) -> str:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        (code,) = db.execute(
            "SELECT verdict_reason FROM audit_trail ORDER BY chain_seq DESC LIMIT 1"
        ).fetchone()
    db.close()
    return str(code)
