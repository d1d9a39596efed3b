"""The settings of the local worker's tools, as its process reads them (SPEC L-1)."""

from collections.abc import Mapping
import json
from typing import Final

from homeassistant.config_entries import ConfigSubentry

from ..const import (
    CONF_API_KEY,
    CONF_BACKEND,
    CONF_CALENDARS,
    CONF_MODEL,
    CONF_PASSWORD,
    CONF_URL,
    CONF_USERNAME,
    SUBENTRY_CALENDAR,
    SUBENTRY_RECALL,
    SUBENTRY_WEB_SEARCH,
    SearchBackend,
)

_SEARCH: Final = "CAESAR_TOOLS__WEB_SEARCH__"
_RECALL: Final = "CAESAR_TOOLS__RECALL__"
_CALENDAR: Final = "CAESAR_TOOLS__CALENDAR__"
_KEYS: Final[Mapping[SearchBackend, tuple[str, str]]] = {
    SearchBackend.SEARXNG: (CONF_URL, "SEARXNG_URL"),
    SearchBackend.BRAVE: (CONF_API_KEY, "BRAVE_API_KEY"),
    SearchBackend.TAVILY: (CONF_API_KEY, "TAVILY_API_KEY"),
}
# The subentries that give a tool of the local worker its settings; a tool and its
# subentry have one name.
TOOLS_WITH_SETTINGS: Final = (SUBENTRY_WEB_SEARCH, SUBENTRY_CALENDAR)


def environment_of(subentry: ConfigSubentry) -> dict[str, str]:
    """Return a tool's settings as variables; empty for a subentry of another kind.

    They hold secrets, and go nowhere but into the environment of the process.
    """
    data = subentry.data
    if subentry.subentry_type == SUBENTRY_WEB_SEARCH:
        backend = SearchBackend(data[CONF_BACKEND])
        key, name = _KEYS[backend]
        return {
            f"{_SEARCH}BACKEND": backend.value,
            f"{_SEARCH}{name}": str(data[key]),
        }
    if subentry.subentry_type == SUBENTRY_CALENDAR:
        return {
            f"{_CALENDAR}CALDAV_URL": str(data[CONF_URL]),
            f"{_CALENDAR}USERNAME": str(data[CONF_USERNAME]),
            f"{_CALENDAR}PASSWORD": str(data[CONF_PASSWORD]),
            f"{_CALENDAR}CALENDAR_NAMES": json.dumps(
                list(data.get(CONF_CALENDARS, ()))
            ),
        }
    if subentry.subentry_type == SUBENTRY_RECALL:
        given = {
            "EMBEDDER": data[CONF_BACKEND],
            "URL": data.get(CONF_URL),
            "MODEL": data.get(CONF_MODEL),
            "KEY": data.get(CONF_API_KEY),
        }
        return {f"{_RECALL}{key}": str(each) for key, each in given.items() if each}
    return {}
