"""Builds the demo house."""

from typing import Any, override

from homeassistant.config_entries import ConfigFlow, ConfigFlowResult
from homeassistant.helpers import config_validation as cv
import probatio

from .const import CONF_EFFECTS, CONF_GENERATED, DOMAIN

USER_SCHEMA = probatio.Schema(
    {
        probatio.Optional(CONF_GENERATED): cv.positive_int,
        probatio.Optional(CONF_EFFECTS): cv.string,
    }
)


class DemoHouseConfigFlow(ConfigFlow, domain=DOMAIN):
    """One form: how big, and who is told what happens."""

    @override
    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask, then build."""
        if user_input is None:
            return self.async_show_form(step_id="user", data_schema=USER_SCHEMA)
        return self.async_create_entry(title="Demo house", data=user_input)
