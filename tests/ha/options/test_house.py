"""PINs, phones, automations."""

import json

from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockUser

from tests.ha.test_approvals_phone import add_phone, child

from .dialog import URL, Options

__all__ = ["child"]


class TestHouse:
    """PINs, phones, automations."""

    async def test_pins(self, options: Options) -> None:
        """Set, not shown, not removed while a rule names it."""
        pins = options.house.entry.runtime_data.approvals.pins
        await options.menu("pins")
        await options.send()
        assert options.shown["errors"] == {"base": "no_change"}
        await options.send(name="Front door", pin="12")
        assert options.shown["errors"] == {"pin": "invalid_pin"}
        name = options.field("name")["description"]["suggested_value"]
        assert name == "Front door"
        assert "12" not in json.dumps(options.field("pin"))
        await options.send(name="Front door", pin="1234")
        assert options.shown["type"] == "create_entry"
        assert pins.names() == ("Front door",)
        assert await pins.async_verify("Front door", "1234")

        rule = (
            "version: 1\nallowed_services:\n  - service: lock.unlock\n"
            "    approval: always\n    pin: Front door\n"
        )
        await options.menu("text")
        await options.send(text=rule)
        await options.send()
        await options.menu("pins")
        assert options.placeholders == {"pins": "Front door"}
        await options.send(remove=["Front door"])
        assert options.shown["errors"] == {"remove": "pin_in_use"}
        await options.menu("undo")
        await options.send()
        await options.menu("pins")
        await options.send(remove=["Front door"])
        assert options.shown["type"] == "create_entry"
        assert pins.names() == ()

    async def test_automations(self, options: Options) -> None:
        """Kept as an option; the others stay."""
        await options.menu("automations")
        assert options.field("automation_tools")["default"] == "read"
        await options.send(automation_tools="none")
        assert options.house.entry.options == {"automation_tools": "none"}
        await options.menu("automations")
        assert options.field("automation_tools")["default"] == "none"

    async def test_no_phone(self, options: Options) -> None:
        """A person without the app is told apart from one with it."""
        await options.menu("phone")
        assert options.field("person")["default"] == options.house.user_id
        await options.send(person=options.house.user_id)
        assert options.shown["errors"] == {"base": "no_phone"}

    async def test_a_phone(
        self, child: MockUser, options: Options, hass: HomeAssistant
    ) -> None:
        """The real companion app gets the test; the form names the phone."""
        phone = await add_phone(hass, options.house.user_id, "Pixel *9*")
        await options.menu("phone")
        await options.send(person=options.house.user_id)
        assert options.shown["step_id"] == "phone_sent"
        assert options.placeholders == {"phones": r"Pixel \*9\*"}
        assert len(phone.pushed) == 1
        await options.send()
        assert options.shown["type"] == "create_entry"

    async def test_not_loaded(self, options: Options, hass: HomeAssistant) -> None:
        """A house that isn't there has no options."""
        entry = options.house.entry
        assert await hass.config_entries.async_unload(entry.entry_id)
        response = await options.client.post(URL, json={"handler": entry.entry_id})
        shown = await response.json()
        assert (shown["type"], shown["reason"]) == ("abort", "not_loaded")
