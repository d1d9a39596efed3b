"""Parked turns on disk, in CAESAR's file, sealed under the house's key.

Turning a turn into bytes and back, too, is done in the writer's thread.
"""

from collections.abc import Collection
import logging
from pathlib import Path

from homeassistant.core import HomeAssistant

from ..audit import checkpoints
from ..audit.checkpoints import KeptTurn
from ..audit.event import AuditUnavailable
from ..audit.store import Store
from ..brain.checkpoint import Checkpoint, from_bytes, to_bytes
from ..brain.codec import CodecError
from ..const import DATA_FOLDER, DATABASE_FILE
from .audit_log import HouseAuditLog

_LOGGER = logging.getLogger(__name__)


class ParkedStore:
    """Puts, takes and forgets checkpoints. Never raises; says when it could not."""

    def __init__(self, audit: HouseAuditLog) -> None:
        """Work in the thread of the trail's writer."""
        self._audit = audit

    async def put(self, checkpoint: Checkpoint, approval_id: str) -> bool:
        """Keep a turn that waits for this answer; it is on the disk on return."""
        vault = self._audit.vault
        kept = KeptTurn(
            decision_id=checkpoint.decision_id,
            approval_id=approval_id,
            created_at=checkpoint.created_at,
            expires_at=checkpoint.expires_at,
        )
        try:
            await self._audit.async_work(
                lambda store: checkpoints.put(store, vault, kept, to_bytes(checkpoint)),
                durable=True,
            )
        except AuditUnavailable as err:
            _LOGGER.warning("A turn that waits for an answer can't be kept: %s", err)
            return False
        return True

    async def take(
        self, decision_id: str, approval_id: str
    ) -> tuple[Checkpoint | None, str]:
        """Return a turn, marked on disk as taken up; else None and why."""
        vault = self._audit.vault

        def work(store: Store) -> tuple[Checkpoint | None, str]:
            taken = checkpoints.take(store, vault, decision_id, approval_id)
            if taken is None:
                return None, "taken_up_before"
            try:
                return from_bytes(taken.plain or b""), ""
            except CodecError:
                return None, "unreadable"

        try:
            return await self._audit.async_work(work, durable=True)
        except AuditUnavailable as err:
            _LOGGER.warning("A turn that waits can't be taken up: %s", err)
            return None, "audit_unavailable"

    async def load(self) -> tuple[KeptTurn, ...] | None:
        """Return all that is kept, oldest first; None if that can't be read now."""
        try:
            return await self._audit.async_work(checkpoints.load)
        except AuditUnavailable as err:
            _LOGGER.warning("Turns that wait for an answer can't be read: %s", err)
            return None

    async def forget(self, decision_id: str, approval_id: str) -> None:
        """Delete a turn's row of one question; that of a later one stays."""
        try:
            await self._audit.async_work(
                lambda store: checkpoints.forget(store, decision_id, approval_id)
            )
        except AuditUnavailable as err:
            # It is marked as taken up, so it can't run again.
            _LOGGER.warning("A turn that is over can't be forgotten: %s", err)

    async def forget_all(self, approval_ids: Collection[str]) -> int:
        """Delete the turns that wait for these; return how many there were.

        Raises AuditUnavailable.
        """
        return await self._audit.async_work(
            lambda store: checkpoints.forget_all(store, approval_ids), durable=True
        )


async def async_erase_waiting(hass: HomeAssistant) -> None:
    """Delete what waits and what was said, when CAESAR's entry is removed.

    Raises sqlite3.Error, OSError and FileDamaged.
    """
    path = Path(hass.config.path(DATA_FOLDER, DATABASE_FILE))
    await hass.async_add_executor_job(checkpoints.erase, path)
