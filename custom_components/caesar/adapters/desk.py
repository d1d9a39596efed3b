"""The approval desk's ground in this house: its file, its rows in the trail."""

from collections.abc import Callable, Collection
import json
import logging
from typing import Any, Final

from ..audit import pending as rows
from ..audit.event import AuditEvent, AuditEventType, AuditLog, AuditUnavailable
from ..audit.pending import PendingRow
from ..audit.store import Store
from ..audit.vault import VaultError
from ..legion.canonical import Json, canonical_json
from ..policy.call import tool_id
from ..sentinel.approvals import Facts, PendingApproval, Standing
from ..sentinel.desk_parts import DeskEvent
from ..sentinel.ledger import StoreUnavailable
from ..sentinel.written import NotAQuestion, from_json, to_json
from .audit_log import HouseAuditLog

_LOGGER = logging.getLogger(__name__)

_TYPES: Final = {
    DeskEvent.REQUESTED: AuditEventType.APPROVAL_REQUESTED,
    DeskEvent.DECIDED: AuditEventType.APPROVAL_DECIDED,
    DeskEvent.REJECTED: AuditEventType.APPROVAL_REJECTED,
}


class PendingStore:
    """Implements `ApprovalStore` in CAESAR's file, sealed; all off the event loop."""

    def __init__(self, audit: HouseAuditLog) -> None:
        """Use the writer of the trail, which is the only one of the file."""
        self._audit = audit

    async def add(self, pending: PendingApproval) -> None:
        """Keep a new question."""
        row = self._row(pending)
        await self._work(lambda store: rows.add(store.database.connection, row))

    async def change(self, pending: PendingApproval, expected: Standing) -> bool:
        """Write a new standing by one compare-and-set."""
        row = self._row(pending)
        return await self._work(
            lambda store: rows.change(store.database.connection, row, expected.value)
        )

    async def load(self) -> tuple[PendingApproval, ...]:
        """Return what opens and is what it says; the rest can't lead to anything."""
        kept = await self._work(lambda store: rows.load(store.database.connection))
        return tuple(
            pending for row in kept if (pending := self._open(row)) is not None
        )

    async def forget(self, ids: Collection[str]) -> None:
        """Remove these."""
        await self._work(lambda store: rows.forget(store.database.connection, ids))

    async def _work[T](self, work: Callable[[Store], T]) -> T:
        try:
            return await self._audit.async_work(work, durable=True)
        except AuditUnavailable as err:
            raise StoreUnavailable(str(err)) from err

    def _row(self, pending: PendingApproval) -> PendingRow:
        plain = canonical_json(to_json(pending)).encode()
        return PendingRow(
            id=pending.id,
            standing=pending.standing.value,
            created_at=pending.created_at,
            expires_at=pending.expires_at,
            decided_at=pending.decided_at,
            sealed=self._audit.vault.seal(plain, _aad(pending.id)),
        )

    def _open(self, row: PendingRow) -> PendingApproval | None:
        """Return the question of a row; None if anybody but CAESAR has changed it."""
        try:
            plain = self._audit.vault.open(row.sealed, _aad(row.id))
            pending = from_json(json.loads(plain))
        except (VaultError, NotAQuestion, ValueError) as err:
            _LOGGER.error("A kept question can't be used: %s", err)
            return None
        clear = (row.id, row.standing, row.created_at, row.expires_at)
        sealed = (pending.id, pending.standing, pending.created_at, pending.expires_at)
        if clear != sealed:
            _LOGGER.error("A kept question was changed from outside; it is ignored")
            return None
        return pending


class HouseDeskTrail:
    """Implements `DeskTrail`: the rows approval.requested, decided and rejected."""

    def __init__(self, audit: AuditLog, revision: Callable[[], str]) -> None:
        """Write to this trail, under the revision of the policy in force."""
        self._audit = audit
        self._revision = revision

    async def note(
        self, event: DeskEvent, pending: PendingApproval | None, more: Facts
    ) -> None:
        """Write one row; the caller is the one who asked, never who answered."""
        payload: dict[str, Json] = dict(more)
        if pending is not None:
            payload = _facts(pending) | payload
        try:
            await self._audit.record(
                AuditEvent(
                    type=_TYPES[event],
                    decision_id=pending.decision_id if pending else "",
                    caller=pending.caller if pending else None,
                    policy_rev=self._revision(),
                    payload=payload,
                )
            )
        except AuditUnavailable:
            # The trail keeps it and writes it when it can.
            _LOGGER.warning("A row about an approval could not be written now")


def _facts(pending: PendingApproval) -> dict[str, Any]:
    asked, decided = pending.created_at, pending.decided_at
    return {
        "approval_id": pending.id,
        "tool": tool_id(pending.call),
        "args_hash": pending.args_hash,
        "digest": pending.digest,
        "entities": list(pending.entities),
        "impact": pending.impact.name.lower(),
        "because": pending.why.code.value,
        "rule": pending.rule.name if pending.rule else None,
        "approvers": len(pending.terms.approvers),
        "asked_at": asked,
        "expires_at": pending.expires_at,
        "latency_s": round(decided - asked, 1) if decided is not None else None,
    }


def _aad(approval_id: str) -> bytes:
    return f"pending_approvals|1|{approval_id}".encode()
