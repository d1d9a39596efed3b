"""One notification in Home Assistant that something waits, and nothing of what it is.

Every user sees it, and may dismiss it; so it reaches nobody in particular.
"""

from collections.abc import Callable
from typing import Final, Protocol

from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant

from ..sentinel.approvals import PendingApproval
from .facts import HouseFacts

NOTICE_ID: Final = "caesar_approvals"


class Waiting(Protocol):
    """Knows what waits for an answer."""

    def pending(self, session: str | None = None) -> tuple[PendingApproval, ...]:
        """Return it."""


class Notice:
    """Shows the notification while anything waits."""

    def __init__(self, hass: HomeAssistant, facts: HouseFacts) -> None:
        """Show it in this Home Assistant; `async_start` reads its words."""
        self._hass = hass
        self._facts = facts
        self._title = ""
        self._text = ""
        self._shown: frozenset[str] = frozenset()
        self._pending: Callable[[], tuple[PendingApproval, ...]] = tuple

    async def async_start(self, waiting: Waiting) -> None:
        """Show what waits from the start."""
        language = self._hass.config.language
        self._title = await self._facts.text("approval_notice_title", language)
        self._text = await self._facts.text("approval_notice", language)
        self._pending = waiting.pending
        self.changed()

    def async_stop(self) -> None:
        """Take it away: nobody would hear an answer."""
        self._pending = tuple
        self.changed()

    def changed(self) -> None:
        """Show it if something waits, again for what is new; else take it away."""
        waiting = frozenset(pending.id for pending in self._pending())
        if not waiting and self._shown:
            persistent_notification.async_dismiss(self._hass, NOTICE_ID)
        elif waiting - self._shown:
            persistent_notification.async_create(
                self._hass, self._text, self._title, NOTICE_ID
            )
        self._shown = waiting
