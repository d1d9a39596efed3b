"""A worker was found: its key is compared, then the form that enrols it opens."""

from typing import Any

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.config_entries import SOURCE_USER, SubentryFlowContext

from ..const import CONF_PUBLIC_KEY, CONF_URL, DOMAIN
from ..wording import plain
from .worker import COMPARE_SCHEMA, CONF_SAME_KEY
from .worker_repairs import async_go_on, ignored


class FoundWorkerFlow(RepairsFlow):
    """The repair of an issue that offers a worker."""

    def __init__(self, found: dict[str, Any]) -> None:
        """Be about what an announcement said: name, url and public_key."""
        self._found = found

    async def async_step_init(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Say who was found, and ask what to do: Home Assistant offers no Ignore here."""
        return self.async_show_menu(
            step_id="init",
            menu_options=["compare", "ignore"],
            description_placeholders=self._words(),
        )

    async def async_step_ignore(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Say nothing more of this worker."""
        return ignored(self)

    async def async_step_compare(
        self, user_input: dict[str, Any] | None = None
    ) -> RepairsFlowResult:
        """Show the key; once it was compared, go on to the form of workers.

        The issue stays until the worker is enrolled, is ignored, or disappears.
        """
        errors: dict[str, str] = {}
        if user_input is not None:
            if user_input[CONF_SAME_KEY]:
                return await self._enrol()
            errors[CONF_SAME_KEY] = "key_not_compared"
        return self.async_show_form(
            step_id="compare",
            data_schema=COMPARE_SCHEMA,
            errors=errors,
            description_placeholders=self._words(),
            last_step=False,
        )

    def _words(self) -> dict[str, str]:
        return {
            "name": plain(str(self._found["name"])),
            "url": plain(str(self._found[CONF_URL])),
            "key": plain(str(self._found[CONF_PUBLIC_KEY])),
        }

    async def _enrol(self) -> RepairsFlowResult:
        entries = self.hass.config_entries.async_loaded_entries(DOMAIN)
        if not entries:
            return self.async_abort(reason="not_loaded")
        data = {key: str(self._found[key]) for key in (CONF_URL, CONF_PUBLIC_KEY)}
        context = SubentryFlowContext(source=SOURCE_USER)
        return await async_go_on(self, entries[0], context, data)
