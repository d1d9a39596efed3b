"""Set CAESAR up in the UI: who thinks, what it may do, and its agents."""

from collections.abc import Mapping
from typing import Any, override

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    ConfigEntry,
    ConfigFlowResult,
    ConfigSubentryFlow,
    OptionsFlow,
)
from homeassistant.core import callback

from .const import (
    CONF_API_KEY,
    CONF_CHILDRENS_ROOMS,
    CONF_MODEL,
    CONF_MODEL_ID,
    CONF_PROVIDER,
    CONF_STARTER_POLICY,
    CONF_URL,
    DOMAIN,
    SUBENTRY_AI_TASK,
    SUBENTRY_CALENDAR,
    SUBENTRY_CONVERSATION,
    SUBENTRY_MODEL,
    SUBENTRY_RECALL,
    SUBENTRY_WEB_SEARCH,
    SUBENTRY_WORKER,
    ProviderKind,
)
from .flows.account import (
    ACCOUNT_SCHEMA,
    API_KEYS_URL,
    SERVERS,
    async_try_server,
    house_model,
    key_error,
    model_schema,
    server_schema,
)
from .flows.agent import ConversationAgentFlow
from .flows.ai_task import TaskFlow
from .flows.calendar import CalendarFlow
from .flows.choices import provider_schema
from .flows.model import ModelFlow
from .flows.model_options import options_section, shown_options, typed_options
from .flows.options import CaesarOptionsFlow
from .flows.prices import (
    PRICES_URL,
    price_errors,
    prices_section,
    shown_prices,
    typed_prices,
)
from .flows.recall import RecallFlow
from .flows.starter import StarterSteps
from .flows.web_search import WebSearchFlow
from .flows.worker import WorkerFlow


class CaesarConfigFlow(StarterSteps, domain=DOMAIN):
    """The one set-up of a house; Home Assistant allows no second entry."""

    VERSION = 1
    MINOR_VERSION = 1

    def __init__(self) -> None:
        """Start with nothing chosen."""
        self._data: dict[str, Any] = {}
        self._models: tuple[str, ...] = ()

    @classmethod
    @callback
    @override
    def async_get_supported_subentry_types(
        cls, config_entry: ConfigEntry
    ) -> dict[str, type[ConfigSubentryFlow]]:
        """Return what can be added to the entry: agents, workers, tools' settings."""
        return {
            SUBENTRY_CONVERSATION: ConversationAgentFlow,
            SUBENTRY_AI_TASK: TaskFlow,
            SUBENTRY_MODEL: ModelFlow,
            SUBENTRY_WORKER: WorkerFlow,
            SUBENTRY_WEB_SEARCH: WebSearchFlow,
            SUBENTRY_CALENDAR: CalendarFlow,
            SUBENTRY_RECALL: RecallFlow,
        }

    @staticmethod
    @callback
    @override
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        """Return the options: what CAESAR may do."""
        return CaesarOptionsFlow()

    @override
    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask who thinks."""
        if user_input is None:
            return self.async_show_form(
                step_id="user",
                data_schema=provider_schema(ProviderKind.BUILTIN),
                last_step=False,
            )
        return await self._with_provider(user_input)

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Change who thinks; the policy and the agents stay."""
        if user_input is None:
            entry = self._get_reconfigure_entry()
            return self.async_show_form(
                step_id="reconfigure",
                data_schema=provider_schema(entry.data[CONF_PROVIDER]),
            )
        return await self._with_provider(user_input)

    async def async_step_anthropic(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for a key and try it."""
        errors: dict[str, str] = {}
        if user_input is not None:
            key = user_input[CONF_API_KEY].strip()
            errors = price_errors(user_input) or await key_error(self.hass, key)
            if not errors:
                self._data |= {CONF_API_KEY: key, **_typed(user_input)}
                return await self._provider_chosen()
        shown = _shown(self._kept_model() if user_input is None else _typed(user_input))
        schema = ACCOUNT_SCHEMA.extend(
            options_section(ProviderKind.ANTHROPIC)
            | prices_section(self.hass, ProviderKind.ANTHROPIC, shown)
        )
        return self.async_show_form(
            step_id="anthropic",
            data_schema=self.add_suggested_values_to_schema(schema, shown),
            errors=errors,
            description_placeholders={
                "api_keys_url": API_KEYS_URL,
                "prices_url": PRICES_URL,
            },
            last_step=self.source == SOURCE_RECONFIGURE,
        )

    async def async_step_openai_compatible(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask where a server of OpenAI's API is."""
        return await self._server("openai_compatible", user_input)

    async def async_step_ollama(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask where an Ollama server is."""
        return await self._server("ollama", user_input)

    async def _server(
        self, step_id: str, user_input: dict[str, Any] | None
    ) -> ConfigFlowResult:
        """Ask for a server's address and key until it tells its models."""
        errors: Mapping[str, str] = {}
        shown: Mapping[str, Any] = user_input or self._kept_model()
        kind = self._data[CONF_PROVIDER]
        if user_input is not None:
            tried = await async_try_server(self.hass, kind, user_input)
            errors = tried.errors
            if not errors:
                self._data = {CONF_PROVIDER: kind, **tried.data}
                self._models = tried.models
                return await self.async_step_model()
        return self.async_show_form(
            step_id=step_id,
            data_schema=self.add_suggested_values_to_schema(server_schema(kind), shown),
            errors=dict(errors),
            last_step=False,
        )

    def _kept_model(self) -> Mapping[str, Any]:
        """Return what a form may show of the model that is set up: never its key."""
        if self.source != SOURCE_RECONFIGURE:
            return {}
        kept = self._get_reconfigure_entry().data
        if kept[CONF_PROVIDER] != self._data[CONF_PROVIDER]:
            return {}
        return {key: each for key, each in kept.items() if key != CONF_API_KEY}

    async def async_step_model(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask which of the server's models thinks; any other can be typed."""
        errors: dict[str, str] = {}
        if user_input is not None:
            model = user_input[CONF_MODEL].strip()
            errors = price_errors(user_input) if model else {CONF_MODEL: "model_empty"}
            if not errors:
                self._data |= {CONF_MODEL: model, **_typed(user_input)}
                return await self._provider_chosen()
        kept = self._kept_model()
        model = kept.get(CONF_MODEL, "")
        shown = ({CONF_MODEL: model} if model in self._models else {}) | (
            user_input or _shown(kept)
        )
        kind = self._data[CONF_PROVIDER]
        schema = model_schema(self._models).extend(
            options_section(kind) | prices_section(self.hass, kind, shown)
        )
        return self.async_show_form(
            step_id="model",
            data_schema=self.add_suggested_values_to_schema(schema, shown),
            errors=errors,
            last_step=self.source == SOURCE_RECONFIGURE,
        )

    async def async_step_reauth(
        self, entry_data: Mapping[str, Any]
    ) -> ConfigFlowResult:
        """Begin again with a key: the provider no longer takes the old one."""
        if entry_data[CONF_PROVIDER] in SERVERS:
            return await self.async_step_reauth_server()
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for a new key and try it."""
        errors: dict[str, str] = {}
        if user_input is not None:
            key = user_input[CONF_API_KEY].strip()
            errors = await key_error(self.hass, key)
            if not errors:
                return self.async_update_and_abort(
                    self._get_reauth_entry(), data_updates={CONF_API_KEY: key}
                )
        return self.async_show_form(
            step_id="reauth_confirm",
            data_schema=ACCOUNT_SCHEMA,
            errors=errors,
            description_placeholders={"api_keys_url": API_KEYS_URL},
        )

    async def async_step_reauth_server(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask for a new key of a server and try it; where it is stays as it is."""
        entry = self._get_reauth_entry()
        errors: Mapping[str, str] = {}
        if user_input is not None:
            typed = {**user_input, CONF_URL: entry.data[CONF_URL]}
            tried = await async_try_server(self.hass, entry.data[CONF_PROVIDER], typed)
            errors = tried.errors
            if not errors:
                return self.async_update_and_abort(entry, data_updates=tried.data)
        return self.async_show_form(
            step_id="reauth_server",
            data_schema=ACCOUNT_SCHEMA,
            # This form has no field for the address.
            errors={
                key if key == CONF_API_KEY else "base": text
                for key, text in errors.items()
            },
            description_placeholders={"address": entry.data[CONF_URL]},
        )

    async def _with_provider(self, user_input: Mapping[str, Any]) -> ConfigFlowResult:
        """Go on with the provider that was chosen."""
        self._data = {CONF_PROVIDER: user_input[CONF_PROVIDER]}
        match self._data[CONF_PROVIDER]:
            case ProviderKind.ANTHROPIC:
                return await self.async_step_anthropic()
            case ProviderKind.OPENAI_COMPATIBLE:
                return await self.async_step_openai_compatible()
            case ProviderKind.OLLAMA:
                return await self.async_step_ollama()
        return await self._provider_chosen()

    async def _provider_chosen(self) -> ConfigFlowResult:
        """Keep a changed provider, or go on to the policy."""
        if self.source != SOURCE_RECONFIGURE:
            return await self.async_step_policy()
        entry = self._get_reconfigure_entry()
        # Replaced rather than merged: a key that is not used is not kept.
        kept = {
            key: entry.data[key]
            for key in (CONF_STARTER_POLICY, CONF_CHILDRENS_ROOMS)
            if key in entry.data
        }
        data = {**self._data, **kept}
        result = self.async_update_and_abort(entry, data=data)
        self._move_agents(entry)
        return result

    def _move_agents(self, entry: ConfigEntry) -> None:
        """Give agents and AI tasks a model of the new provider, where theirs isn't one.

        Built-in has none: what they had is kept for the day when a model is back.
        """
        kind = self._data[CONF_PROVIDER]
        if kind == ProviderKind.BUILTIN:
            return
        for agent in (
            *entry.get_subentries_of_type(SUBENTRY_CONVERSATION),
            *entry.get_subentries_of_type(SUBENTRY_AI_TASK),
        ):
            if CONF_MODEL_ID in agent.data:
                continue
            model = str(agent.data.get(CONF_MODEL, ""))
            known = (
                model in self._models if kind in SERVERS else model.startswith("claude")
            )
            if not known:
                self.hass.config_entries.async_update_subentry(
                    entry,
                    agent,
                    data={**agent.data, CONF_MODEL: house_model(self._data)},
                )


def _typed(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a model's form holds in its folded parts, as it is kept."""
    return typed_options(form) | typed_prices(form)


def _shown(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a model as the folded parts of its form show it."""
    return shown_options(kept) | shown_prices(kept)
