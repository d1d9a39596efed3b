"""CAESAR's options: what it may do, and all that goes with it."""

from typing import Any

from homeassistant.config_entries import ConfigFlowResult

from .form import FormSteps
from .pipelines import AssistantSteps
from .refused import RefusedSteps
from .share import ShareSteps
from .text import TextSteps


class CaesarOptionsFlow(FormSteps, TextSteps, RefusedSteps, ShareSteps, AssistantSteps):
    """The menu of the options; each of its lines begins with a step of that name."""

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the menu."""
        if not self.is_loaded:
            return self.async_abort(reason="not_loaded")
        return self.async_show_menu(
            step_id="init",
            menu_options=[
                "form",
                "refused",
                "share",
                "text",
                "undo",
                "assistants",
                "pins",
                "phone",
                "automations",
            ],
        )
