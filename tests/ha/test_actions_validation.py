"""Mistakes in calls of the actions, as the frontend gets and shows them."""

import re
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from tests.ha.house import async_move_in

MISTAKES = [
    ("ask", {"text": " \n "}, "text_empty", "text"),
    ("ask", {"text": "x" * 10_001}, "text_too_long", "text"),
    ("ask", {"text": "hi", "agent": "light.lamp"}, "unknown_agent", "agent"),
    ("ask", {"text": "hi", "agent": ""}, "unknown_agent", "agent"),
    ("ask", {"text": "hi", "language": "english"}, "unknown_language", "language"),
    ("export_audit", {"decision_id": "nope"}, "unknown_decision", "decision_id"),
]


@pytest.mark.parametrize(("action", "data", "key", "field"), MISTAKES)
@pytest.mark.parametrize("language", ["en", "de"])
async def test_names_the_field_in_the_persons_language(
    hass: HomeAssistant,
    hass_ws_client: WebSocketGenerator,
    hass_admin_user: User,
    action: str,
    data: dict[str, Any],
    key: str,
    field: str,
    language: str,
) -> None:
    """The error comes with all that its sentence needs, and the field is in it."""
    for component in ("homeassistant", "conversation"):
        assert await async_setup_component(hass, component, {})
    await async_move_in(hass, hass_admin_user.id)
    client = await hass_ws_client(hass)
    await client.send_json_auto_id(
        {
            "type": "call_service",
            "domain": DOMAIN,
            "service": action,
            "service_data": data,
            "return_response": True,
        }
    )
    answer = await client.receive_json()
    assert not answer["success"]
    error = answer["error"]
    assert error["code"] == "service_validation_error"
    assert error["translation_domain"] == DOMAIN
    assert error["translation_key"] == key
    texts = await async_get_translations(hass, language, "exceptions", {DOMAIN})
    text = texts[f"component.{DOMAIN}.exceptions.{key}.message"]
    values = error["translation_placeholders"]
    assert set(re.findall(r"{(\w+)}", text)) == set(values)
    assert re.search(rf"\b{field}\b", text.format(**values))
