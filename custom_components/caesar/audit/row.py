"""An event as a row: cleaned, clamped and hashed where it must be. Pure."""

from dataclasses import dataclass
from functools import lru_cache
import hashlib
from typing import Final

from ..legion.canonical import Json, canonical_json
from ..policy.caller import Caller
from .chain import utc_text
from .clamp import MAX_PAYLOAD_BYTES, MAX_TEXT, clean_payload
from .event import AuditEvent, AuditEventType

# Service domains and tools fit in here; SPEC 9.
_MAX_ID: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRow:
    """What a row holds before it has its place in the chain. Texts are JSON or ids."""

    created_at: str
    event_type: str
    decision_id: str
    agent: str | None
    session: str | None
    user_id: str | None
    context_id: str | None
    origin: str | None
    caller: str | None
    taint: str
    policy_rev: str
    payload: str
    truncated: bool = False

    def as_json(self) -> dict[str, Json]:
        """Return the part of the row that its place in the chain does not change."""
        return {
            "created_at": self.created_at,
            "event_type": self.event_type,
            "decision_id": self.decision_id,
            "agent": self.agent,
            "session": self.session,
            "user_id": self.user_id,
            "context_id": self.context_id,
            "origin": self.origin,
            "caller": self.caller,
            "taint": self.taint,
            "policy_rev": self.policy_rev,
            "payload": self.payload,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Who:
    """What a row says of its caller."""

    agent: str | None = None
    session: str | None = None
    user_id: str | None = None
    context_id: str | None = None
    origin: str | None = None
    caller: str | None = None


_NOBODY: Final = _Who()


# All rows of a turn have the same caller; this runs on the loop.
@lru_cache(maxsize=16)
def _who(caller: Caller) -> _Who:
    said, _ = clean_payload(caller.as_json())
    return _Who(
        agent=_id(caller.agent_id),
        session=session_hash(caller.conversation_id),
        user_id=_optional(caller.user_id),
        context_id=_optional(caller.context_id),
        origin=caller.origin.value,
        caller=canonical_json(said),
    )


def new_row(event: AuditEvent, now: float) -> NewRow:
    """Return the row of an event at `now`, in seconds since 1970. Never raises.

    The turn's taint is read from the payload, where the gate puts it.
    """
    payload, truncated = clean_payload(event.payload)
    who = _who(event.caller) if event.caller else _NOBODY
    taint = payload.get("taint")
    return NewRow(
        created_at=utc_text(now),
        event_type=event.type.value,
        decision_id=_id(event.decision_id),
        agent=who.agent,
        session=who.session,
        user_id=who.user_id,
        context_id=who.context_id,
        origin=who.origin,
        caller=who.caller,
        taint=canonical_json(taint) if taint and isinstance(taint, list) else "[]",
        policy_rev=_id(event.policy_rev),
        payload=canonical_json(payload),
        truncated=truncated,
    )


def note(event_type: AuditEventType, payload: dict[str, Json], now: float) -> NewRow:
    """Return a row that the trail writes about itself."""
    return new_row(
        AuditEvent(
            type=event_type, decision_id="", caller=None, policy_rev="", payload=payload
        ),
        now,
    )


def truncated_note(row: NewRow, seq: int, now: float) -> NewRow:
    """Return the row which says that row `seq` did not fit and was cut."""
    return note(
        AuditEventType.AUDIT_PAYLOAD_TRUNCATED,
        {
            "event_type": row.event_type,
            "seq": seq,
            "limit": MAX_PAYLOAD_BYTES,
            "text_limit": MAX_TEXT,
        },
        now,
    )


def session_hash(conversation_id: str | None) -> str | None:
    """Return what groups the rows of one conversation."""
    if conversation_id is None:
        return None
    digest = hashlib.sha256(conversation_id.encode(errors="replace"))
    return digest.hexdigest()[:32]


def _id(text: str) -> str:
    return text[:_MAX_ID].encode(errors="replace").decode()


def _optional(text: str | None) -> str | None:
    return None if text is None else _id(text)
