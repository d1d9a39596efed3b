"""How a turn ended, for whoever asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..brain.loop import Finish
from ..policy.decision import Verdict
from ..policy.reason import Code
from ..turn import ToolOutcome

_FAILED: Final = frozenset(
    {Finish.PROVIDER_ERROR, Finish.TIMEOUT, Finish.NOT_UNDERSTOOD}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """How a turn ended, for whoever asked.

    `shown` is rich text, `spoken` what a voice says, `calls` what was tried. `parked`
    is the approval that the turn waits for, until `expires_at` (unix seconds); `again`
    says that an answer is expected as the next message: to that, or to something that
    the brain asks back. `closing` is what the house
    adds to a brain's own text: all of `shown`, or its end.
    """

    decision_id: str
    conversation_id: str
    shown: str
    spoken: str
    calls: tuple[Mapping[str, Any], ...]
    finish: Finish
    outcomes: tuple[ToolOutcome, ...]
    parked: str | None = None
    expires_at: float | None = None
    again: bool = False
    closing: str = ""

    @property
    def failed(self) -> bool:
        """Return whether there is no answer, only words about why."""
        return self.finish in _FAILED


def call_json(outcome: ToolOutcome) -> dict[str, Any]:
    """Return a call as `caesar.ask` answers it."""
    decision = outcome.decision
    allowed = decision is not None and decision.verdict is Verdict.ALLOW
    code = Code.ALLOWED
    if outcome.error is not None:
        code = outcome.error.code
    elif decision is not None:
        code = decision.reason.code
    result = "none"
    if allowed:
        result = "ok" if outcome.error is None else "error"
    rule = decision.policy.rule if decision else None
    return {
        "tool": outcome.tool,
        "target": list(outcome.target),
        "verdict": decision.verdict.value if decision else Verdict.DENY.value,
        "code": code.value,
        "rule": rule.name if rule else None,
        "outcome": result,
    }
