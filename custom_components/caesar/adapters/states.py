"""States as a tool's result: few fields, no secrets, the same shape everywhere."""

from collections.abc import Iterable
from typing import Final

from homeassistant.core import HomeAssistant

from ..legion.canonical import Json
from .home import HomeAssistantHome

USEFUL_ATTRIBUTES: Final = (
    "brightness",
    "color_mode",
    "color_temp_kelvin",
    "rgb_color",
    "current_position",
    "current_temperature",
    "current_humidity",
    "device_class",
    "fan_mode",
    "humidity",
    "hvac_action",
    "is_volume_muted",
    "media_title",
    "oscillating",
    "percentage",
    "preset_mode",
    "source",
    "temperature",
    "temperature_unit",
    "unit_of_measurement",
    "volume_level",
    "wind_speed",
)


def describe(
    hass: HomeAssistant, home: HomeAssistantHome, entity_ids: Iterable[str]
) -> list[Json]:
    """Return the present states of entities; one without a state is `unavailable`."""
    described: list[Json] = []
    for entity_id in entity_ids:
        facts = home.entity(entity_id)
        if facts is None:
            continue
        state = hass.states.get(facts.entity_id)
        attributes = {
            key: _plain(state.attributes[key])
            for key in USEFUL_ATTRIBUTES
            if state is not None and state.attributes.get(key) is not None
        }
        entry: dict[str, Json] = {
            "entity_id": facts.entity_id,
            "name": facts.name,
            "state": state.state if state else "unavailable",
        }
        if area := home.area_name(facts.area_id):
            entry["area"] = area
        if attributes:
            entry["attributes"] = attributes
        described.append(entry)
    return described


def _plain(value: object) -> Json:
    """Return an attribute as JSON; what is neither number nor list becomes text."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int | float):
        return value
    return str(value)


def response_json(response: object) -> Json:
    """Return a service's response with everything that isn't JSON as text."""
    if isinstance(response, dict):
        return {str(key): response_json(value) for key, value in response.items()}
    if isinstance(response, (list, tuple, set)):
        return [response_json(item) for item in response]
    if response is None or isinstance(response, bool | int | float | str):
        return response
    return str(response)
