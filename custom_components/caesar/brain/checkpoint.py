"""A turn that waits for a person's answer: all that it needs to go on (SPEC E)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol

from ..flight import error_of
from ..policy.caller import Caller
from ..policy.reason import Code, Reason
from ..sentinel.approvals import PendingApproval, Standing
from ..turn import (
    ApprovalResult,
    ApprovalState,
    ApprovedCall,
    Taint,
    ToolOutcome,
    ToolRequest,
    ToolScope,
    Turn,
)
from .codec import CodecError, decode, encode
from .provider import Message, ToolResultMessage, Usage, UserMessage

FORMAT: Final = 1


class CallState(StrEnum):
    """How far a call of the parked round has come."""

    PENDING = "pending"
    AWAITING_APPROVAL = "awaiting_approval"
    DONE = "done"
    FAILED = "failed"
    DENIED = "denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParkedCall:
    """One call of the parked round, as the provider wrote it, and what came of it."""

    request: ToolRequest
    outcome: ToolOutcome | None = None

    @property
    def state(self) -> CallState:
        """Return how far the call has come."""
        if self.outcome is None:
            return CallState.PENDING
        if self.outcome.parked is not None:
            return CallState.AWAITING_APPROVAL
        if self.outcome.error is None:
            return CallState.DONE
        return CallState.FAILED if self.outcome.executed else CallState.DENIED


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A parked turn; `decision_id` is the turn's name, there is one per turn.

    `messages` are what the provider was sent and its answer with the parked `calls`,
    of which none has been told to it; this turn's own begin at `first`. `iteration`
    counts the rounds of this provider, which `brain` tells from others of its name.
    `taint` is that of the round's beginning, `carried`, `seen` and `planned` are the
    turn's own. The system prompt isn't kept: it is built anew. Times are unix seconds,
    set by whoever keeps it.
    """

    decision_id: str
    caller: Caller
    language: str
    session: str
    tools: ToolScope
    provider: str
    model: str
    messages: tuple[Message, ...]
    first: int
    calls: tuple[ParkedCall, ...]
    iteration: int
    iterations: int
    usage: Usage
    said: str
    taint: frozenset[Taint] = frozenset()
    carried: frozenset[Taint] = frozenset()
    actions: int = 0
    seen: Mapping[str, ToolOutcome] = field(default_factory=dict)
    policy_rev: str = ""
    brain: str = ""
    planned: bool = False
    created_at: float = 0
    expires_at: float = 0

    @property
    def approval_ids(self) -> tuple[str, ...]:
        """Return the approvals that are open, in the order of their calls."""
        return tuple(
            call.outcome.parked
            for call in self.calls
            if call.outcome is not None and call.outcome.parked is not None
        )

    @property
    def asked(self) -> str:
        """Return the words with which the turn began."""
        message = self.messages[self.first]
        return message.text if isinstance(message, UserMessage) else ""

    def outcomes(self) -> tuple[ToolOutcome, ...]:
        """Return what came of the turn's calls before the parked round."""
        return tuple(
            message.outcome
            for message in self.messages[self.first :]
            if isinstance(message, ToolResultMessage)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What became of one question: a yes in hand, or the code that says why not."""

    code: Code
    approved: ApprovedCall | None = None
    decided_by: str | None = None
    via: str | None = None

    @property
    def lost(self) -> bool:
        """Return whether nobody answered, or nobody knows what came of it.

        Then the moment is over: the turn starts nothing more.
        """
        return self.code in (Code.APPROVAL_EXPIRED, Code.INTERRUPTED)


type Answers = Mapping[str, Answered]
"""What became of the approvals of a checkpoint, by their ids; open ones are absent."""


_CODES: Final = {
    Standing.DENIED: Code.APPROVAL_DENIED,
    Standing.EXPIRED: Code.APPROVAL_EXPIRED,
    Standing.EXECUTING: Code.INTERRUPTED,
    Standing.INTERRUPTED: Code.INTERRUPTED,
}


def answered(pending: PendingApproval) -> Answered:
    """Return what became of a question that is no longer open.

    Only an approval that was not used yet is a yes; whatever else it may be is a no.
    """
    via = pending.via.value if pending.via else None
    if pending.standing is not Standing.APPROVED:
        return Answered(
            code=_CODES.get(pending.standing, Code.ALREADY_DECIDED),
            decided_by=pending.decided_by,
            via=via,
        )
    return Answered(
        code=Code.ALLOWED,
        approved=ApprovedCall(
            approval_id=pending.id,
            args_hash=pending.args_hash,
            digest=pending.digest,
            decided_by=pending.decided_by,
            via=via,
            terms=pending.terms,
        ),
        decided_by=pending.decided_by,
        via=via,
    )


class Keeper(Protocol):
    """Keeps parked turns."""

    async def keep(self, checkpoint: Checkpoint) -> bool:
        """Put it on disk; False if that can't be done. Never raises."""


class NoKeeper:
    """The keeper of a house that keeps nothing: there no turn can park."""

    async def keep(self, checkpoint: Checkpoint) -> bool:
        """Keep nothing."""
        return False


def turn_of(checkpoint: Checkpoint, caller: Caller, deadline: float) -> Turn:
    """Return the turn as it goes on, with its caller's rights of now."""
    return Turn(
        decision_id=checkpoint.decision_id,
        caller=caller,
        language=checkpoint.language,
        deadline=deadline,
        session=checkpoint.session,
        tools=checkpoint.tools,
        taint=set(checkpoint.taint),
        carried=checkpoint.carried,
        seen=dict(checkpoint.seen),
        actions=checkpoint.actions,
        planned=checkpoint.planned,
    )


def refused(outcome: ToolOutcome, answer: Answered) -> ToolOutcome:
    """Return the outcome of a parked call that will not be carried out."""
    reason = Reason(code=answer.code)
    decision = outcome.decision
    if decision is not None:
        result = ApprovalResult(
            state=ApprovalState.EXPIRED
            if answer.code is Code.APPROVAL_EXPIRED
            else ApprovalState.DENIED,
            reason=reason,
            decided_by=answer.decided_by,
            via=answer.via,
            approval_id=outcome.parked,
        )
        decision = replace(decision, approval=result)
    return replace(
        outcome,
        parked=None,
        error=error_of(reason),
        decision=decision,
        executed=answer.code is Code.INTERRUPTED,
    )


def to_bytes(checkpoint: Checkpoint) -> bytes:
    """Return a checkpoint as bytes. Raises CodecError for what can't be kept."""
    return encode(
        {
            "format": FORMAT,
            **{name: getattr(checkpoint, name) for name in Checkpoint.__slots__},
            "calls": [(call.request, call.outcome) for call in checkpoint.calls],
        }
    )


def from_bytes(data: bytes) -> Checkpoint:
    """Return the checkpoint that `to_bytes` made bytes of. Raises CodecError."""
    value = decode(data)
    if not isinstance(value, dict) or value.pop("format", None) != FORMAT:
        raise CodecError("no checkpoint of this format")
    try:
        value["calls"] = tuple(
            ParkedCall(request=request, outcome=outcome)
            for request, outcome in value["calls"]
        )
        return Checkpoint(**value)
    except (TypeError, ValueError, KeyError) as err:
        raise CodecError(str(err)[:200]) from err
