"""The second half of the set-up: the policy to start from, and the voice assistants."""

from typing import Any, override

from homeassistant.config_entries import ConfigFlow, ConfigFlowResult

from ..adapters.pipelines import async_assistants, formers
from ..const import (
    CONF_ASSISTANTS,
    CONF_CHILDRENS_ROOMS,
    CONF_POLICY,
    CONF_STARTER_POLICY,
    DEFAULT_TITLE,
    StarterPolicy,
)
from .account import house_model
from .agent import first_agent
from .choices import (
    FAMILY_SCHEMA,
    MORE,
    POLICY_KEPT_SCHEMA,
    POLICY_MORE_SCHEMA,
    POLICY_SCHEMA,
    POLICY_SHOWN_PATH,
    has_policy_file,
)
from .pipelines import assistants_schema
from .welcome import async_welcome


class StarterSteps(ConfigFlow):
    """From the policy on: the same for every brain. `_data` holds what was chosen."""

    _data: dict[str, Any]

    async def async_step_policy(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which policy to start from, unless the house has one."""
        if await has_policy_file(self.hass):
            return await self.async_step_policy_kept()
        if user_input is None:
            return self.async_show_form(
                step_id="policy",
                data_schema=POLICY_SCHEMA,
                description_placeholders={"path": POLICY_SHOWN_PATH},
                last_step=False,
            )
        if user_input[CONF_POLICY] == MORE:
            return await self.async_step_policy_more()
        if user_input[CONF_POLICY] == StarterPolicy.FAMILY:
            return await self.async_step_family()
        return await self._policy_chosen(user_input[CONF_POLICY])

    async def async_step_policy_more(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which of the starters that few need."""
        if user_input is None:
            return self.async_show_form(
                step_id="policy_more",
                data_schema=POLICY_MORE_SCHEMA,
                last_step=False,
            )
        return await self._policy_chosen(user_input[CONF_POLICY])

    async def async_step_family(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which rooms are the children's."""
        if user_input is None:
            return self.async_show_form(
                step_id="family", data_schema=FAMILY_SCHEMA, last_step=False
            )
        self._data[CONF_CHILDRENS_ROOMS] = user_input[CONF_CHILDRENS_ROOMS]
        return await self._policy_chosen(StarterPolicy.FAMILY)

    async def async_step_policy_kept(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Say that the policy of an earlier set-up stays as it is."""
        if user_input is None:
            return self.async_show_form(
                step_id="policy_kept",
                data_schema=POLICY_KEPT_SCHEMA,
                description_placeholders={"path": POLICY_SHOWN_PATH},
                last_step=False,
            )
        # Should the file be lost between here and the first start, then the
        # narrowest policy is the one that nobody has to regret.
        return await self._policy_chosen(StarterPolicy.READ_ONLY)

    async def _policy_chosen(self, starter: str) -> ConfigFlowResult:
        """Go on to the voice assistants."""
        self._data[CONF_STARTER_POLICY] = StarterPolicy(starter).value
        return await self.async_step_assistants()

    async def async_step_assistants(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which voice assistants go through CAESAR, if there are any."""
        assistants = async_assistants(self.hass)
        if user_input is None and assistants:
            return self.async_show_form(
                step_id="assistants",
                data_schema=assistants_schema(
                    assistants, [each.id for each in assistants if each.preferred]
                ),
                last_step=True,
            )
        chosen = (user_input or {}).get(CONF_ASSISTANTS, [])
        former = formers(self.hass, chosen)
        return self.async_create_entry(
            title=DEFAULT_TITLE,
            data=self._data,
            options={CONF_ASSISTANTS: former} if former else {},
            subentries=[first_agent(house_model(self._data))],
        )

    @override
    async def async_on_create_entry(self, result: ConfigFlowResult) -> ConfigFlowResult:
        """Give CAESAR the voice assistants, now that its agent is there to answer."""
        return await async_welcome(self.hass, result)
