"""Limits that stand in the policy file hold in the house, from the next load on."""

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import async_move_in
from tests.ha.test_policy_file import file_of, write


@pytest.mark.parametrize(("given", "rounds"), [(2, 2), (25, 5)])
async def test_the_stricter_limit_holds(
    hass: HomeAssistant, hass_admin_user: User, given: int, rounds: int
) -> None:
    """Of the agent's form (5 rounds) and the file; the trail's days are the file's."""
    await async_build_house(hass)
    house = await async_move_in(hass, hass_admin_user.id, "version: 1\n")
    audit = house.entry.runtime_data.audit
    assert audit.retention_days == 90
    text = f"""version: 1
bot: {{tool_policy: {{max_iterations: {given}}}}}
sentinel: {{audit_retention_days: 30}}
"""
    await write(house, text)
    await file_of(house).async_reload()
    assert audit.retention_days == 30
    brain = house.assistant._brain(house.assistant._providers)
    assert brain._max_iterations == rounds
