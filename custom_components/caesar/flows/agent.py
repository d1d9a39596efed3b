"""Agents: one conversation subentry each, added and changed in the UI."""

from collections.abc import Mapping, Sequence
from typing import Any

from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigSubentry,
    ConfigSubentryData,
    SubentryFlowResult,
)
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
)
import probatio

from ..adapters.guards import settings_of
from ..const import (
    AGENT_DEFAULTS,
    CONF_BRAIN,
    CONF_CHAIN,
    CONF_DAILY_TOKEN_LIMIT,
    CONF_MAX_ITERATIONS,
    CONF_MAX_TOKENS,
    CONF_MODEL,
    CONF_NAME,
    CONF_PATIENCE,
    CONF_PERSONA_NAME,
    CONF_PERSONA_TONE,
    CONF_PROMPT,
    CONF_PROVIDER,
    CONF_SPEAKABLE,
    DAILY_TOKEN_LIMIT_MAX,
    DAILY_TOKEN_LIMIT_MIN,
    DEFAULT_MODEL,
    DEFAULT_TITLE,
    MAX_ITERATIONS_MAX,
    MAX_ITERATIONS_MIN,
    MAX_TOKENS_MAX,
    MAX_TOKENS_MIN,
    PATIENCE_MAX,
    PATIENCE_MIN,
    PROMPT_MAX_LENGTH,
    SECTION_CHAIN,
    SECTION_LIMITS,
    SECTION_PERSONA,
    SUBENTRY_CONVERSATION,
    SUBENTRY_MODEL,
    Brain,
    ProviderKind,
    Tone,
)
from .account import async_models, house_model, model_field
from .subentry import HouseSubentryFlow

_SECTIONS = {
    SECTION_PERSONA: (CONF_PERSONA_NAME, CONF_PERSONA_TONE, CONF_SPEAKABLE),
    SECTION_LIMITS: (CONF_MAX_ITERATIONS, CONF_MAX_TOKENS, CONF_DAILY_TOKEN_LIMIT),
    SECTION_CHAIN: (CONF_CHAIN, CONF_PATIENCE),
}
# Kept only where somebody chose something.
_CHOSEN = (CONF_CHAIN, CONF_PATIENCE, CONF_DAILY_TOKEN_LIMIT)
_TEXTS = (CONF_MODEL, CONF_PERSONA_NAME, CONF_PROMPT)


def first_agent(model: str = DEFAULT_MODEL) -> ConfigSubentryData:
    """Return the agent that every new house starts with."""
    return ConfigSubentryData(
        data={**AGENT_DEFAULTS, CONF_MODEL: model},
        subentry_type=SUBENTRY_CONVERSATION,
        title=DEFAULT_TITLE,
        unique_id=None,
    )


def whole_number(low: int, high: int) -> probatio.All[int]:
    """Return a validator of a whole number within bounds, shown as a box."""
    return probatio.All(
        NumberSelector(
            NumberSelectorConfig(min=low, max=high, step=1, mode=NumberSelectorMode.BOX)
        ),
        probatio.Coerce(int),
    )


# An agent without a model has a name and nothing to set: it speaks with Home
# Assistant's own sentences.
NAME_ONLY = probatio.Schema({probatio.Required(CONF_NAME): TextSelector()})


def with_model(models: tuple[str, ...]) -> probatio.Schema:
    """Return the form of an agent with one of these models, or any other."""
    return NAME_ONLY.extend(
        {
            probatio.Required(CONF_BRAIN): SelectSelector(
                SelectSelectorConfig(
                    options=[brain.value for brain in Brain],
                    mode=SelectSelectorMode.LIST,
                    translation_key="brain",
                )
            ),
            probatio.Required(CONF_MODEL): model_field(models),
            probatio.Optional(CONF_PROMPT): TextSelector(
                TextSelectorConfig(multiline=True)
            ),
            probatio.Required(SECTION_PERSONA): section(
                probatio.Schema(
                    {
                        probatio.Optional(CONF_PERSONA_NAME): TextSelector(),
                        probatio.Required(CONF_PERSONA_TONE): SelectSelector(
                            SelectSelectorConfig(
                                options=[tone.value for tone in Tone],
                                mode=SelectSelectorMode.DROPDOWN,
                                translation_key="persona_tone",
                            )
                        ),
                        probatio.Optional(CONF_SPEAKABLE): BooleanSelector(),
                    }
                ),
                {"collapsed": True},
            ),
            probatio.Required(SECTION_LIMITS): section(
                probatio.Schema(
                    {
                        probatio.Required(CONF_MAX_ITERATIONS): whole_number(
                            MAX_ITERATIONS_MIN, MAX_ITERATIONS_MAX
                        ),
                        probatio.Required(CONF_MAX_TOKENS): whole_number(
                            MAX_TOKENS_MIN, MAX_TOKENS_MAX
                        ),
                        probatio.Optional(CONF_DAILY_TOKEN_LIMIT): whole_number(
                            DAILY_TOKEN_LIMIT_MIN, DAILY_TOKEN_LIMIT_MAX
                        ),
                    }
                ),
                {"collapsed": True},
            ),
        }
    )


def chain_section(further: Sequence[ConfigSubentry]) -> dict[Any, Any]:
    """Return the part of the form for further models; nothing where there are none.

    They are asked in the order in which they were chosen.
    """
    if not further:
        return {}
    options = [
        SelectOptionDict(value=each.subentry_id, label=each.title) for each in further
    ]
    return {
        probatio.Required(SECTION_CHAIN): section(
            probatio.Schema(
                {
                    probatio.Optional(CONF_CHAIN): SelectSelector(
                        SelectSelectorConfig(
                            options=options,
                            multiple=True,
                            mode=SelectSelectorMode.DROPDOWN,
                        )
                    ),
                    probatio.Optional(CONF_PATIENCE): patience_field(),
                }
            ),
            {"collapsed": True},
        )
    }


def patience_field() -> probatio.All[int]:
    """Return the field for the seconds that a model has where another can take over."""
    return whole_number(PATIENCE_MIN, PATIENCE_MAX)


def _folded(agent: Mapping[str, Any]) -> dict[str, Any]:
    """Return flat data of an agent as the form shows it, with its sections."""
    shown = dict(agent)
    for name, keys in _SECTIONS.items():
        shown[name] = {key: shown.pop(key) for key in keys if key in shown}
    return shown


def _flat(user_input: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form holds as flat data of an agent, texts trimmed.

    A field that was emptied does not come back from the frontend at all; here it
    is empty, not what it was before.
    """
    agent = dict(user_input)
    for name in _SECTIONS:
        agent |= agent.pop(name, {})
    for name, keys in _SECTIONS.items():
        if name in user_input:
            agent |= {key: agent.get(key) for key in keys if key in _CHOSEN}
    if CONF_MODEL in agent:
        agent |= {key: agent.get(key, "").strip() for key in _TEXTS}
    agent[CONF_NAME] = agent[CONF_NAME].strip()
    return agent


class ConversationAgentFlow(HouseSubentryFlow):
    """Add an agent or change one."""

    def __init__(self) -> None:
        """Start from an agent with the defaults."""
        self._agent: dict[str, Any] = {CONF_NAME: "", **AGENT_DEFAULTS}
        self._models: tuple[str, ...] = ()

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Add an agent."""
        self._agent[CONF_MODEL] = house_model(self._get_entry().data)
        return await self._begin()

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Change an agent."""
        subentry = self._get_reconfigure_subentry()
        self._agent |= {CONF_NAME: subentry.title, **subentry.data}
        return await self._begin()

    async def async_step_agent(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for everything an agent with a model has."""
        further = self._get_entry().get_subentries_of_type(SUBENTRY_MODEL)
        schema = with_model(self._models).extend(chain_section(further))
        known = {each.subentry_id for each in further}
        # One that was removed can't be chosen, nor sent back by the form.
        kept = [each for each in self._agent.get(CONF_CHAIN) or () if each in known]
        self._agent[CONF_CHAIN] = kept
        return self._ask("agent", schema, user_input)

    async def async_step_agent_builtin(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for a name; there is no model to set anything for."""
        return self._ask("agent_builtin", NAME_ONLY, user_input)

    async def _begin(self) -> SubentryFlowResult:
        """Show the form that fits the entry."""
        entry = self._get_entry()
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        if entry.data[CONF_PROVIDER] == ProviderKind.BUILTIN:
            return await self.async_step_agent_builtin()
        self._models = await async_models(self.hass, entry.data)
        return await self.async_step_agent()

    def _ask(
        self, step_id: str, schema: probatio.Schema, user_input: dict[str, Any] | None
    ) -> SubentryFlowResult:
        """Show the form until what it holds is right, then keep that."""
        errors: dict[str, str] = {}
        if user_input is not None:
            self._agent |= _flat(user_input)
            errors = self._problems()
            if not errors:
                return self._keep()
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(
                schema, _folded(self._agent)
            ),
            errors=errors,
            description_placeholders={"policy_limit": self._policy_limit()},
        )

    def _policy_limit(self) -> str:
        """Return the policy's tokens a day as the form shows them."""
        policy = self._get_entry().runtime_data.policy_file.policy
        limit = settings_of(policy).daily_token_limit
        return "–" if limit is None else str(limit)

    def _problems(self) -> dict[str, str]:
        """Return the form's errors by field."""
        errors: dict[str, str] = {}
        name = self._agent[CONF_NAME]
        if not name:
            errors[CONF_NAME] = "name_empty"
        elif name.casefold() in self.other_titles():
            errors[CONF_NAME] = "name_taken"
        if not self._agent[CONF_MODEL]:
            errors[CONF_MODEL] = "model_empty"
        if len(self._agent[CONF_PROMPT]) > PROMPT_MAX_LENGTH:
            errors[CONF_PROMPT] = "prompt_too_long"
        return errors

    def _keep(self) -> SubentryFlowResult:
        """Create the agent, or change it."""
        data = {key: self._agent[key] for key in AGENT_DEFAULTS}
        data |= {key: self._agent[key] for key in _CHOSEN if self._agent.get(key)}
        title = self._agent[CONF_NAME]
        if self.source == SOURCE_USER:
            return self.async_create_entry(title=title, data=data)
        return self.async_update_and_abort(
            self._get_entry(), self._get_reconfigure_subentry(), data=data, title=title
        )
