"""Approvals as values: what is asked, who answers, and by which rules (DESIGN 7)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from ..legion.canonical import Json
from ..policy.call import ToolCall
from ..policy.caller import Caller
from ..policy.decision import ApprovalTerms, RuleRef
from ..policy.impact import Impact
from ..policy.reason import Reason


class Standing(StrEnum):
    """Where an approval stands. Only the first two can still lead to an effect."""

    WAITING = "waiting"
    APPROVED = "approved"
    EXECUTING = "executing"
    DONE = "done"
    FAILED = "failed"
    DENIED = "denied"
    EXPIRED = "expired"
    INTERRUPTED = "interrupted"


class Via(StrEnum):
    """The way by which an answer came."""

    CHAT = "chat"
    VOICE = "voice"
    PHONE = "phone"
    PANEL = "panel"
    ACTION = "action"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingApproval:
    """One question to a person, bound to one exact call.

    `digest` is `decision_digest` of what the call resolved to, `session` the
    conversation that asked (`Turn.session`). Times are unix seconds. `entities` are
    the ids a person is told about, `inside` what stands behind these (members, the
    content of scenes and scripts); what opens the house is first in both. The id is
    never shown to a model.
    """

    id: str
    decision_id: str
    request_id: str
    call: ToolCall
    args_hash: str
    digest: str
    impact: Impact
    entry: bool
    entities: tuple[str, ...]
    terms: ApprovalTerms
    rule: RuleRef | None
    why: Reason
    caller: Caller
    session: str
    language: str
    created_at: float
    expires_at: float
    standing: Standing = Standing.WAITING
    decided_by: str | None = None
    via: Via | None = None
    decided_at: float | None = None
    inside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerer:
    """Who answers, as Home Assistant vouches for: never a label, never a model.

    `session` is set for an answer in a conversation. `pin` names the PIN that the
    person has just proved to know, if any.
    """

    via: Via
    user_id: str | None
    is_admin: bool
    session: str | None = None
    device_id: str | None = None
    pin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Whom a channel has told of a question; `people` are names for a sentence."""

    channel: str
    people: tuple[str, ...] = ()


type Facts = Mapping[str, Json]
