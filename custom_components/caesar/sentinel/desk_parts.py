"""What the desk stands on, and what stands around it."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from ..policy.home import HomeView
from ..policy.reason import Code
from .allowances import Allowances
from .approvals import Facts, PendingApproval, Reached
from .ledger import ApprovalStore


class Channel(Protocol):
    """One way to reach people. Neither method raises."""

    async def ask(self, pending: PendingApproval) -> Reached | None:
        """Ask those who may answer; None if nobody could be reached this way."""

    async def settled(self, pending: PendingApproval) -> None:
        """Hear that a question has left `waiting`: withdraw cards, say what came.

        Called for approved, denied and expired, and again for done, failed and
        interrupted.
        """


class DeskEvent(StrEnum):
    """What of the desk goes into the trail."""

    REQUESTED = "approval.requested"
    DECIDED = "approval.decided"
    REJECTED = "approval.rejected"


class DeskTrail(Protocol):
    """Writes the desk's rows. Never raises: what can't be written now, comes later."""

    async def note(
        self, event: DeskEvent, pending: PendingApproval | None, more: Facts
    ) -> None:
        """Write one row."""


type WaitingText = Callable[[PendingApproval, Sequence[Reached]], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of an answer: `code` is ALLOWED, or says why it did not count."""

    ok: bool
    code: Code
    pending: PendingApproval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskParts:
    """All that the desk stands on.

    `now` is in seconds since 1970, `clock` the monotonic one of turns' deadlines.
    `ttl_s` is how long a question waits, `own_users` are CAESAR's own users, and
    `waiting_text` is the sentence that says whom CAESAR has asked.
    """

    store: ApprovalStore
    trail: DeskTrail
    home: HomeView
    allowances: Allowances
    now: Callable[[], float]
    clock: Callable[[], float]
    new_id: Callable[[], str]
    ttl_s: Callable[[], float]
    own_users: Callable[[], Collection[str]]
    spawn: Callable[[Coroutine[Any, Any, Any], str], asyncio.Task[Any]]
    waiting_text: WaitingText
