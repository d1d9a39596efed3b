"""Settings of a tool are tried before they are kept; what is wrong is said in words."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, Final

from homeassistant.config_entries import ConfigSubentry
from homeassistant.core import HomeAssistant

from ..adapters.local_settings import environment_of
from ..adapters.worker_trial import TrialError, async_try_settings
from ..const import CONF_API_KEY, CONF_CALENDARS, CONF_MODEL, CONF_PASSWORD, CONF_URL
from ..legion.canonical import Json
from ..wording import one_line

# What the forms have words of their own for, and the field these are said at. All else
# is said in the tool's words.
FIELDS: Final[Mapping[str, str]] = {
    "auth": CONF_PASSWORD,
    "bad_answer": CONF_URL,
    "bad_key": CONF_API_KEY,
    "certificate": CONF_URL,
    "forbidden": "base",
    "json_off": CONF_URL,
    "moved_away": CONF_URL,
    "no_calendars": "base",
    "no_model": CONF_MODEL,
    "no_such_calendar": CONF_CALENDARS,
    "not_caldav": CONF_URL,
    "not_found": CONF_URL,
    "plan_limit": CONF_API_KEY,
    "rate": "base",
    "timeout": "base",
    "tls": CONF_URL,
    "unreachable": "base",
}
OTHER: Final = "not_working"


async def async_trial(
    hass: HomeAssistant, kind: str, data: Mapping[str, Any]
) -> Mapping[str, Json]:
    """Start a tool with the data of its subentry and ask it one harmless thing.

    Returns what it answered. Raises TrialError.
    """
    trial = ConfigSubentry(
        data=MappingProxyType(dict(data)), subentry_type=kind, title="", unique_id=None
    )
    return await async_try_settings(hass, kind, environment_of(trial))


def trial_problem(
    err: TrialError, fields: Collection[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return a form's errors and placeholders for what is wrong.

    `fields` are those of the form; what belongs to none of them is said above it.
    Errors are shown as they are, without markup.
    """
    at = FIELDS.get(err.key, "base")
    key = f"trial_{err.key}" if err.key in FIELDS else OTHER
    return {at if at in fields else "base": key}, {"problem": one_line(err.message)}
