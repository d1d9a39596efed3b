"""The questions themselves: what stands how, here and on the disk, and who hears of it.

Every change of standing is one compare-and-set on the disk before it counts here, so
that none is made twice, whatever runs at the same time and wherever a crash falls.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
import logging
from typing import Final, Protocol

from .approvals import Answerer, PendingApproval, Standing

_LOGGER = logging.getLogger(__name__)

KEEP_DECIDED_S: Final = 86_400.0

OPEN: Final = frozenset({Standing.WAITING, Standing.APPROVED})
_ALIVE: Final = OPEN | {Standing.EXECUTING}

type Listener = Callable[[PendingApproval], None]


class StoreUnavailable(Exception):
    """What was to be kept can't be written or read now."""


class ApprovalStore(Protocol):
    """Where questions outlive a restart. Each method is on disk on return.

    All raise StoreUnavailable.
    """

    async def add(self, pending: PendingApproval) -> None:
        """Keep a new question."""

    async def change(self, pending: PendingApproval, expected: Standing) -> bool:
        """Write a question's new standing if it still stands as expected."""

    async def load(self) -> tuple[PendingApproval, ...]:
        """Return all that is kept; what was tampered with is not among it."""

    async def forget(self, ids: Collection[str]) -> None:
        """Remove these."""


class Ledger:
    """Keeps the questions of the last day. `moving` is held around every change."""

    def __init__(
        self,
        store: ApprovalStore,
        *,
        now: Callable[[], float],
        clock: Callable[[], float],
    ) -> None:
        """Keep them there; `now` in seconds since 1970, `clock` monotonic."""
        self._store = store
        self._now = now
        self._clock = clock
        self.moving = asyncio.Lock()
        self._known: dict[str, PendingApproval] = {}
        # A house's clock may be set back; none of its questions lives longer for it.
        self._until: dict[str, float] = {}
        self._waiters: dict[str, set[asyncio.Future[None]]] = {}
        self._listeners: list[Listener] = []
        self._loaded = False

    def get(self, approval_id: str) -> PendingApproval | None:
        """Return a question by its id."""
        return self._known.get(approval_id)

    def all(self) -> tuple[PendingApproval, ...]:
        """Return all questions, oldest first."""
        return tuple(self._known.values())

    def is_over(self, pending: PendingApproval) -> bool:
        """Return whether its time is up, by either clock."""
        return self._now() >= pending.expires_at or self._clock() >= self._until.get(
            pending.id, float("-inf")
        )

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call back after every change; return what ends that."""
        self._listeners.append(listener)

        def end() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return end

    async def load(self) -> None:
        """Read what an earlier run left, once. Needs `moving`.

        What was half done then is interrupted: nobody knows whether it happened.
        """
        if self._loaded:
            return
        try:
            found = await self._store.load()
        except StoreUnavailable:
            _LOGGER.warning("Open questions can't be read now; trying again later")
            return
        self._loaded = True
        now, clock = self._now(), self._clock()
        for pending in sorted(found, key=lambda pending: pending.created_at):
            if pending.id in self._known:
                continue
            span = pending.expires_at - pending.created_at
            self._until[pending.id] = clock + min(pending.expires_at - now, span)
            self._known[pending.id] = pending
            if pending.standing is Standing.EXECUTING:
                await self.end(pending, Standing.INTERRUPTED)

    async def add(self, pending: PendingApproval) -> None:
        """Keep a new question. Raises StoreUnavailable, and then there is none."""
        span = pending.expires_at - pending.created_at
        self._until[pending.id] = self._clock() + span
        # Before the disk, so that two at the same time can't both be the last allowed.
        self._known[pending.id] = pending
        try:
            await self._store.add(pending)
        except BaseException:
            self._drop(pending.id)
            raise
        self._tell(pending)

    async def move(
        self, pending: PendingApproval, standing: Standing, by: Answerer | None = None
    ) -> bool:
        """Change a standing on the disk, then here; False if it had changed before.

        Needs `moving`. Raises StoreUnavailable, and then nothing has changed here.
        """
        changed = replace(pending, standing=standing)
        if standing not in (Standing.EXECUTING, Standing.DONE, Standing.FAILED):
            changed = replace(changed, decided_at=self._now())
        if by is not None:
            changed = replace(changed, decided_by=by.user_id, via=by.via)
        if await self._store.change(changed, pending.standing):
            self._settle(changed)
            return True
        await self._resync(pending)
        return False

    async def end(self, pending: PendingApproval, standing: Standing) -> None:
        """End a question, on the disk too if that can be. Needs `moving`.

        Only for standings that lead nowhere. If the disk can't be written, it still
        has the old one: executing reads as interrupted after a restart, the others are
        judged by their time again.
        """
        with suppress(StoreUnavailable):
            await self.move(pending, standing)
        now = self._known.get(pending.id)
        if now is not None and now.standing is pending.standing:
            self._settle(replace(pending, standing=standing, decided_at=self._now()))

    async def lapse(self) -> list[PendingApproval]:
        """End what is over; return what it was. Needs `moving`."""
        over = [
            pending
            for pending in self._known.values()
            if pending.standing in OPEN and self.is_over(pending)
        ]
        for pending in over:
            await self.end(pending, Standing.EXPIRED)
        return over

    async def forget(self, ids: Collection[str]) -> None:
        """Remove questions. Raises StoreUnavailable; here they are gone all the same."""
        for approval_id in ids:
            self._drop(approval_id)
        if ids:
            await self._store.forget(ids)

    async def forget_old(self) -> None:
        """Remove what was decided more than a day ago. Needs `moving`."""
        with suppress(StoreUnavailable):
            await self.forget(
                [
                    pending.id
                    for pending in self.all()
                    if pending.standing not in _ALIVE
                    and self._now() - pending.created_at > KEEP_DECIDED_S
                ]
            )

    async def until_settled(self, approval_id: str, seconds: float) -> None:
        """Wait until a question is no longer waiting, so long at most."""
        pending = self._known.get(approval_id)
        if pending is None or pending.standing is not Standing.WAITING or seconds <= 0:
            return
        waiter = asyncio.get_running_loop().create_future()
        waiters = self._waiters.setdefault(approval_id, set())
        waiters.add(waiter)
        try:
            async with asyncio.timeout(seconds):
                await waiter
        except TimeoutError:
            return
        finally:
            waiters.discard(waiter)

    def wake_all(self) -> None:
        """End all waiting."""
        for approval_id in tuple(self._waiters):
            self._wake(approval_id)

    async def _resync(self, pending: PendingApproval) -> None:
        """Take over what the disk says of a question; gone is over."""
        rows = {row.id: row for row in await self._store.load()}
        row = rows.get(pending.id, replace(pending, standing=Standing.EXPIRED))
        if row.standing is not pending.standing:
            self._settle(row)

    def _settle(self, pending: PendingApproval) -> None:
        self._known[pending.id] = pending
        self._wake(pending.id)
        self._tell(pending)

    def _tell(self, pending: PendingApproval) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(pending)
            except Exception:
                # One who hears must not keep the others from hearing.
                _LOGGER.exception("A listener of approvals failed")

    def _wake(self, approval_id: str) -> None:
        for waiter in self._waiters.pop(approval_id, ()):
            if not waiter.done():
                waiter.set_result(None)

    def _drop(self, approval_id: str) -> None:
        self._known.pop(approval_id, None)
        self._until.pop(approval_id, None)
        self._wake(approval_id)
