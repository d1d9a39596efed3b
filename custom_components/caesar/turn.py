"""The values that travel the one path."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .legion.canonical import Json
from .policy.caller import Caller
from .policy.decision import ApprovalTerms, PolicyDecision, Verdict
from .policy.reason import Code, Reason


class Taint(StrEnum):
    """Kinds of text in a turn that nobody vouches for."""

    UNTRUSTED = "untrusted"
    PRIVATE = "private"


class ApprovalState(StrEnum):
    """What became of a question to a person."""

    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    PARKED = "parked"
    NO_APPROVER = "no_approver"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A call as a brain wrote it; `arguments` is None if `raw` is no JSON object."""

    id: str
    name: str
    arguments: Mapping[str, Json] | None
    raw: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardResult:
    """A sentinel guard's answer; `retry_after` in seconds."""

    verdict: Verdict
    reason: Reason
    retry_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalResult:
    """A person's answer, or why there is none."""

    state: ApprovalState
    reason: Reason
    decided_by: str | None = None
    via: str | None = None
    approval_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDecision:
    """Policy, guard and approval together: what goes into the trail."""

    policy: PolicyDecision
    guard: GuardResult | None = None
    approval: ApprovalResult | None = None
    verdict: Verdict

    @property
    def reason(self) -> Reason:
        """Return the reason of the step that had the last word."""
        if self.approval is not None:
            return self.approval.reason
        if self.guard is not None and self.guard.verdict is not Verdict.ALLOW:
            return self.guard.reason
        return self.policy.reason

    def as_json(self) -> dict[str, Json]:
        """Return the decision as the trail holds it."""
        reason = self.reason
        return {
            **self.policy.as_json(),
            "allowed": self.verdict is Verdict.ALLOW,
            "verdict": self.verdict.value,
            "code": reason.code.value,
            "values": dict(reason.values),
            "policy_verdict": self.policy.verdict.value,
            "policy_code": self.policy.reason.code.value,
            "guard": self.guard.reason.code.value if self.guard else None,
            "approval": self.approval.state.value if self.approval else None,
            "decided_by": self.approval.decided_by if self.approval else None,
            "approval_id": self.approval.approval_id if self.approval else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError:
    """A failure that a model can act on; `message` is English."""

    code: Code
    message: str
    retryable: bool = False
    retry_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What came of one request: data or an error, never an exception.

    `tool` is the tool's id, `target` what would have been or was touched, `seq` the
    row of the trail, `parked` the id of an approval that is still open, `taint` what
    reading the data does to the turn, `facts` what only the trail holds, `given` the
    levels that a service was called with, for a person who says "and the lamp too".
    """

    request_id: str
    tool: str
    target: tuple[str, ...] = ()
    data: Json = None
    error: ToolError | None = None
    decision: ToolDecision | None = None
    executed: bool = False
    seq: int | None = None
    parked: str | None = None
    truncated: bool = False
    taint: frozenset[Taint] = frozenset()
    facts: Mapping[str, Json] = field(default_factory=dict)
    given: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """A call of an earlier turn: its tool, what it was about, whether it was done.

    `data` holds the levels that a service was called with (`ToolOutcome.given`).
    """

    tool: str
    target: tuple[str, ...] = ()
    done: bool = False
    data: Mapping[str, Json] = field(default_factory=dict)


class ToolScope(StrEnum):
    """How far the tools of a turn may go, whatever the policy grants."""

    NONE = "none"
    READ = "read"
    POLICY = "policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedCall:
    """A person's yes in hand: for the request of this id, and these exact bytes.

    `args_hash` and `digest` are what was shown to the person, `terms` those under which
    the answer was taken.
    """

    approval_id: str
    args_hash: str
    digest: str
    decided_by: str | None
    via: str | None
    terms: ApprovalTerms = field(default_factory=ApprovalTerms)


@dataclass(slots=True, kw_only=True)
class Turn:
    """One turn's own state. `deadline` is in seconds of the injected clock.

    `session` names the conversation (agent, channel, user), `approved` holds the yes
    of a resumed turn by request id, `say` tells the person something before the turn
    waits for somebody else; None where nobody listens. `carried` is the taint of the
    conversation's history: it becomes the turn's when a model reads that. `last` are
    the calls of the turn before, if a person may still mean them by "it", `question` is
    what that turn asked back, in the form of the brain that asked. `words_only` says that
    it made no call, and that a model can be asked about what it said. `planned` says
    that the words were said earlier, for now; `waited` are the seconds for which devices
    were waited for that never followed.
    """

    decision_id: str
    caller: Caller
    language: str
    deadline: float
    session: str = ""
    tools: ToolScope = ToolScope.POLICY
    approved: dict[str, ApprovedCall] = field(default_factory=dict)
    say: Callable[[str], None] | None = None
    taint: set[Taint] = field(default_factory=set)
    carried: frozenset[Taint] = frozenset()
    last: tuple[PastCall, ...] = ()
    question: Mapping[str, Json] | None = None
    words_only: bool = False
    seen: dict[str, ToolOutcome] = field(default_factory=dict)
    actions: int = 0
    planned: bool = False
    waited: float = 0
