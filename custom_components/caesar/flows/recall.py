"""How the past is found again: by words, or by meaning and who makes vectors for it.

A server is tried before it is kept.
"""

from collections.abc import Mapping
from importlib.util import find_spec
import re
from typing import Any, Final

from homeassistant.config_entries import SOURCE_USER, SubentryFlowResult
from homeassistant.helpers.selector import TextSelector
import probatio

from ..adapters.worker_trial import TrialError
from ..const import (
    CONF_API_KEY,
    CONF_BACKEND,
    CONF_MODEL,
    CONF_PROVIDER,
    CONF_URL,
    SUBENTRY_RECALL,
    ProviderKind,
    RecallBackend,
)
from .subentry import SECRET_FIELD, URL_FIELD, HouseSubentryFlow, needs_https, web_url
from .trial import async_trial, trial_problem
from .web_search import KEY

FIELDS: Final = (CONF_URL, CONF_MODEL, CONF_API_KEY)
MODEL: Final = re.compile(r"[!-~]{1,256}")
SERVER_SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(CONF_URL): URL_FIELD,
        probatio.Required(CONF_MODEL): TextSelector(),
        probatio.Optional(CONF_API_KEY): SECRET_FIELD,
    }
)
TITLES: Final[Mapping[RecallBackend, str]] = {
    RecallBackend.OFF: "Off",
    RecallBackend.WORDS: "Words",
    RecallBackend.WORDLLAMA: "wordllama",
    RecallBackend.OLLAMA: "Ollama",
    RecallBackend.OPENAI: "Embeddings server",
}
_BRAINS: Final[Mapping[RecallBackend, ProviderKind]] = {
    RecallBackend.OLLAMA: ProviderKind.OLLAMA,
    RecallBackend.OPENAI: ProviderKind.OPENAI_COMPATIBLE,
}
_MODELS: Final[Mapping[RecallBackend, str]] = {
    RecallBackend.OLLAMA: "nomic-embed-text",
    RecallBackend.OPENAI: "text-embedding-3-small",
}


class RecallFlow(HouseSubentryFlow):
    """Add the settings of recalling, or change them."""

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask how."""
        self.stop_if_there_is_one()
        return await self._menu("user")

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask how from now on."""
        return await self._menu("reconfigure")

    async def _menu(self, step_id: str) -> SubentryFlowResult:
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        has_table = await self.hass.async_add_executor_job(find_spec, "wordllama")
        options = [
            backend.value
            for backend in RecallBackend
            if backend is not RecallBackend.WORDLLAMA or has_table is not None
        ]
        return self.async_show_menu(step_id=step_id, menu_options=options)

    async def async_step_off(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Recall nothing."""
        return self._keep(RecallBackend.OFF, {})

    async def async_step_words(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Find by words."""
        return self._keep(RecallBackend.WORDS, {})

    async def async_step_wordllama(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Find by the table that is installed here."""
        return self._keep(RecallBackend.WORDLLAMA, {})

    async def async_step_ollama(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for an Ollama server."""
        return await self._server(RecallBackend.OLLAMA, user_input)

    async def async_step_openai(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for a server that speaks OpenAI's API."""
        return await self._server(RecallBackend.OPENAI, user_input)

    async def _server(
        self, backend: RecallBackend, user_input: dict[str, Any] | None
    ) -> SubentryFlowResult:
        errors: dict[str, str] = {}
        words = {"problem": ""}
        if user_input is not None:
            data = self._typed(backend, user_input, errors)
            if not errors:
                tried = {CONF_BACKEND: backend.value, **data}
                try:
                    await async_trial(self.hass, SUBENTRY_RECALL, tried)
                except TrialError as err:
                    errors, words = trial_problem(err, FIELDS)
                else:
                    return self._keep(backend, data)
        shown = user_input or self._proposed(backend)
        return self.async_show_form(
            step_id=backend.value,
            data_schema=self.add_suggested_values_to_schema(
                SERVER_SCHEMA,
                {key: each for key, each in shown.items() if key != CONF_API_KEY},
            ),
            errors=errors,
            description_placeholders=words,
        )

    def _typed(
        self,
        backend: RecallBackend,
        user_input: Mapping[str, Any],
        errors: dict[str, str],
    ) -> dict[str, str]:
        """Return what was typed as it would be kept; what is wrong is in `errors`."""
        url = web_url(user_input[CONF_URL])
        model = user_input[CONF_MODEL].strip()
        if url is None:
            errors[CONF_URL] = "url_invalid"
        elif needs_https(str(url)):
            errors[CONF_URL] = "url_needs_https"
        if not MODEL.fullmatch(model):
            errors[CONF_MODEL] = "model_empty"
        data = {CONF_URL: str(url), CONF_MODEL: model}
        if key := self._key(backend, user_input, str(url)):
            if not KEY.fullmatch(key):
                errors[CONF_API_KEY] = "api_key_invalid"
            data[CONF_API_KEY] = key
        return data

    def _key(
        self, backend: RecallBackend, user_input: Mapping[str, Any], url: str
    ) -> str:
        """Return the key typed, or the one kept for the same address."""
        if typed := str(user_input.get(CONF_API_KEY, "")).strip():
            return typed
        kept = self._proposed(backend)
        return str(kept.get(CONF_API_KEY, "")) if kept.get(CONF_URL) == url else ""

    def _proposed(self, backend: RecallBackend) -> Mapping[str, Any]:
        """Return what is kept, else the brain's own server where it is of this kind."""
        if self.source != SOURCE_USER:
            kept = self._get_reconfigure_subentry().data
            if kept[CONF_BACKEND] == backend.value:
                return kept
        brain = self._get_entry().data
        proposed = {CONF_MODEL: _MODELS[backend]}
        if brain.get(CONF_PROVIDER) == _BRAINS[backend]:
            proposed |= {
                key: brain[key] for key in (CONF_URL, CONF_API_KEY) if key in brain
            }
        return proposed

    def _keep(
        self, backend: RecallBackend, data: Mapping[str, str]
    ) -> SubentryFlowResult:
        kept = {CONF_BACKEND: backend.value, **data}
        if self.source == SOURCE_USER:
            self.stop_if_there_is_one()
            return self.async_create_entry(
                title=TITLES[backend], data=kept, unique_id=SUBENTRY_RECALL
            )
        return self.async_update_and_abort(
            self._get_entry(),
            self._get_reconfigure_subentry(),
            data=kept,
            title=TITLES[backend],
        )
