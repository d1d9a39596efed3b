"""The real store behind the real stores' seams, without a thread, and mortal.

Everything that would outlive a crash goes through `Life.point`: there a process can
die, before or after; and a dead one can't do anything any more. What the writer's
thread adds (batches, slow disks, kills of a real process) is `script/prove crash`'s.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from custom_components.caesar.audit.event import AuditEvent, AuditRow, AuditUnavailable
from custom_components.caesar.audit.row import new_row
from custom_components.caesar.audit.store import Store
from custom_components.caesar.audit.vault import Vault

KEY: Final = bytes(range(32))


@dataclass(slots=True)
class Life:
    """Whether the process lives. `fuse` counts the points that are left to it.

    It dies at the point where the fuse ends, after the deed there if `after`.
    """

    fuse: int | None = None
    after: bool = False
    dead: bool = False
    buried: bool = False

    async def point[T](self, deed: Callable[[], T]) -> T:
        """Do something that outlives the process, unless it dies here."""
        await asyncio.sleep(0)
        await self._stand()
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse < 0:
                if self.after:
                    deed()
                self.dead = True
                await self._stand()
        return deed()

    async def _stand(self) -> None:
        if self.buried:
            raise asyncio.CancelledError
        if self.dead:
            # Nothing comes after death; the task stays here until it is buried.
            await asyncio.get_running_loop().create_future()


@dataclass(slots=True)
class Switches:
    """What the proof can do to disk and things: hold them, or break them."""

    disk_down: bool = False
    hold_intents: bool = False
    hold_things: bool = False
    things_fail: str | None = None
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def hampered(self) -> bool:
        """Return whether anything is slow or broken."""
        return self.disk_down or self.hold_intents or self.hold_things

    def change(self, **to: Any) -> None:
        """Change some, and wake who waits for it."""
        for name, value in to.items():
            setattr(self, name, value)
        self.news.set()
        self.news = asyncio.Event()

    async def until(self, free: Callable[[], bool]) -> None:
        """Wait until something isn't held any more."""
        while not free():
            await self.news.wait()


class Disk:
    """Implements `AuditLog`, and the part of the house's trail that stores use."""

    def __init__(
        self, path: Path, life: Life, switches: Switches, now: Callable[[], float]
    ) -> None:
        """Open the file at once."""
        self._store = Store(path, KEY, now)
        self._now = now
        self._life = life
        self._switches = switches
        self._backlog: list[Callable[[], object]] = []
        self.vault = Vault(KEY[::-1])
        self._store.open()

    async def intend(self, event: AuditEvent) -> AuditRow:
        """Write an intent."""
        switches = self._switches
        if event.durable:
            await switches.until(lambda: not switches.hold_intents)
        row = new_row(event, self._now())
        return await self._write(
            lambda: self._store.append(row), durable=event.durable, keep=False
        )

    async def conclude(self, intent_seq: int, event: AuditEvent) -> AuditRow:
        """Write an outcome; later if it can't be now."""
        row = new_row(event, self._now())
        return await self._write(
            lambda: self._store.conclude(intent_seq, row), durable=False, keep=True
        )

    async def record(self, event: AuditEvent) -> AuditRow:
        """Write a row; later if it can't be now."""
        row = new_row(event, self._now())
        return await self._write(
            lambda: self._store.append(row), durable=event.durable, keep=True
        )

    async def async_work[T](
        self, work: Callable[[Store], T], *, durable: bool = False
    ) -> T:
        """Run work on the store's connection, as `HouseAuditLog` does."""
        return await self._write(lambda: work(self._store), durable=durable, keep=False)

    def catch_up(self) -> None:
        """Write what was kept, now that the disk is well again."""
        kept, self._backlog = self._backlog, []
        for work in kept:
            self._commit(work, durable=False)

    @property
    def behind(self) -> int:
        """Return how many rows wait for the disk."""
        return len(self._backlog)

    def has_intent(self, context_id: str) -> bool:
        """Return whether the intent of a call is committed."""
        found = self._store.database.connection.execute(
            "SELECT count(*) FROM audit_log WHERE event_type = 'tool.intended'"
            " AND payload ->> '$.context_id' = ?",
            (context_id,),
        ).fetchone()
        return bool(found[0] == 1)

    def dispatches(self) -> dict[str, int]:
        """Return how many rows `audit_trail` has of each turn."""
        return dict(
            self._store.database.connection.execute(
                "SELECT decision_id, count(*) FROM audit_trail GROUP BY decision_id"
            )
        )

    def close(self) -> None:
        """Let go of the file; what is committed stays."""
        self._store.close()

    async def _write[T](self, work: Callable[[], T], *, durable: bool, keep: bool) -> T:
        def deed() -> T:
            if self._switches.disk_down:
                if keep:
                    self._backlog.append(work)
                raise AuditUnavailable("down")
            return self._commit(work, durable=durable)

        return await self._life.point(deed)

    def _commit[T](self, work: Callable[[], T], *, durable: bool) -> T:
        with self._store.transaction(durable=durable):
            return work()
