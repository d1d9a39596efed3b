"""Which voice assistants go through CAESAR: the question of set-up and options."""

from collections.abc import Collection, Iterable
from typing import Any

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import probatio

from ..adapters.pipelines import (
    VoiceAssistant,
    async_assistants,
    async_give,
    async_give_back,
    first_agent_id,
    formers,
)
from ..const import CONF_ASSISTANTS
from .steps import Steps


def assistants_schema(
    assistants: Collection[VoiceAssistant], chosen: Iterable[str]
) -> probatio.Schema:
    """Return the form with these voice assistants; `chosen` are ticked.

    A form that is sent without the field chose none.
    """
    names = [each.name for each in assistants]
    options = [
        SelectOptionDict(
            value=each.id,
            label=each.name
            if names.count(each.name) == 1
            else f"{each.name} ({each.language})",
        )
        for each in assistants
    ]
    return probatio.Schema(
        {
            probatio.Optional(
                CONF_ASSISTANTS, description={"suggested_value": list(chosen)}
            ): SelectSelector(
                SelectSelectorConfig(
                    options=options, multiple=True, mode=SelectSelectorMode.LIST
                )
            )
        }
    )


class AssistantSteps(Steps):
    """Change which voice assistants go through CAESAR."""

    async def async_step_assistants(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show all; give CAESAR what was ticked, and back what no longer is."""
        assistants = async_assistants(self.hass)
        agent_id = first_agent_id(self.hass, self.config_entry)
        if not assistants or agent_id is None:
            return self.async_abort(reason="no_assistants")
        ours = [each.id for each in assistants if each.ours]
        if user_input is None:
            return self.async_show_form(
                step_id="assistants",
                data_schema=assistants_schema(assistants, ours),
                last_step=True,
            )
        wanted = user_input.get(CONF_ASSISTANTS, [])
        kept: dict[str, Any] = dict(self.config_entry.options.get(CONF_ASSISTANTS, {}))
        new = [each for each in wanted if each not in ours]
        gone = [each for each in ours if each not in wanted]
        now = formers(self.hass, new)
        await async_give(self.hass, new, agent_id)
        await async_give_back(self.hass, kept, gone)
        known = {each: former for each, former in kept.items() if each not in gone}
        return self.done(**{CONF_ASSISTANTS: known | now})
