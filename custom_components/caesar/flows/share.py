"""Share what was asked for: the way out of "not shared with Assist".

What is shared is what a model may see: an admin does it, here or on the page; no tool.
"""

from collections.abc import Iterable
import sqlite3
from typing import Any, Final

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.config_entries import ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import probatio

from ..adapters.home import ASSISTANT
from ..adapters.unshared import UnsharedEntities
from ..wording import one_line
from .steps import Steps

CONF_SHARED: Final = "shared"
# Home Assistant's own page of what is shared.
EXPOSE_URL: Final = "/config/voice-assistants/expose"
MAX_LABEL: Final = 120


async def async_share(
    hass: HomeAssistant, unshared: UnsharedEntities, entity_ids: Iterable[str]
) -> tuple[str, ...]:
    """Share those of these that were asked for; return which. Raises sqlite3.Error.

    Only for what an admin does by hand.
    """
    listed = {each.entity_id for each in await unshared.async_recent()}
    shared = tuple(each for each in entity_ids if each in listed)
    for entity_id in shared:
        async_expose_entity(hass, ASSISTANT, entity_id, should_expose=True)
    return shared


class ShareSteps(Steps):
    """What CAESAR was asked for and could not reach, to be shared by an admin."""

    async def async_step_share(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """List it, nothing ticked; share what was ticked."""
        user = self.by
        if user is None or not user.is_admin:
            return self.async_abort(reason="not_admin")
        house = self.house
        unshared = UnsharedEntities(self.hass, house.audit, house.home)
        try:
            recent = await unshared.async_recent()
        except sqlite3.Error:
            return self.async_abort(reason="trail_unreadable")
        errors: dict[str, str] = {}
        if user_input is not None:
            if chosen := user_input.get(CONF_SHARED):
                await async_share(self.hass, unshared, chosen)
                return self.async_abort(reason="shared")
            errors["base"] = "no_change"
        if not recent:
            return self.async_abort(reason="nothing_unshared")
        options = [
            SelectOptionDict(
                value=each.entity_id,
                label=one_line(f"{each.name} · {each.entity_id} ({each.count}×)")[
                    :MAX_LABEL
                ],
            )
            for each in recent
        ]
        return self.async_show_form(
            step_id="share",
            data_schema=probatio.Schema(
                {
                    probatio.Optional(CONF_SHARED): SelectSelector(
                        SelectSelectorConfig(
                            options=options, multiple=True, mode=SelectSelectorMode.LIST
                        )
                    )
                }
            ),
            errors=errors,
            description_placeholders={"expose_url": EXPOSE_URL},
            last_step=True,
        )
