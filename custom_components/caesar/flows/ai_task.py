"""Task entities: one subentry each, for Home Assistant's AI tasks."""

from collections.abc import Mapping
from typing import Any

from homeassistant.config_entries import SOURCE_USER, SubentryFlowResult
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
)
import probatio

from ..const import (
    CONF_MAX_TOKENS,
    CONF_MODEL,
    CONF_MODEL_ID,
    CONF_NAME,
    CONF_PROVIDER,
    DEFAULT_TASK_TOKENS,
    MAX_TOKENS_MAX,
    MAX_TOKENS_MIN,
    SUBENTRY_MODEL,
    ProviderKind,
)
from .account import async_models, house_model
from .agent import whole_number
from .subentry import HouseSubentryFlow


class TaskFlow(HouseSubentryFlow):
    """Add a task entity or change one."""

    def __init__(self) -> None:
        """Start with the defaults."""
        self._shown: Mapping[str, Any] = {}

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Add one."""
        model = house_model(self._get_entry().data) if self._has_own() else ""
        self._shown = {CONF_MODEL: model, CONF_MAX_TOKENS: DEFAULT_TASK_TOKENS}
        return await self.async_step_task()

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Change one."""
        subentry = self._get_reconfigure_subentry()
        kept = subentry.data
        model = kept.get(CONF_MODEL_ID)
        if model not in self._further():
            # One that was removed can't be sent back by the form.
            model = kept.get(CONF_MODEL, "")
        self._shown = {
            CONF_NAME: subentry.title,
            CONF_MODEL: model,
            CONF_MAX_TOKENS: kept.get(CONF_MAX_TOKENS, DEFAULT_TASK_TOKENS),
        }
        return await self.async_step_task()

    async def async_step_task(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Show the form until what it holds is right, then keep that."""
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        further = self._further()
        if not self._has_own() and not further:
            raise AbortFlow("task_no_model")
        errors: dict[str, str] = {}
        if user_input is not None:
            self._shown = {
                **user_input,
                CONF_NAME: user_input[CONF_NAME].strip(),
                CONF_MODEL: user_input[CONF_MODEL].strip(),
            }
            errors = self._problems(further)
            if not errors:
                return self._keep(further)
        return self.async_show_form(
            step_id="task",
            data_schema=self.add_suggested_values_to_schema(
                await self._schema(further), self._shown
            ),
            errors=errors,
        )

    def _has_own(self) -> bool:
        provider: str = self._get_entry().data[CONF_PROVIDER]
        return provider != ProviderKind.BUILTIN

    def _further(self) -> dict[str, str]:
        """Return the names of the further models by their ids."""
        models = self._get_entry().get_subentries_of_type(SUBENTRY_MODEL)
        return {model.subentry_id: model.title for model in models}

    async def _schema(self, further: Mapping[str, str]) -> probatio.Schema:
        """Return the form; of the house's provider any other model can be typed."""
        own: tuple[str, ...] = ()
        if self._has_own():
            own = await async_models(self.hass, self._get_entry().data)
        options = [SelectOptionDict(value=name, label=name) for name in own]
        options += [
            SelectOptionDict(value=model_id, label=title)
            for model_id, title in further.items()
        ]
        return probatio.Schema(
            {
                probatio.Required(CONF_NAME): TextSelector(),
                probatio.Required(CONF_MODEL): SelectSelector(
                    SelectSelectorConfig(
                        options=options,
                        mode=SelectSelectorMode.DROPDOWN,
                        custom_value=bool(own),
                    )
                ),
                probatio.Required(CONF_MAX_TOKENS): whole_number(
                    MAX_TOKENS_MIN, MAX_TOKENS_MAX
                ),
            }
        )

    def _problems(self, further: Mapping[str, str]) -> dict[str, str]:
        """Return the form's errors by field."""
        errors: dict[str, str] = {}
        name, model = self._shown[CONF_NAME], self._shown[CONF_MODEL]
        if not name:
            errors[CONF_NAME] = "name_empty"
        elif name.casefold() in self.other_titles():
            errors[CONF_NAME] = "name_taken"
        if not model or not (self._has_own() or model in further):
            errors[CONF_MODEL] = "model_empty"
        return errors

    def _keep(self, further: Mapping[str, str]) -> SubentryFlowResult:
        """Create the entity's subentry, or change it."""
        model = self._shown[CONF_MODEL]
        key = CONF_MODEL_ID if model in further else CONF_MODEL
        data = {key: model, CONF_MAX_TOKENS: int(self._shown[CONF_MAX_TOKENS])}
        title = self._shown[CONF_NAME]
        if self.source == SOURCE_USER:
            return self.async_create_entry(title=title, data=data)
        return self.async_update_and_abort(
            self._get_entry(), self._get_reconfigure_subentry(), data=data, title=title
        )
