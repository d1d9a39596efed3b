"""Why a call was decided as it was: a code and its values, never a sentence.

Sentences are made at the edge: translated for people, English for a model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Code(StrEnum):
    """Every reason CAESAR gives, for decisions, guards, approvals and tools."""

    ALLOWED = "allowed"
    POLICY_DENIED = "policy_denied"
    NOT_LISTED = "not_listed"
    TARGET_REQUIRED = "target_required"
    TARGET_NOT_COVERED = "target_not_covered"
    MALFORMED_TARGET = "malformed_target"
    DATA_NOT_ALLOWED = "data_not_allowed"
    INPUT_NOT_ALLOWED = "input_not_allowed"
    DOMAIN_NOT_ALLOWED = "domain_not_allowed"
    CALLER_NOT_COVERED = "caller_not_covered"
    CONDITION_NOT_MET = "condition_not_met"
    TOO_MANY_ENTITIES = "too_many_entities"
    CAPABILITY_DENIED = "capability_denied"
    NO_WORKER = "no_worker"
    CIRCUIT_OPEN = "circuit_open"
    RATE_LIMITED = "rate_limited"
    TAINTED = "tainted"
    REPEATED_CALL = "repeated_call"
    APPROVAL_NEEDED = "approval_needed"
    APPROVAL_DENIED = "approval_denied"
    APPROVAL_EXPIRED = "approval_expired"
    NO_APPROVER = "no_approver"
    ALREADY_DECIDED = "already_decided"
    UNKNOWN_APPROVAL = "unknown_approval"
    QUOTA_EXCEEDED = "quota_exceeded"
    INVALID_INPUT = "invalid_input"
    UNKNOWN_TOOL = "unknown_tool"
    TIMEOUT = "timeout"
    TOOL_ERROR = "tool_error"
    INTERRUPTED = "interrupted"
    STILL_RUNNING = "still_running"
    CANCELLED = "cancelled"
    TOO_MANY_CALLS = "too_many_calls"
    AUDIT_UNAVAILABLE = "audit_unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A code with the values its sentence needs (entity ids, keys, limits)."""

    code: Code
    values: Mapping[str, str] = field(default_factory=dict)

    def words(self) -> list[str]:
        """Return the words of its values, of which some may be entities' ids."""
        return " ".join(self.values.values()).replace(",", " ").split()
