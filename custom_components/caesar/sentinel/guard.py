"""The shape of a guard and of whoever asks a person."""

from dataclasses import dataclass
from typing import Protocol

from ..policy.call import ToolCall
from ..policy.caller import Caller
from ..policy.decision import PolicyDecision
from ..turn import ApprovalResult, GuardResult, ToolOutcome, ToolRequest, Turn


class Guard(Protocol):
    """One guard of the sentinel; pure, the clock is injected.

    A call is checked as often as the gate likes, admitted once, right before its
    intent is written, and reported once after it was admitted. A check of the very
    call that was admitted (the same object) does not hold its own count against it.
    """

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Judge a call that the policy has decided. Counts nothing."""

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Count a call that is about to run; refuse it if there is no room left."""

    def report(self, outcome: ToolOutcome) -> None:
        """Learn what came of a call that was admitted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """One exact call for which a person's yes is needed, and why.

    `guard` is set when a guard asks, and not only the policy.
    """

    request: ToolRequest
    call: ToolCall
    decision: PolicyDecision
    guard: GuardResult | None
    turn: Turn


class Approver(Protocol):
    """Asks a person about one exact call."""

    async def request(self, asked: ApprovalRequest) -> ApprovalResult:
        """Return the answer, why there is none, or that it is parked. Never raises."""

    async def claim(
        self, approval_id: str, *, args_hash: str, digest: str, caller: Caller
    ) -> bool:
        """Take an approval for its one execution; False if it can't be had any more.

        `args_hash` and `digest` are of the call that is about to run: they must be
        those that the person was shown. True means that this is on disk. Never raises.
        """

    async def close(self, approval_id: str, outcome: ToolOutcome) -> None:
        """Note what came of the one execution. Never raises."""
