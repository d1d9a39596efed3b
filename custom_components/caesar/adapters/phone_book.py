"""Whose phone is whose: the companion app's entries, each with its owner's user id."""

from dataclasses import dataclass
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.util import slugify

# Of the integration mobile_app, which need not be installed.
_MOBILE_APP: Final = "mobile_app"
_USER: Final = "user_id"
_NAME: Final = "device_name"
_APP_DATA: Final = "app_data"
_PUSH: Final = frozenset({"push_url", "push_websocket_channel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """A phone that can be told something; `service` is its action of `notify`."""

    entry_id: str
    user_id: str
    name: str
    service: str


def phones_of(hass: HomeAssistant, user_id: str) -> tuple[Phone, ...]:
    """Return the phones of a user that can be told something now."""
    found = (phone_of(hass, entry.entry_id) for entry in _entries(hass))
    return tuple(phone for phone in found if phone and phone.user_id == user_id)


def phone_of(hass: HomeAssistant, entry_id: str) -> Phone | None:
    """Return the phone of an entry; None if it can't be told anything.

    Home Assistant names the action after the device. Where the phones of two people
    would share it, nobody knows whose phone would ring: neither is told anything.
    """
    entries = {entry.entry_id: entry for entry in _entries(hass)}
    entry = entries.get(entry_id)
    if entry is None or entry.state is not ConfigEntryState.LOADED:
        return None
    service, user_id = _service(entry), entry.data.get(_USER)
    app_data = entry.data.get(_APP_DATA)
    if (
        not isinstance(user_id, str)
        or not isinstance(app_data, dict)
        or not _PUSH & app_data.keys()
        or not hass.services.has_service("notify", service)
        or any(
            other.data.get(_USER) != user_id
            for other in entries.values()
            if _service(other) == service
        )
    ):
        return None
    return Phone(
        entry_id=entry_id,
        user_id=user_id,
        name=str(entry.data.get(_NAME, "")),
        service=service,
    )


def _entries(hass: HomeAssistant) -> list[ConfigEntry[Any]]:
    return hass.config_entries.async_entries(_MOBILE_APP, include_ignore=False)


def _service(entry: ConfigEntry[Any]) -> str:
    return slugify(f"{_MOBILE_APP}_{entry.data.get(_NAME, '')}")
