"""Rows about workers: that one came, went, or said what it must not."""

from collections.abc import Callable, Iterable
import logging
from typing import Final

from homeassistant.core import HomeAssistant, callback

from ..audit.event import AuditEvent, AuditEventType, AuditLog, AuditUnavailable
from ..legion.canonical import Json
from ..policy.decision import Policy

_LOGGER = logging.getLogger(__name__)

# A worker that comes and goes every second, or a hostile one, must not fill the trail.
QUIET_S: Final = 600.0
QUIET_OF_COMING_S: Final = 60.0


class WorkerTrail:
    """Writes at most one row of a kind about a worker in a while.

    What is kept to know that is one number a worker, type and reason; reasons are of a
    fixed list.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        audit: AuditLog,
        policy: Callable[[], Policy],
        clock: Callable[[], float],
    ) -> None:
        """Write into this trail; the clock is in seconds."""
        self._hass = hass
        self._audit = audit
        self._policy = policy
        self._clock = clock
        self._told: dict[tuple[str, AuditEventType, str], float] = {}
        self._left_out: dict[tuple[str, AuditEventType, str], int] = {}

    @callback
    def tell(
        self,
        type_: AuditEventType,
        worker: str,
        payload: dict[str, Json],
        *,
        reason: str = "",
        decision_id: str = "",
    ) -> None:
        """Write a row, unless one of its kind was written just now.

        `worker` is the registry's id of it. The row says how many were left out.
        """
        key, now = (worker, type_, reason), self._clock()
        quiet = (
            QUIET_S if type_ is AuditEventType.WORKER_REJECTED else QUIET_OF_COMING_S
        )
        last = self._told.get(key)
        if last is not None and now - last < quiet:
            self._left_out[key] = self._left_out.get(key, 0) + 1
            return
        self._told[key] = now
        event = AuditEvent(
            type=type_,
            decision_id=decision_id,
            caller=None,
            policy_rev=self._policy().revision,
            payload={
                "worker": worker,
                **({"reason": reason} if reason else {}),
                **payload,
                "left_out": self._left_out.pop(key, 0),
            },
        )
        self._hass.async_create_task(
            self._record(event), f"caesar {type_.value}", eager_start=False
        )

    @callback
    def pinned(self, worker: str, tools: Iterable[str], by: str | None) -> None:
        """Write that a person let a worker serve these tools, and no others.

        `worker` is its key, for it may not be known by an id yet.
        """
        self.tell(
            AuditEventType.SETTINGS_UPDATED,
            worker,
            {"key": "worker.tools", "tools": sorted(tools), "by": by},
            reason="pinned",
        )

    async def _record(self, event: AuditEvent) -> None:
        try:
            await self._audit.record(event)
        except AuditUnavailable:
            _LOGGER.warning("%s could not be written to the trail", event.type.value)
