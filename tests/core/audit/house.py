"""A trail in a folder of its own, driven without a loop, and events to put into it."""

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
import sqlite3
from typing import Any

from custom_components.caesar.audit.chain import Head, Signer
from custom_components.caesar.audit.event import AuditEvent, AuditEventType, AuditRow
from custom_components.caesar.audit.row import NewRow, new_row
from custom_components.caesar.audit.store import Opening, Store
from custom_components.caesar.audit.verify import Check, verify
from custom_components.caesar.audit.writer import Watcher, Writer
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.caller import Caller, Origin
from tests.fakes.clock import FakeClock

KEY = bytes(range(32))
# 2026-11-30 12:00:00 UTC.
NOON = 1_796_040_000.0
PATIENCE = 10

CALLER = Caller(
    origin=Origin.CHAT,
    user_id="user-1",
    agent_id="conversation.caesar",
    conversation_id="conversation-1",
    context_id="context-1",
)
SERVICE: dict[str, Json] = {
    "tool": "light.turn_on",
    "connector": "light",
    "action": "turn_on",
    "domain": "light",
    "service": "turn_on",
    "target": {"entity_id": ["light.kitchen"]},
    "data": {},
    "pinned": ["light.kitchen"],
    "touched": ["light.kitchen"],
    "input": {"target": {"entity_id": ["light.kitchen"]}, "data": {}},
    "decision": {"verdict": "allow", "allowed": True, "code": "allowed"},
    "taint": [],
}
READ: dict[str, Json] = {
    "tool": "get_state",
    "connector": "home",
    "action": "get_state",
    "input": {"domain": "light"},
    "decision": {"verdict": "allow", "allowed": True, "code": "allowed"},
    "taint": ["private"],
}
OK: dict[str, Json] = {"outcome": {"ok": True}, "bytes": 2, "duration_ms": 1}


def event(
    type_: AuditEventType,
    payload: dict[str, Json],
    *,
    decision_id: str = "decision-1",
    durable: bool = False,
) -> AuditEvent:
    """Return an event of the one caller."""
    return AuditEvent(
        type=type_,
        decision_id=decision_id,
        caller=CALLER,
        policy_rev="rev-1",
        payload=payload,
        durable=durable,
    )


def row(
    type_: AuditEventType = AuditEventType.TOOL_INTENDED,
    payload: dict[str, Json] | None = None,
    *,
    now: float = NOON,
    decision_id: str = "decision-1",
) -> NewRow:
    """Return a row as the writer takes it; an intent to turn on a light by default."""
    said = event(
        type_, SERVICE if payload is None else payload, decision_id=decision_id
    )
    return new_row(said, now)


def outcome(now: float = NOON) -> NewRow:
    """Return the good outcome of that intent."""
    return row(AuditEventType.SERVICE_CALLED, SERVICE | OK, now=now)


class Trail:
    """A writer with its file, and all that it told."""

    def __init__(
        self, folder: Path, *, outside: Head | None = None, queue_size: int = 1_000
    ) -> None:
        """Lay it out; nothing runs yet."""
        self.path = folder / "caesar" / "caesar.db"
        self.wall = FakeClock(NOON)
        self.clock = FakeClock()
        self.openings: list[Opening] = []
        self.troubles: list[BaseException] = []
        self.heads: list[Head] = []
        self.well = 0
        self.store = Store(self.path, KEY, self.wall)
        self.writer = Writer(
            self.store,
            Watcher(
                opened=self.openings.append,
                unavailable=self.troubles.append,
                available=self._available,
                head=self.heads.append,
            ),
            outside=outside,
            queue_size=queue_size,
            monotonic=self.clock,
        )

    def _available(self) -> None:
        self.well += 1

    def intend(self, new: NewRow | None = None, *, durable: bool = True) -> AuditRow:
        """Write an intent and wait for it."""
        written: AuditRow = wait(
            self.writer.intend(new or row(), durable=durable).future
        )
        return written

    def conclude(self, seq: int, new: NewRow | None = None) -> AuditRow:
        """Write an outcome and wait for it."""
        written: AuditRow = wait(self.writer.conclude(seq, new or outcome()).future)
        return written

    def record(self, new: NewRow | None = None) -> AuditRow:
        """Write a row that stands for itself and wait for it."""
        denied = row(AuditEventType.POLICY_DENIED, denial("not_listed"))
        written: AuditRow = wait(
            self.writer.record(new or denied, durable=False).future
        )
        return written

    def pairs(self, count: int) -> None:
        """Write so many calls with their outcomes."""
        for _ in range(count):
            self.conclude(self.intend(durable=False).seq)

    def idle(self) -> None:
        """Wait until the writer has done all it was given."""
        wait(self.writer.call(lambda _: None))

    def close(self) -> None:
        """Stop the writer."""
        assert self.writer.close(PATIENCE)

    def verify(self, *, whole: bool = True, outside: Head | None = None) -> Check:
        """Check the chain, by default against the newest head of this run."""
        known = outside or (self.heads[-1] if self.heads else None)
        return verify(self.path, Signer(KEY), known, whole=whole)

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read from the file as another program would."""
        return query(self.path, sql, *values)


@contextmanager
def running(folder: Path, **more: Any) -> Iterator[Trail]:
    """Run a trail in that folder."""
    trail = Trail(folder, **more)
    trail.writer.start()
    try:
        yield trail
    finally:
        trail.close()


def wait[T](future: Future[T]) -> T:
    """Return a future's result, soon."""
    return future.result(PATIENCE)


def denial(code: str, verdict: str = "deny") -> dict[str, Json]:
    """Return the payload of a refused service call."""
    return SERVICE | {
        "decision": {"verdict": verdict, "allowed": False, "code": code},
        "outcome": {"ok": False, "error": code},
    }


def query(path: Path, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Run one statement on a file."""
    db = sqlite3.connect(path)
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def tamper(path: Path, *statements: str) -> None:
    """Change a file as somebody with a database tool would: triggers off first."""
    db = sqlite3.connect(path)
    for (name,) in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    ).fetchall():
        db.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


def mode(path: Path) -> int:
    """Return a file's permissions."""
    return path.stat().st_mode & 0o777
