"""What can't be known grants nothing, however the condition is written."""

from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from .test_conditions import met


@pytest.fixture(autouse=True)
def _house(hass: HomeAssistant) -> None:
    hass.states.async_set("alarm_control_panel.home", "disarmed")
    hass.states.async_set("sensor.power", "12", {"limit": 20})
    hass.states.async_set("light.hall", "on")


@pytest.mark.parametrize("lost", ["unavailable", "unknown"])
@pytest.mark.parametrize(
    "when",
    [
        "{{ not is_state('alarm_control_panel.home', 'armed_away') }}",
        "{{ states('alarm_control_panel.home') != 'armed_away' }}",
        "{{ states.alarm_control_panel.home.state not in ['armed_away'] }}",
        "{{ states('sensor.power') | float(0) < 100 }}",
        "{{ state_attr('sensor.power', 'limit') | int(0) < 100 }}",
        {"or": [{"condition": "template", "value_template":
            "{{ states('sensor.power') in ['12', 'unavailable', 'unknown'] }}"}]},
        {
            "condition": "numeric_state",
            "entity_id": "sensor.power",
            "below": 100,
            "value_template": "{{ state.state | float(0) }}",
        },
    ],
)  # fmt: skip
async def test_lost_while_a_template_asks(
    hass: HomeAssistant, when: Any, lost: str
) -> None:
    """An alarm that has lost its connection is not "not armed"."""
    assert await met(hass, when)
    hass.states.async_set("alarm_control_panel.home", lost)
    hass.states.async_set("sensor.power", lost, {"limit": 20})
    assert not await met(hass, when)


async def test_what_it_does_not_ask_may_be_lost(hass: HomeAssistant) -> None:
    """Only what the template reads counts."""
    hass.states.async_set("light.hall", "unavailable")
    assert await met(hass, "{{ states('sensor.power') | float < 100 }}")
    # And being lost can be asked for in so many words.
    state = {"condition": "state", "entity_id": "light.hall", "state": "unavailable"}
    assert await met(hass, state)
