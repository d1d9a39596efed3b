"""What the gate stands on."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from .audit.event import AuditLog, AuditRow
from .policy.call import ToolCall
from .policy.decision import Policy
from .policy.home import ConditionChecker, HomeView
from .sentinel.allowances import Allowances
from .sentinel.guard import Approver
from .sentinel.sentinel import Sentinel
from .tool import Toolbox
from .turn import ToolDecision, ToolOutcome, Turn


class Activity(Protocol):
    """Tells the house what happens, for people to read. Never raises."""

    def intended(
        self,
        call: ToolCall,
        decision: ToolDecision,
        turn: Turn,
        row: AuditRow,
        context_id: str,
    ) -> None:
        """A call that changes something is on record and about to run."""

    def failed(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, context_id: str
    ) -> None:
        """A call that was to change something failed."""

    def denied(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, row: AuditRow | None
    ) -> None:
        """A call that would have changed something was refused."""


type Spawn = Callable[
    [Coroutine[Any, Any, ToolOutcome], str], asyncio.Task[ToolOutcome]
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateParts:
    """All that the gate stands on; the clock is in seconds.

    Without `allowances` nothing can be let through once. Gates that share a house share
    `mutating`, the place of the one call that changes something.
    """

    toolbox: Toolbox
    policy: Callable[[], Policy]
    home: HomeView
    conditions: ConditionChecker
    sentinel: Sentinel
    approver: Approver
    audit: AuditLog
    activity: Activity
    spawn: Spawn
    clock: Callable[[], float]
    new_context_id: Callable[[], str]
    allowances: Allowances | None = None
    mutating: asyncio.Lock = field(default_factory=asyncio.Lock)
