"""Further models: one subentry each, for agents whose first model fails."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.config_entries import SOURCE_USER, SubentryFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.selector import TextSelector
import probatio
from yarl import URL

from ..const import (
    CONF_API_KEY,
    CONF_MODEL,
    CONF_NAME,
    CONF_PATIENCE,
    CONF_PRICES,
    CONF_PROVIDER,
    CONF_URL,
    MODELS,
    ProviderKind,
)
from .account import (
    API_KEYS_URL,
    Tried,
    async_try_server,
    key_error,
    model_field,
    server_schema,
)
from .agent import patience_field
from .model_options import OPTIONS, options_section, shown_options, typed_options
from .prices import price_errors, prices_section, shown_prices, typed_prices
from .subentry import SECRET_FIELD, HouseSubentryFlow, web_url

_KINDS: Final = tuple(
    kind.value for kind in ProviderKind if kind is not ProviderKind.BUILTIN
)
# What the forms of this flow ask for; all else of a model stays as it is.
_OURS: Final = (
    *(CONF_PROVIDER, CONF_API_KEY, CONF_URL, CONF_MODEL, CONF_PATIENCE),
    *(*OPTIONS, CONF_PRICES),
)


class ModelFlow(HouseSubentryFlow):
    """Add a further model or change one; it is tried before it is kept."""

    def __init__(self) -> None:
        """Start with nothing chosen."""
        self._data: dict[str, Any] = {}
        self._models: tuple[str, ...] = ()

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask whose model it is."""
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        if self._get_entry().data[CONF_PROVIDER] == ProviderKind.BUILTIN:
            raise AbortFlow("no_first_model")
        return self.async_show_menu(step_id="user", menu_options=list(_KINDS))

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Change a model: its address and key first."""
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        kind = self._kept()[CONF_PROVIDER]
        return await self._account(kind, None)

    async def async_step_anthropic(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for a key of Anthropic's."""
        return await self._account(ProviderKind.ANTHROPIC, user_input)

    async def async_step_openai_compatible(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask where a server of OpenAI's API is."""
        return await self._account(ProviderKind.OPENAI_COMPATIBLE, user_input)

    async def async_step_ollama(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask where an Ollama server is."""
        return await self._account(ProviderKind.OLLAMA, user_input)

    async def _account(
        self, kind: str, user_input: dict[str, Any] | None
    ) -> SubentryFlowResult:
        """Ask for address and key until they work."""
        kept = self._kept()
        errors: Mapping[str, str] = {}
        if user_input is not None:
            tried = await _async_try(self.hass, kind, _with_key(user_input, kept))
            errors = tried.errors
            if not errors:
                self._data = {CONF_PROVIDER: kind, **tried.data}
                self._models = tried.models
                return await self.async_step_model()
        shown = user_input or {CONF_URL: kept.get(CONF_URL)}
        return self.async_show_form(
            step_id=kind,
            data_schema=self.add_suggested_values_to_schema(
                _account_schema(kind, has_key=CONF_API_KEY in kept),
                {CONF_URL: shown[CONF_URL]} if shown.get(CONF_URL) else {},
            ),
            errors=dict(errors),
            description_placeholders={"api_keys_url": API_KEYS_URL},
            last_step=False,
        )

    async def async_step_model(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask which of the models it is, and what it is called."""
        errors: dict[str, str] = {}
        kept = self._kept()
        shown = {
            CONF_NAME: self._title(),
            **kept,
            **shown_options(kept),
            **shown_prices(kept),
        }
        if user_input is not None:
            shown = {key: each for key, each in user_input.items() if each}
            errors = self._problems(shown)
            if not errors:
                return self._keep(shown)
        kind = self._data[CONF_PROVIDER]
        schema = probatio.Schema(
            {
                probatio.Required(CONF_MODEL): model_field(self._models),
                probatio.Optional(CONF_NAME): TextSelector(),
                probatio.Optional(CONF_PATIENCE): patience_field(),
                **options_section(kind),
                **prices_section(self.hass, kind, shown),
            }
        )
        return self.async_show_form(
            step_id="model",
            data_schema=self.add_suggested_values_to_schema(schema, shown),
            errors=errors,
            last_step=True,
        )

    def _problems(self, typed: Mapping[str, Any]) -> dict[str, str]:
        """Return the form's errors by field."""
        if not str(typed.get(CONF_MODEL, "")).strip():
            return {CONF_MODEL: "model_empty"}
        if _name(typed).casefold() in self.other_titles():
            return {CONF_NAME: "name_taken"}
        return price_errors(typed)

    def _kept(self) -> Mapping[str, Any]:
        """Return what is kept of the model that is changed."""
        if self.source == SOURCE_USER:
            return {}
        return self._get_reconfigure_subentry().data

    def _title(self) -> str:
        if self.source == SOURCE_USER:
            return ""
        return self._get_reconfigure_subentry().title

    def _keep(self, typed: Mapping[str, Any]) -> SubentryFlowResult:
        """Create the model, or change it."""
        data = {
            **{key: each for key, each in self._kept().items() if key not in _OURS},
            **self._data,
            **typed_options(typed),
            **typed_prices(typed),
            CONF_MODEL: typed[CONF_MODEL].strip(),
        }
        if CONF_PATIENCE in typed:
            data[CONF_PATIENCE] = typed[CONF_PATIENCE]
        if self.source == SOURCE_USER:
            return self.async_create_entry(title=_name(typed), data=data)
        return self.async_update_and_abort(
            self._get_entry(),
            self._get_reconfigure_subentry(),
            data=data,
            title=_name(typed),
        )


def _name(typed: Mapping[str, Any]) -> str:
    """Return what a model is called: what was typed, else its own name."""
    return str(typed.get(CONF_NAME, "")).strip() or str(typed[CONF_MODEL]).strip()


def _account_schema(kind: str, *, has_key: bool) -> probatio.Schema:
    """Return the form for address and key; a key that is kept needn't be typed."""
    if kind == ProviderKind.ANTHROPIC:
        field = probatio.Optional if has_key else probatio.Required
        return probatio.Schema({field(CONF_API_KEY): SECRET_FIELD})
    return server_schema(kind)


def _with_key(typed: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed, with the kept key where none was typed.

    It goes to no other server than it was typed for.
    """
    if typed.get(CONF_API_KEY, "").strip() or CONF_API_KEY not in kept:
        return dict(typed)
    if CONF_URL in kept:
        url = web_url(typed.get(CONF_URL, ""))
        if url is None or url.origin() != URL(kept[CONF_URL]).origin():
            return dict(typed)
    return {**typed, CONF_API_KEY: kept[CONF_API_KEY]}


async def _async_try(hass: HomeAssistant, kind: str, typed: Mapping[str, Any]) -> Tried:
    """Try what was typed by a real call; return what can be chosen."""
    if kind != ProviderKind.ANTHROPIC:
        return await async_try_server(hass, kind, typed)
    key = typed.get(CONF_API_KEY, "").strip()
    errors = await key_error(hass, key)
    return Tried(errors=errors, data={CONF_API_KEY: key}, models=MODELS)
