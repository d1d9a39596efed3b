"""Where a question of another agent's can be answered without any phone."""

from collections.abc import Callable
from typing import Final

from ..policy.caller import Origin
from ..sentinel.answering import is_approver
from ..sentinel.approvals import PendingApproval, Reached
from .users import Users

CHANNEL: Final = "actions"


class AgentChannel:
    """Implements `Channel` for an agent that acts for somebody who may approve.

    They sit at a screen. Home Assistant tells them that something waits, and they
    answer by the actions: never by words that go through that agent.
    """

    def __init__(self, users: Users, on_put: Callable[[PendingApproval], None]) -> None:
        """Tell `on_put` of each question that somebody can answer this way."""
        self._users = users
        self._on_put = on_put

    async def ask(self, pending: PendingApproval) -> Reached | None:
        """Return that the user of the agent can answer, if they may."""
        caller = pending.caller
        if caller.origin is not Origin.AGENT or caller.user_id is None:
            return None
        user = await self._users.async_learn(caller.user_id)
        if (
            user is None
            or not user.is_active
            or not is_approver(pending, user.id, is_admin=user.is_admin)
        ):
            return None
        self._on_put(pending)
        return Reached(channel=CHANNEL, people=(user.name,) if user.name else ())

    async def settled(self, pending: PendingApproval) -> None:
        """Change nothing: there is no card to take back."""
