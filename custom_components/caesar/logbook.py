"""Activity: CAESAR's events in words; what CAESAR did not fire is said to be so."""

from collections.abc import Callable
from typing import Any

from homeassistant.components.logbook.const import (
    LOGBOOK_ENTRY_ICON,
    LOGBOOK_ENTRY_MESSAGE,
    LOGBOOK_ENTRY_NAME,
)
from homeassistant.components.logbook.models import LazyEventPartialState
from homeassistant.core import HomeAssistant, callback

from .adapters.activity_seal import is_sealed
from .adapters.activity_words import message, unsealed
from .const import (
    DEFAULT_TITLE,
    DOMAIN,
    EVENT_APPROVAL_DECIDED,
    EVENT_APPROVAL_REQUESTED,
    EVENT_TOOL_CALLED,
    EVENT_TOOL_DENIED,
    EVENT_TOOL_FAILED,
)

_ICONS = {
    EVENT_TOOL_CALLED: "mdi:robot",
    EVENT_TOOL_FAILED: "mdi:robot-dead",
    EVENT_TOOL_DENIED: "mdi:robot-off",
    EVENT_APPROVAL_REQUESTED: "mdi:account-question",
    EVENT_APPROVAL_DECIDED: "mdi:account-check",
}

type _Describe = Callable[[LazyEventPartialState], dict[str, Any]]


@callback
def async_describe_events(
    hass: HomeAssistant,
    async_describe_event: Callable[[str, str, _Describe], None],
) -> None:
    """Say how each of CAESAR's events reads."""

    @callback
    def describe(event: LazyEventPartialState) -> dict[str, Any]:
        kind = str(event.event_type)
        sealed = is_sealed(hass, kind, event.context_id, event.data)
        if not sealed:
            return {
                LOGBOOK_ENTRY_NAME: DEFAULT_TITLE,
                LOGBOOK_ENTRY_MESSAGE: unsealed(hass, known=sealed is False),
                LOGBOOK_ENTRY_ICON: "mdi:alert",
            }
        # No entity id: the frontend would put its name in the place of the agent's.
        return {
            LOGBOOK_ENTRY_NAME: event.data["agent"],
            LOGBOOK_ENTRY_MESSAGE: message(hass, kind, event.data),
            LOGBOOK_ENTRY_ICON: _ICONS[kind],
        }

    for event_type in _ICONS:
        async_describe_event(DOMAIN, event_type, describe)
