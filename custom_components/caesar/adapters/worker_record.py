"""One worker as the registry knows it: what it may serve, how it was last heard."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Final

from ..legion.errors import LegionCode, LegionError
from ..legion.messages import WorkerAddress, WorkerHealth
from .worker_pins import Declared, Pinned, compare
from .worker_status import LOCAL, WorkerStatus

OFFLINE_AFTER_S: Final = 90.0
# After these a worker may still be well: it was slow, had too much to do, or this one
# request was not for it.
_PATIENT: Final = frozenset(
    {
        LegionCode.BAD_REQUEST,
        LegionCode.BUSY,
        LegionCode.NO_CAPABILITY,
        LegionCode.TIMEOUT,
    }
)
_LONGEST: Final = 200


@dataclass(slots=True, kw_only=True)
class Record:
    """What is known of one worker; it grows with nothing that the worker sends.

    `id` is the subentry's, or `local`. `seen` is when it was last heard, in seconds of
    the registry's clock, `seen_at` the same for people. `refused` says of which of its
    tools this house will have none, and why.
    """

    id: str
    name: str
    address: WorkerAddress
    pins: Mapping[str, Pinned] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    since: float = 0.0
    worker_id: str | None = None
    version: str | None = None
    online: bool = False
    seen: float | None = None
    seen_at: datetime | None = None
    last_error: str | None = None
    skew_s: float | None = None
    declared: Declared = field(default_factory=Declared)
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def hear(self, health: WorkerHealth, now: float, at: datetime) -> None:
        """Take in a good hello."""
        self.worker_id = health.worker_id
        self.version = health.version
        self.online = True
        self.seen, self.seen_at = now, at
        self.skew_s = None
        self.last_error = health.last_error[:_LONGEST] if health.last_error else None
        self.declared = compare(self.pins, health.tools)

    def miss(self, err: LegionError, now: float) -> None:
        """Take in that it could not be reached, or said what it must not.

        Whoever refuses the connection, or answers with a wrong signature, is away at
        once; the slow one after 90 s.
        """
        self.last_error = err.message[:_LONGEST]
        self.skew_s = err.skew_s
        silent = self.seen is None or now - self.seen > OFFLINE_AFTER_S
        ours = err.code is LegionCode.TOO_LARGE and not err.accepted
        if silent or not (ours or err.code in _PATIENT):
            self.online = False

    def lose(self, why: str) -> None:
        """Take it away, for what it says of itself, or because its process ended."""
        self.last_error = why[:_LONGEST]
        self.online = False

    def serves(self, tool: str) -> bool:
        """Return whether it can carry out a tool now."""
        return self.online and tool in self.declared.served and tool not in self.refused

    def away_for(self, now: float) -> float:
        """Return for how many seconds it hasn't been heard; 0 while it is well."""
        if self.online:
            return 0.0
        return now - (self.since if self.seen is None else self.seen)

    def status(self) -> WorkerStatus:
        """Return what there is to say of it."""
        return WorkerStatus(
            id=self.id,
            worker_id=self.worker_id,
            name=self.name,
            url=self.address.url,
            public_key=self.address.public_key,
            online=self.online,
            version=self.version,
            tools=tuple(sorted(tool for tool in self.pins if self.serves(tool))),
            last_error=self.last_error,
            last_seen=self.seen_at,
            skew_s=self.skew_s,
            changed=dict(self.declared.changed),
            more=tuple(sorted(self.declared.more)),
            refused=dict(self.refused),
        )


def is_taken(record: Record, worker_id: str, records: Iterable[Record]) -> bool:
    """Return whether a worker's name belongs to one that was there before it.

    Whoever is heard first must not take the name of another, and with it its work.
    `records` are all, the oldest first.
    """
    if worker_id == LOCAL and record.id != LOCAL:
        return True
    before = takewhile(lambda other: other is not record, records)
    return any(other.worker_id == worker_id for other in before)
