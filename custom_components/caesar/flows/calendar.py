"""Reading a calendar server (CalDAV, RFC 4791): the account, then its calendars."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.config_entries import SOURCE_USER, SubentryFlowResult
from homeassistant.helpers.selector import SelectOptionDict, TextSelector
import probatio
from yarl import URL

from ..adapters.worker_trial import TrialError
from ..const import (
    CONF_CALENDARS,
    CONF_PASSWORD,
    CONF_URL,
    CONF_USERNAME,
    SUBENTRY_CALENDAR,
)
from ..wording import one_line
from .subentry import (
    SECRET_FIELD,
    URL_FIELD,
    HouseSubentryFlow,
    choice,
    needs_https,
    web_url,
)
from .trial import async_trial, trial_problem

# The addresses that these services give out for CalDAV.
ICLOUD_URL: Final = "https://caldav.icloud.com/"
FASTMAIL_URL: Final = "https://caldav.fastmail.com/dav/"
# Below the address of any Nextcloud.
NEXTCLOUD_PATH: Final = "remote.php/dav"
PRESETS: Final = ("icloud", "nextcloud", "fastmail", "other")
MAX_TEXT: Final = 256
MAX_CALENDARS: Final = 50


class CalendarFlow(HouseSubentryFlow):
    """Add a calendar account, or change it."""

    def __init__(self) -> None:
        """Start with nothing chosen."""
        self._data: dict[str, Any] = {}
        self._calendars: tuple[str, ...] = ()

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask where the calendar is."""
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        self.stop_if_there_is_one()
        return self.async_show_menu(step_id="user", menu_options=list(PRESETS))

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the account again; a password that isn't typed stays."""
        self.house  # noqa: B018 ends the flow while CAESAR isn't running
        errors, shown, done = await self._account(user_input, None)
        return done or self.async_show_form(
            step_id="reconfigure",
            data_schema=self._schema(with_url=True, user_input=user_input),
            errors=errors,
            description_placeholders=shown,
            last_step=False,
        )

    async def async_step_icloud(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for an Apple account and its app password."""
        errors, shown, done = await self._account(user_input, ICLOUD_URL)
        return done or self.async_show_form(
            step_id="icloud",
            data_schema=self._schema(with_url=False, user_input=user_input),
            errors=errors,
            description_placeholders={
                **shown,
                "passwords_url": "https://account.apple.com/account/manage",
            },
            last_step=False,
        )

    async def async_step_fastmail(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for a Fastmail account and its app password."""
        errors, shown, done = await self._account(user_input, FASTMAIL_URL)
        return done or self.async_show_form(
            step_id="fastmail",
            data_schema=self._schema(with_url=False, user_input=user_input),
            errors=errors,
            description_placeholders={
                **shown,
                "passwords_url": "https://app.fastmail.com/settings/security",
            },
            last_step=False,
        )

    async def async_step_nextcloud(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the address of a Nextcloud, the account and its app password."""
        if user_input is not None:
            user_input = {
                **user_input,
                CONF_URL: nextcloud_url(user_input[CONF_URL]),
            }
        errors, shown, done = await self._account(user_input, None)
        return done or self.async_show_form(
            step_id="nextcloud",
            data_schema=self._schema(with_url=True, user_input=user_input),
            errors=errors,
            description_placeholders=shown,
            last_step=False,
        )

    async def async_step_other(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the address of any CalDAV server and the account."""
        errors, shown, done = await self._account(user_input, None)
        return done or self.async_show_form(
            step_id="other",
            data_schema=self._schema(with_url=True, user_input=user_input),
            errors=errors,
            description_placeholders=shown,
            last_step=False,
        )

    async def async_step_calendars(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask which of the account's calendars are read."""
        errors: dict[str, str] = {}
        shown = {"problem": ""}
        if user_input is not None:
            chosen = [name for name in user_input.get(CONF_CALENDARS, ()) if name]
            data = {**self._data, CONF_CALENDARS: chosen}
            if len(chosen) > MAX_CALENDARS:
                errors[CONF_CALENDARS] = "too_many_calendars"
            elif set(chosen) <= set(self._calendars):
                return self._keep(data)
            else:
                try:
                    await self._try(data)
                except TrialError as err:
                    errors, shown = trial_problem(err, {CONF_CALENDARS})
                else:
                    return self._keep(data)
        options = [
            SelectOptionDict(value=name, label=one_line(name))
            for name in self._calendars
        ]
        kept = self._kept().get(CONF_CALENDARS, [])
        return self.async_show_form(
            step_id="calendars",
            data_schema=self.add_suggested_values_to_schema(
                probatio.Schema(
                    {
                        probatio.Optional(CONF_CALENDARS): choice(
                            options, multiple=True, free=not options
                        )
                    }
                ),
                user_input or {CONF_CALENDARS: kept},
            ),
            errors=errors,
            description_placeholders=shown,
            last_step=True,
        )

    async def _account(
        self, user_input: dict[str, Any] | None, preset: str | None
    ) -> tuple[dict[str, str], dict[str, str], SubentryFlowResult | None]:
        """Try an account. Return errors and words for the form, or the next step."""
        errors: dict[str, str] = {}
        shown = {"problem": ""}
        if user_input is None:
            return errors, shown, None
        url = web_url(preset or user_input[CONF_URL])
        username = user_input[CONF_USERNAME].strip()
        password = user_input.get(CONF_PASSWORD, "") or self._kept().get(
            CONF_PASSWORD, ""
        )
        if url is None:
            errors[CONF_URL] = "url_invalid"
        elif needs_https(str(url)):
            errors[CONF_URL] = "url_needs_https"
        if not username or len(username) > MAX_TEXT:
            errors[CONF_USERNAME] = "username_invalid"
        if not password or len(password) > MAX_TEXT or not password.isprintable():
            errors[CONF_PASSWORD] = "password_invalid"
        if url is None or errors:
            return errors, shown, None
        if self._sends_elsewhere(url) and not user_input.get(CONF_PASSWORD):
            errors[CONF_PASSWORD] = "password_again"
            return errors, shown, None
        self._data = {
            CONF_URL: str(url),
            CONF_USERNAME: username,
            CONF_PASSWORD: password,
        }
        try:
            self._calendars = await self._try({**self._data, CONF_CALENDARS: []})
        except TrialError as err:
            return *trial_problem(err, user_input), None
        return errors, shown, await self.async_step_calendars()

    def _schema(
        self, *, with_url: bool, user_input: Mapping[str, Any] | None
    ) -> probatio.Schema:
        """Return the form of an account; it never shows a password again."""
        is_kept = bool(self._kept().get(CONF_PASSWORD))
        password = probatio.Optional if is_kept else probatio.Required
        fields: dict[Any, Any] = {
            **({probatio.Required(CONF_URL): URL_FIELD} if with_url else {}),
            probatio.Required(CONF_USERNAME): TextSelector(),
            password(CONF_PASSWORD): SECRET_FIELD,
        }
        shown = {
            key: value
            for key, value in (user_input or self._kept()).items()
            if key in (CONF_URL, CONF_USERNAME)
        }
        return self.add_suggested_values_to_schema(probatio.Schema(fields), shown)

    def _kept(self) -> Mapping[str, Any]:
        if self.source == SOURCE_USER:
            return {}
        return self._get_reconfigure_subentry().data

    def _sends_elsewhere(self, url: URL) -> bool:
        """Return whether a kept password would go to a server it wasn't typed for."""
        kept = self._kept().get(CONF_URL)
        return kept is not None and URL(kept).origin() != url.origin()

    async def _try(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        """Try an account; return the names of its calendars. Raises TrialError."""
        found = await async_trial(self.hass, SUBENTRY_CALENDAR, data)
        names = found.get(CONF_CALENDARS)
        if not isinstance(names, (list, tuple)):
            return ()
        said = dict.fromkeys(name for name in names if isinstance(name, str) and name)
        return tuple(said)[:MAX_CALENDARS]

    def _keep(self, data: Mapping[str, Any]) -> SubentryFlowResult:
        title = URL(data[CONF_URL]).host or ""
        if self.source == SOURCE_USER:
            self.stop_if_there_is_one()
            return self.async_create_entry(
                title=title, data=data, unique_id=SUBENTRY_CALENDAR
            )
        return self.async_update_and_abort(
            self._get_entry(),
            self._get_reconfigure_subentry(),
            data=data,
            title=title,
        )


def nextcloud_url(typed: str) -> str:
    """Return the CalDAV address of a Nextcloud from the one that a person knows."""
    url = web_url(typed)
    if url is None or NEXTCLOUD_PATH in url.path:
        return typed
    path = url.path.rstrip("/").removesuffix("/index.php")
    return str(url.with_path(f"{path}/{NEXTCLOUD_PATH}"))
