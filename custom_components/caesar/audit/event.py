"""One event of the trail, and the Protocol of what keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ..legion.canonical import Json
from ..policy.caller import Caller


class AuditEventType(StrEnum):
    """All event types, those of later issues included (SPEC 7.1)."""

    TOOL_INTENDED = "tool.intended"
    SERVICE_CALLED = "service.called"
    POLICY_DENIED = "policy.denied"
    TOOL_CALLED = "tool.called"
    TOOL_DENIED = "tool.denied"
    TOOL_INVALID = "tool.invalid"
    TOOL_SKIPPED = "tool.skipped"
    TOOL_RESULT_FILTERED = "tool.result_filtered"
    CHAT_COMPLETED = "chat.completed"
    LLM_CALLED = "llm.called"
    LEGION_DISPATCHED = "legion.dispatched"
    SENTINEL_THROTTLED = "sentinel.throttled"
    SENTINEL_BREAKER = "sentinel.breaker"
    SENTINEL_QUOTA = "sentinel.quota"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_DECIDED = "approval.decided"
    APPROVAL_REJECTED = "approval.rejected"
    LOOP_CHECKPOINTED = "loop.checkpointed"
    LOOP_RESUMED = "loop.resumed"
    LOOP_ABANDONED = "loop.abandoned"
    LOOP_ITERATION_CAP = "loop.iteration_cap"
    POLICY_LOADED = "policy.loaded"
    POLICY_LOAD_FAILED = "policy.load_failed"
    POLICY_EXPLAINED = "policy.explained"
    WORKER_HELLO = "worker.hello"
    WORKER_OFFLINE = "worker.offline"
    WORKER_REJECTED = "worker.rejected"
    SETTINGS_UPDATED = "settings.updated"
    MEMORY_COMPACTED = "memory.compacted"
    MEMORY_ERASED = "memory.erased"
    MEMORY_RETENTION_SWEEP = "memory.retention_sweep"
    AUDIT_CHAIN_BROKEN = "audit.chain_broken"
    AUDIT_PAYLOAD_TRUNCATED = "audit.payload_truncated"


class AuditUnavailable(Exception):
    """The trail can't be written now; a call that changes something must not run.

    `concluded` says that the row is on its way to the disk all the same, and that the
    trail itself will conclude it as refused: no second row may say so.
    """

    def __init__(self, message: str = "", *, concluded: bool = False) -> None:
        """Keep the reason, for the log."""
        super().__init__(message)
        self.concluded = concluded


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One event before it becomes a row.

    `durable` asks that the row is on the disk itself (fdatasync) before the writer
    answers: true for intents of calls that change something.
    """

    type: AuditEventType
    decision_id: str
    caller: Caller | None
    policy_rev: str
    payload: Mapping[str, Json]
    durable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """Where an event went: its number in the chain and its hash."""

    seq: int
    row_hash: str


class AuditLog(Protocol):
    """The trail. Each method returns when the row is committed.

    All raise AuditUnavailable when the row could not be written, and for `intend`
    also when it was not on disk in time; such an intent is then concluded by the
    trail itself, so that it never looks as if it were running.
    """

    async def intend(self, event: AuditEvent) -> AuditRow:
        """Write an intent."""

    async def conclude(self, intent_seq: int, event: AuditEvent) -> AuditRow:
        """Write the outcome of an intent."""

    async def record(self, event: AuditEvent) -> AuditRow:
        """Write an event that stands for itself."""
