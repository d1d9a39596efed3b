"""Searching the web: who does it, and what that needs. Tried before it is kept."""

from collections.abc import Mapping
import re
from typing import Any, Final

from homeassistant.config_entries import SOURCE_USER, SubentryFlowResult
from homeassistant.helpers.selector import TextSelector
import probatio
from yarl import URL

from ..adapters.worker_trial import TrialError
from ..const import (
    CONF_API_KEY,
    CONF_BACKEND,
    CONF_PASSWORD,
    CONF_URL,
    CONF_USERNAME,
    SUBENTRY_WEB_SEARCH,
    SearchBackend,
)
from .subentry import SECRET_FIELD, URL_FIELD, HouseSubentryFlow, web_url
from .trial import async_trial, trial_problem

TITLES: Final[Mapping[SearchBackend, str]] = {
    SearchBackend.SEARXNG: "SearXNG",
    SearchBackend.BRAVE: "Brave Search",
    SearchBackend.TAVILY: "Tavily",
}
# Where a key is to be had.
KEYS_URLS: Final[Mapping[SearchBackend, str]] = {
    SearchBackend.BRAVE: "https://api-dashboard.search.brave.com/app/keys",
    SearchBackend.TAVILY: "https://app.tavily.com/home",
}
KEY: Final = re.compile(r"[!-~]{1,256}")
SEARXNG_SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(CONF_URL): URL_FIELD,
        probatio.Optional(CONF_USERNAME): TextSelector(),
        probatio.Optional(CONF_PASSWORD): SECRET_FIELD,
    }
)


class WebSearchFlow(HouseSubentryFlow):
    """Add the settings of web_search, or change them."""

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask who searches."""
        self.stop_if_there_is_one()
        return self._menu("user")

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask who searches from now on."""
        return self._menu("reconfigure")

    def _menu(self, step_id: str) -> SubentryFlowResult:
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        options = [backend.value for backend in SearchBackend]
        return self.async_show_menu(step_id=step_id, menu_options=options)

    async def async_step_searxng(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the address of a server of one's own."""
        errors: dict[str, str] = {}
        shown = {"problem": ""}
        if user_input is not None:
            url = self._searxng_url(user_input, errors)
            if url is not None:
                data = {CONF_BACKEND: SearchBackend.SEARXNG.value, CONF_URL: str(url)}
                try:
                    await async_trial(self.hass, SUBENTRY_WEB_SEARCH, data)
                except TrialError as err:
                    errors, shown = trial_problem(err, user_input)
                else:
                    return self._keep(SearchBackend.SEARXNG, data)
        values = user_input
        if values is None and (kept := self._kept_searxng()):
            values = {
                CONF_URL: str(kept.with_user(None)),
                CONF_USERNAME: kept.user or "",
            }
        return self.async_show_form(
            step_id="searxng",
            data_schema=self.add_suggested_values_to_schema(
                SEARXNG_SCHEMA,
                {
                    key: value
                    for key, value in (values or {}).items()
                    if key != CONF_PASSWORD
                },
            ),
            errors=errors,
            description_placeholders=shown,
        )

    def _searxng_url(
        self, user_input: Mapping[str, Any], errors: dict[str, str]
    ) -> URL | None:
        """Return the address with name and password in it, as SearXNG's is kept.

        A password that is kept goes to no other server than it was typed for.
        """
        url = web_url(user_input[CONF_URL])
        if url is None:
            errors[CONF_URL] = "url_invalid"
            return None
        username = user_input.get(CONF_USERNAME, "").strip()
        password = user_input.get(CONF_PASSWORD, "")
        if not username:
            return url
        kept = self._kept_searxng()
        if not password and kept is not None and kept.user == username:
            same = kept.with_user(None).origin() == url.origin()
            password = (kept.password or "") if same else ""
        if not password:
            errors[CONF_PASSWORD] = "password_again"
            return None
        return url.with_user(username).with_password(password)

    def _kept_searxng(self) -> URL | None:
        kept = self._kept(SearchBackend.SEARXNG).get(CONF_URL)
        return URL(kept) if kept else None

    async def async_step_brave(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for a key of Brave Search."""
        errors, shown, done = await self._with_key(SearchBackend.BRAVE, user_input)
        return done or self.async_show_form(
            step_id="brave",
            data_schema=self._key_schema(SearchBackend.BRAVE),
            errors=errors,
            description_placeholders=shown,
        )

    async def async_step_tavily(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for a key of Tavily."""
        errors, shown, done = await self._with_key(SearchBackend.TAVILY, user_input)
        return done or self.async_show_form(
            step_id="tavily",
            data_schema=self._key_schema(SearchBackend.TAVILY),
            errors=errors,
            description_placeholders=shown,
        )

    async def _with_key(
        self, backend: SearchBackend, user_input: dict[str, Any] | None
    ) -> tuple[dict[str, str], dict[str, str], SubentryFlowResult | None]:
        """Try a key. Return errors and words for the form, or what ends the flow."""
        errors: dict[str, str] = {}
        shown = {"problem": "", "keys_url": KEYS_URLS[backend]}
        if user_input is None:
            return errors, shown, None
        # A key that is kept is never shown; an empty field leaves it as it is.
        key = user_input.get(CONF_API_KEY, "").strip() or self._kept(backend).get(
            CONF_API_KEY, ""
        )
        if not KEY.fullmatch(key):
            errors[CONF_API_KEY] = "api_key_invalid"
            return errors, shown, None
        data = {CONF_BACKEND: backend.value, CONF_API_KEY: key}
        try:
            await async_trial(self.hass, SUBENTRY_WEB_SEARCH, data)
        except TrialError as err:
            errors, words = trial_problem(err, {CONF_API_KEY})
            return errors, shown | words, None
        return errors, shown, self._keep(backend, data)

    def _key_schema(self, backend: SearchBackend) -> probatio.Schema:
        kept = self._kept(backend)
        field = probatio.Optional if kept.get(CONF_API_KEY) else probatio.Required
        return probatio.Schema({field(CONF_API_KEY): SECRET_FIELD})

    def _kept(self, backend: SearchBackend) -> Mapping[str, str]:
        """Return what is kept for a backend; nothing if another one searches now."""
        if self.source == SOURCE_USER:
            return {}
        kept = self._get_reconfigure_subentry().data
        return kept if kept.get(CONF_BACKEND) == backend.value else {}

    def _keep(
        self, backend: SearchBackend, data: Mapping[str, str]
    ) -> SubentryFlowResult:
        if self.source == SOURCE_USER:
            self.stop_if_there_is_one()
            return self.async_create_entry(
                title=TITLES[backend], data=data, unique_id=SUBENTRY_WEB_SEARCH
            )
        # Replaced, not merged: the key of a service that is used no more is not kept.
        return self.async_update_and_abort(
            self._get_entry(),
            self._get_reconfigure_subentry(),
            data=data,
            title=TITLES[backend],
        )
