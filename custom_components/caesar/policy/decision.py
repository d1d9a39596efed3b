"""The policy's answer, and the Protocol of whatever gives it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ..legion.canonical import Json, sha256_json
from .call import ToolCall
from .caller import Caller
from .home import ConditionChecker, HomeView
from .impact import Impact
from .reason import Reason


class Verdict(StrEnum):
    """The answer of a decision, a guard or an approval."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class ApprovalMode(StrEnum):
    """A rule's `approval:` key."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRef:
    """The rule that decided: its name and its line in the file (from 1)."""

    name: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalTerms:
    """Who may say yes, and how; an empty `approvers` means every admin."""

    approvers: tuple[str, ...] = ()
    pin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFilter:
    """What a rule lets through of a tool's result."""

    domain_allowlist: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDecision:
    """What the policy says of one call.

    `pinned` are the entities that will be sent to Home Assistant, `touched` those
    and all that groups and forwarders among them reach, `named_in_data` those whose
    ids stand in the call's data, `left_out` how many entities behind a selector are
    not shared with the assistant. `content` is the SHA-256 of what the scenes and
    scripts among them would do, empty without any. `taint_allowed` says that the rule
    grants the call to a turn with untrusted text too.
    """

    verdict: Verdict
    reason: Reason
    rule: RuleRef | None = None
    impact: Impact = Impact.DESTRUCTIVE
    pinned: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    named_in_data: tuple[str, ...] = ()
    left_out: int = 0
    content: str = ""
    visible: bool = False
    taint_allowed: bool = False
    policy_rev: str
    approval: ApprovalTerms | None = None
    result_filter: ResultFilter | None = None

    def as_json(self) -> Mapping[str, Json]:
        """Return the decision as the trail holds it."""
        return {
            "allowed": self.verdict is Verdict.ALLOW,
            "verdict": self.verdict.value,
            "code": self.reason.code.value,
            "values": dict(self.reason.values),
            "rule": self.rule.name if self.rule else None,
            "line": self.rule.line if self.rule else None,
            "impact": self.impact.name.lower(),
            "policy_rev": self.policy_rev,
        }


def decision_digest(decision: PolicyDecision) -> str:
    """Return the SHA-256 of what a call would really do, for approvals.

    A yes counts for exactly these entities, members, contents and this impact
    (DESIGN 7); who decided, and by which rule, may change meanwhile.
    """
    return sha256_json(
        {
            "pinned": list(decision.pinned),
            "touched": list(decision.touched),
            "named_in_data": list(decision.named_in_data),
            "content": decision.content,
            "impact": decision.impact.name,
        }
    )


class Policy(Protocol):
    """A loaded policy: a pure function of its arguments."""

    @property
    def revision(self) -> str:
        """Return the SHA-256 of the file, as hexadecimal text."""

    def evaluate(
        self,
        call: ToolCall,
        caller: Caller,
        home: HomeView,
        conditions: ConditionChecker,
    ) -> PolicyDecision:
        """Decide a call. Never raises; what it can't understand is denied."""

    def may_grant(self, tool: str) -> bool:
        """Return whether any call of this tool could be granted to anybody."""

    def may_list(self, tool: str) -> bool:
        """Return whether a rule for this tool could be added and would then count."""
