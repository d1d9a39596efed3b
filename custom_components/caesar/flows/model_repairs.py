"""The repair of a further model whose key is refused: it leads to its form."""

from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.config_entries import SOURCE_RECONFIGURE, SubentryFlowContext

from ..const import DOMAIN, SUBENTRY_MODEL
from ..wording import plain
from .worker_repairs import async_go_on, ignored


class ModelKeyFlow(RepairsFlow):
    """Says which key is refused, and opens the form where it can be changed."""

    def __init__(self, subentry_id: str) -> None:
        """Be about this model."""
        self._subentry_id = subentry_id

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Ask what to do."""
        for entry in self.hass.config_entries.async_loaded_entries(DOMAIN):
            if model := entry.subentries.get(self._subentry_id):
                return self.async_show_menu(
                    step_id="init",
                    menu_options=["open", "ignore"],
                    description_placeholders={"name": plain(model.title)},
                )
        return self.async_abort(reason="not_loaded")

    async def async_step_ignore(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Say nothing more of it."""
        return ignored(self)

    async def async_step_open(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Open the form."""
        for entry in self.hass.config_entries.async_loaded_entries(DOMAIN):
            if self._subentry_id in entry.subentries:
                context = SubentryFlowContext(
                    source=SOURCE_RECONFIGURE, subentry_id=self._subentry_id
                )
                return await async_go_on(self, entry, context, form_of=SUBENTRY_MODEL)
        return self.async_abort(reason="not_loaded")
