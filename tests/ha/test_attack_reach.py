"""Entities that run a script of the owner's behind an everyday action."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest

from custom_components.caesar.adapters.home import HomeAssistantHome
from custom_components.caesar.policy.call import Target, service_call
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.resolve import find_reach, impact_of


@pytest.mark.parametrize(
    ("domain", "platform", "service", "impact"),
    [
        # `turn_off:` of a switch that wakes a computer, `turn_on_action:` of a TV.
        ("switch", "wake_on_lan", "turn_off", Impact.DESTRUCTIVE),
        ("media_player", "panasonic_viera", "turn_on", Impact.DESTRUCTIVE),
        ("media_player", "universal", "turn_on", Impact.DESTRUCTIVE),
        ("switch", "mqtt", "turn_off", Impact.REVERSIBLE),
    ],
)
async def test_what_is_behind_it_is_not_seen(
    hass: HomeAssistant, domain: str, platform: str, service: str, impact: Impact
) -> None:
    """Whatever that script does would be done without a question."""
    assert await async_setup_component(hass, "homeassistant", {})
    entry = er.async_get(hass).async_get_or_create(domain, platform, "one")
    hass.states.async_set(entry.entity_id, "on")
    home = HomeAssistantHome(hass)
    target = Target(entity_id=(entry.entity_id,))
    call = service_call(domain, service, target.as_json(), {})
    assert impact_of(call, find_reach(call, home)) is impact
