"""A house in which people ask what was done, and ways to ask."""

from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.auth.permissions.types import PolicyType
from homeassistant.core import Context, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.audit.event import AuditEvent, AuditEventType
from custom_components.caesar.policy.caller import Caller
from custom_components.caesar.turn import ToolOutcome
from house.in_hass import async_build_house
from tests.ha.approvals import KITCHEN, say, speech
from tests.ha.house import CaesarHouse, async_move_in

POLICY: Final = """
version: 1
allowed_services:
  - light.turn_on
  - service: light.turn_off
    name: lights out
  - service: lock.unlock
    approval: always
  - service: cover.open_cover
    for: {admin: true}
"""
READS_ONLY_KITCHEN: Final[PolicyType] = {
    "entities": {"entity_ids": {KITCHEN: True, "light.night_light": {"control": True}}}
}


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house, where Adult is an admin."""
    hass.loop.set_debug(False)
    hass_admin_user.name = "Adult"
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, POLICY)


@pytest.fixture
def boy(hass: HomeAssistant, house: CaesarHouse) -> Context:
    """Return the context of Boy, who is no admin."""
    user = MockUser(name="Boy").add_to_hass(hass)
    user.mock_policy({"entities": True})
    return Context(user_id=user.id)


async def told(
    house: CaesarHouse, text: str, context: Context | None = None, **more: Any
) -> str:
    """Return what is answered in a chat."""
    return speech(await say(house, text, context=context, **more))


async def asked_tool(
    house: CaesarHouse,
    name: str,
    context: Context | None = None,
    **given: Any,
) -> ToolOutcome:
    """Return what came of a call that a model made."""
    report = await house.obey(name, given, context)
    return report.outcomes[0]


def say_of(outcome: ToolOutcome) -> str:
    """Return the sentences of an answer."""
    assert isinstance(outcome.data, dict), outcome.error
    return str(outcome.data["say"])


async def intend(house: CaesarHouse, caller: Caller) -> None:
    """Write the first row of a call, as a process would that ends after it."""
    await house.entry.runtime_data.audit.intend(
        AuditEvent(
            type=AuditEventType.TOOL_INTENDED,
            decision_id="decision-of-then",
            caller=caller,
            policy_rev="then",
            payload={
                "tool": "light.turn_on",
                "input": {"target": {"entity_id": [KITCHEN]}, "data": {}},
                "decision": {
                    "verdict": "allow",
                    "code": "allowed",
                    "impact": "reversible",
                },
                "pinned": [KITCHEN],
                "touched": [KITCHEN],
            },
            durable=True,
        )
    )
