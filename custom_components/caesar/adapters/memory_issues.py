"""The repair issue of a conversation that could not be read."""

from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN

UNREADABLE: Final = "memory_unreadable"


@callback
def async_unreadable(hass: HomeAssistant) -> None:
    """Say that a conversation starts anew: its key is lost, or somebody changed it."""
    ir.async_create_issue(
        hass,
        DOMAIN,
        UNREADABLE,
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key=UNREADABLE,
    )


@callback
def async_readable(hass: HomeAssistant) -> None:
    """Take that back, once everything was erased."""
    ir.async_delete_issue(hass, DOMAIN, UNREADABLE)
