"""What the forms of workers and tools share: the house, its words, who is at it."""

import ipaddress
from typing import Final

from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigEntryState,
    ConfigSubentryFlow,
)
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
from yarl import URL

from ..legion.keys import KeyTextError, public_bytes
from ..runtime import CaesarRuntime
from ..wording import Wording, async_wording
from .steps import user_id_at_form

URL_FIELD: Final = TextSelector(TextSelectorConfig(type=TextSelectorType.URL))
SECRET_FIELD: Final = TextSelector(
    TextSelectorConfig(type=TextSelectorType.PASSWORD, autocomplete="off")
)
MAX_URL: Final = 400


class HouseSubentryFlow(ConfigSubentryFlow):
    """The base of those forms."""

    @property
    def house(self) -> CaesarRuntime:
        """Return the house. Ends the flow if it isn't running."""
        entry = self._get_entry()
        if entry.state is not ConfigEntryState.LOADED:
            raise AbortFlow("entry_not_loaded")
        runtime: CaesarRuntime = entry.runtime_data
        return runtime

    @property
    def by_id(self) -> str | None:
        """Return the id of the user at this form; None if it isn't used over HTTP."""
        return user_id_at_form()

    async def wording(self) -> Wording:
        """Return CAESAR's sentences in the house's language."""
        return await async_wording(self.hass, self.hass.config.language)

    def other_titles(self) -> set[str]:
        """Return the titles of the others of this kind, casefolded, to compare with."""
        own = None if self.source == SOURCE_USER else self._reconfigure_subentry_id
        return {
            each.title.casefold()
            for each in self._get_entry().get_subentries_of_type(self._subentry_type)
            if each.subentry_id != own
        }

    def stop_if_there_is_one(self) -> None:
        """End the flow if the house has a subentry of this kind already."""
        if self._get_entry().get_subentries_of_type(self._subentry_type):
            raise AbortFlow("only_one")


def choice(
    options: list[SelectOptionDict], *, multiple: bool = False, free: bool = False
) -> SelectSelector:
    """Return a list to choose from, all of it to be seen; `free` takes other words."""
    return SelectSelector(
        SelectSelectorConfig(
            options=options,
            multiple=multiple,
            custom_value=free,
            mode=SelectSelectorMode.DROPDOWN if free else SelectSelectorMode.LIST,
        )
    )


def base_url(typed: str) -> str | None:
    """Return an address without a path, as a worker's is written; None if it's none.

    `192.168.1.20:8765` is enough.
    """
    url = web_url(typed)
    if url is None or url.path not in ("", "/") or url.query_string:
        return None
    return str(url.origin())


def web_url(typed: str) -> URL | None:
    """Return what was typed as an http or https address; None if it is none.

    One with a name and a password in it is none: those would be shown and logged.
    """
    text = typed.strip()
    if not text or len(text) > MAX_URL or any(map(str.isspace, text)):
        return None
    try:
        url = URL(text if "://" in text else f"http://{text}")
        bad = url.scheme not in ("http", "https") or not url.host or not url.port
    except ValueError:
        return None
    return None if bad or url.user or url.password or url.fragment else url


def needs_https(address: str) -> bool:
    """Return whether an address leads into the internet without encryption.

    Of a name that can't be told without asking the network; whoever speaks to it looks
    again.
    """
    url = URL(address)
    if url.scheme == "https":
        return False
    try:
        return ipaddress.ip_address(url.host or "").is_global
    except ValueError:
        return False


def is_key(text: str) -> bool:
    """Return whether a text is a public key, its checksum right."""
    try:
        public_bytes(text)
    except KeyTextError:
        return False
    return True
