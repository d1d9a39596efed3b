"""A command for later with all that it comes back with, as a value and on the disk."""

from collections.abc import Mapping
from dataclasses import dataclass
import json
from typing import Any

from ..audit import plans
from ..audit.plans import KeptPlan
from ..audit.store import Store
from ..legion.canonical import canonical_json
from ..policy.caller import Caller, Origin
from ..turn import Taint, ToolScope
from .audit_log import HouseAuditLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A command that somebody gave for later.

    `given_at` and `due_at` in unix seconds; `given_in` is the turn in which it was given, `taint` and
    `tools` are what that turn had: it comes back with no less of the one and no more of
    the other.
    """

    id: str
    command: str
    given_at: float
    due_at: float
    language: str
    caller: Caller
    given_in: str
    tools: ToolScope
    taint: frozenset[Taint]


class PlanStore:
    """Puts, takes and loads planned commands."""

    def __init__(self, audit: HouseAuditLog) -> None:
        """Work in the thread of the trail's writer."""
        self._audit = audit

    async def put(self, planned: Planned) -> None:
        """Keep a command; it is on the disk on return. Raises AuditUnavailable."""
        vault = self._audit.vault

        def work(store: Store) -> None:
            kept = KeptPlan(
                plan_id=planned.id, due_at=planned.due_at, plain=_to_bytes(planned)
            )
            plans.put(store, vault, kept)

        await self._audit.async_work(work, durable=True)

    async def take(self, plan_id: str) -> bool:
        """Delete a command; True for the one who took it. Raises AuditUnavailable."""
        return await self._audit.async_work(
            lambda store: plans.take(store, plan_id), durable=True
        )

    async def load(self) -> tuple[Planned, ...]:
        """Return all that is kept, the next one first. Raises AuditUnavailable."""
        vault = self._audit.vault

        def work(store: Store) -> tuple[Planned, ...]:
            found: list[Planned] = []
            for kept in plans.load(store, vault):
                try:
                    found.append(_from_bytes(kept))
                except KeyError, TypeError, ValueError:
                    # Sealed by a version that wrote it otherwise.
                    plans.take(store, kept.plan_id)
            return tuple(found)

        return await self._audit.async_work(work, durable=True)


def _to_bytes(planned: Planned) -> bytes:
    return canonical_json(
        {
            "command": planned.command,
            "given_at": planned.given_at,
            "language": planned.language,
            "caller": planned.caller.as_json(),
            "given_in": planned.given_in,
            "tools": planned.tools.value,
            "taint": sorted(planned.taint),
        }
    ).encode()


def _from_bytes(kept: KeptPlan) -> Planned:
    """Return what was kept. Raises KeyError, TypeError and ValueError."""
    raw: Mapping[str, Any] = json.loads(kept.plain)
    caller = raw["caller"]
    return Planned(
        id=kept.plan_id,
        command=str(raw["command"]),
        given_at=float(raw["given_at"]),
        due_at=kept.due_at,
        language=str(raw["language"]),
        caller=Caller(**{**caller, "origin": Origin(caller["origin"])}),
        given_in=str(raw["given_in"]),
        tools=ToolScope(raw["tools"]),
        taint=frozenset(Taint(each) for each in raw["taint"]),
    )
