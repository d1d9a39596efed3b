"""Tells the house what CAESAR does: events that Activity words for people.

An event carries names and ids, never what somebody said, and the number and hash of
its row in the trail. It is sealed, because any user of a companion app can fire any
event (HA_API 5, measured).
"""

import logging
from typing import Any, Final, Protocol

from homeassistant.core import Context, HomeAssistant, callback

from ..audit.event import AuditRow
from ..const import (
    DEFAULT_TITLE,
    EVENT_TOOL_CALLED,
    EVENT_TOOL_DENIED,
    EVENT_TOOL_FAILED,
)
from ..policy.call import ToolCall, tool_id
from ..policy.caller import Origin
from ..policy.home import HomeView
from ..turn import ToolDecision, ToolOutcome, Turn
from .activity_seal import SEAL, seal

_LOGGER = logging.getLogger(__name__)

_NAMES: Final = 5
_ENTITIES: Final = 20
_LENGTH: Final = 100


class ActingUsers(Protocol):
    """Knows as whom a call goes out."""

    def acting_id(self, origin: Origin, user_id: str | None) -> str:
        """Return a user's id."""


class HouseActivity:
    """The gate's `Activity`: fires events, and never raises."""

    def __init__(self, hass: HomeAssistant, home: HomeView, users: ActingUsers) -> None:
        """Take the house's names and users."""
        self._hass = hass
        self._home = home
        self._users = users

    @callback
    def intended(
        self,
        call: ToolCall,
        decision: ToolDecision,
        turn: Turn,
        row: AuditRow,
        context_id: str,
    ) -> None:
        """Fire `caesar_tool_called`, first of all events with the call's context."""
        data = self._data(call, decision.policy.pinned, turn)
        data |= {"seq": row.seq, "row_hash": row.row_hash}
        self._fire(EVENT_TOOL_CALLED, data, turn, context_id)

    @callback
    def failed(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, context_id: str
    ) -> None:
        """Fire `caesar_tool_failed` for a call that did not do what it should."""
        data = self._data(call, outcome.target, turn) | _why(outcome)
        data["seq"] = outcome.seq
        self._fire(EVENT_TOOL_FAILED, data, turn, context_id)

    @callback
    def denied(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, row: AuditRow | None
    ) -> None:
        """Fire `caesar_tool_denied` for a call that was refused."""
        data = self._data(call, outcome.target, turn) | _why(outcome)
        if row is not None:
            data |= {"seq": row.seq, "row_hash": row.row_hash}
        self._fire(EVENT_TOOL_DENIED, data, turn, None)

    def _data(
        self, call: ToolCall, entities: tuple[str, ...], turn: Turn
    ) -> dict[str, Any]:
        return {
            "agent": self._agent(turn.caller.agent_id),
            "tool": tool_id(call)[:_LENGTH],
            "names": [self._name(entity_id) for entity_id in entities[:_NAMES]],
            "entity_id": [item[:_LENGTH] for item in entities[:_ENTITIES]],
            "count": len(entities),
            "decision_id": turn.decision_id,
            "origin": turn.caller.origin.value,
        }

    def _fire(
        self, event_type: str, data: dict[str, Any], turn: Turn, context_id: str | None
    ) -> None:
        try:
            context = Context(
                user_id=self._users.acting_id(turn.caller.origin, turn.caller.user_id),
                parent_id=turn.caller.context_id,
                id=context_id,
            )
            data[SEAL] = seal(self._hass, event_type, context.id, data)
            self._hass.bus.async_fire(event_type, data, context=context)
        except Exception:
            # What people read afterwards must never stop what is being done.
            _LOGGER.exception("An event for Activity could not be fired")

    def _agent(self, agent_id: str) -> str:
        state = self._hass.states.get(agent_id)
        return state.name[:_LENGTH] if state else DEFAULT_TITLE

    def _name(self, entity_id: str) -> str:
        facts = self._home.entity(entity_id)
        return (facts.name if facts else entity_id)[:_LENGTH]


def _why(outcome: ToolOutcome) -> dict[str, Any]:
    return {"code": outcome.error.code.value if outcome.error else None}
