"""A rule that bounds reads to a domain or a room covers questions about one thing, too."""

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import async_move_in

DOMAIN = """
version: 1
allowed_tools:
  - tool: get_state
    input: {domain: [light, climate]}
"""
AREA = """
version: 1
allowed_tools:
  - tool: get_state
    input: {area_id: [kitchen]}
"""


@pytest.mark.parametrize("policy", [DOMAIN, AREA], ids=["domain", "area"])
async def test_one_thing_inside_and_one_outside(
    hass: HomeAssistant, hass_admin_user: User, policy: str
) -> None:
    """The kitchen light is in both bounds, the front door in neither."""
    await async_build_house(hass)
    house = await async_move_in(hass, hass_admin_user.id, policy)
    inside = await house.ask("is the kitchen light on?")
    assert [call["outcome"] for call in inside["calls"]] == ["ok"], inside
    outside = await house.ask("is the front door locked?")
    assert [call["code"] for call in outside["calls"]] == ["input_not_allowed"]
    for ids in (
        ["light.kitchen_light", "lock.front_door"],
        ["light.kitchen_light", "light.not_there"],
        [],
    ):
        report = await house.obey("get_state", {"entity_id": list(ids)})
        assert report.calls[0]["outcome"] == "none", report.calls
