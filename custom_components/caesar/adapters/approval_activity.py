"""Activity's lines about approvals: what was asked, and who said what."""

from collections.abc import Callable, Coroutine
from typing import Any, Final

from homeassistant.core import Context, HomeAssistant

from ..const import DEFAULT_TITLE, EVENT_APPROVAL_DECIDED, EVENT_APPROVAL_REQUESTED
from ..policy.call import tool_id
from ..sentinel.approvals import PendingApproval, Standing
from .activity_seal import SEAL, seal
from .facts import HouseFacts
from .users import Users

_NAMES: Final = 5
_LENGTH: Final = 100
_DECIDED: Final = frozenset({Standing.APPROVED, Standing.DENIED, Standing.EXPIRED})

type Spawn = Callable[[Coroutine[Any, Any, None], str], object]


class ApprovalActivity:
    """Fires sealed events, with names and results, never ids or words."""

    def __init__(
        self, hass: HomeAssistant, facts: HouseFacts, users: Users, spawn: Spawn
    ) -> None:
        """Fire in this Home Assistant."""
        self._hass = hass
        self._facts = facts
        self._users = users
        self._spawn = spawn

    def changed(self, pending: PendingApproval) -> None:
        """Tell of a question that was asked or decided."""
        if pending.standing is Standing.WAITING or pending.standing in _DECIDED:
            self._spawn(self._tell(pending), "caesar approval activity")

    async def _tell(self, pending: PendingApproval) -> None:
        caller = pending.caller
        state = self._hass.states.get(caller.agent_id)
        names = self._facts.names(pending)
        data: dict[str, Any] = {
            "agent": state.name[:_LENGTH] if state else DEFAULT_TITLE,
            "tool": tool_id(pending.call)[:_LENGTH],
            "names": names[:_NAMES],
            "count": len(names),
            "decision_id": pending.decision_id,
            "origin": caller.origin.value,
        }
        context = Context(
            user_id=self._users.acting_id(caller.origin, caller.user_id),
            parent_id=caller.context_id,
        )
        if pending.standing is Standing.WAITING:
            self._fire_requested(data, context)
            return
        data |= {
            "verdict": pending.standing.value,
            "by": (await self._facts.user_name(pending.decided_by))[:_LENGTH],
            "via": pending.via.value if pending.via else None,
        }
        self._fire_decided(data, context)

    def _fire_requested(self, data: dict[str, Any], context: Context) -> None:
        data[SEAL] = seal(self._hass, EVENT_APPROVAL_REQUESTED, context.id, data)
        self._hass.bus.async_fire(EVENT_APPROVAL_REQUESTED, data, context=context)

    def _fire_decided(self, data: dict[str, Any], context: Context) -> None:
        data[SEAL] = seal(self._hass, EVENT_APPROVAL_DECIDED, context.id, data)
        self._hass.bus.async_fire(EVENT_APPROVAL_DECIDED, data, context=context)
