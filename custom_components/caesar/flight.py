"""One call on its way through the gate, and the outcomes it can have."""

from dataclasses import dataclass, replace
from typing import Final

from .legion.canonical import Json
from .policy.call import ServiceCall, ToolCall, tool_id
from .policy.decision import Verdict
from .policy.impact import CORE_READS, Impact
from .policy.reason import Code, Reason
from .policy.wording import model_text, retryable
from .result import entities_in, plain
from .tool import Carried, ExecutorError, Tool
from .turn import (
    ApprovalResult,
    ApprovedCall,
    GuardResult,
    ToolDecision,
    ToolError,
    ToolOutcome,
    ToolRequest,
    Turn,
)

MOVED: Final = ToolError(
    code=Code.TOOL_ERROR,
    message=(
        "Something about the home or its policy changed at this very moment, so nothing"
        " was done. The same call may be tried once more."
    ),
    retryable=True,
)


_MOST_NUMBERS: Final = 4
_LONGEST_WORD: Final = 40
# Words out of a list that the entity has; Home Assistant takes no others.
_WORDS: Final = frozenset(("color_name", "fan_mode", "hvac_mode", "preset_mode"))
_LEVELS: Final = frozenset(
    (
        *("brightness", "brightness_pct", "brightness_step", "brightness_step_pct"),
        *("color_temp_kelvin", "hs_color", "rgb_color", "xy_color"),
        *("humidity", "percentage", "position", "temperature", "tilt_position"),
        "volume_level",
    )
)
USED_UP: Final = GuardResult(
    verdict=Verdict.DENY, reason=Reason(code=Code.ALREADY_DECIDED)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """A resolved and judged call.

    `context_id` is the Home Assistant context it will go out with, `seen` the
    revisions of policy and house that it was judged by, `yes` a person's answer that
    was given for it, whether or not it still counts.
    """

    request: ToolRequest
    tool: Tool
    call: ToolCall
    decision: ToolDecision
    turn: Turn
    context_id: str
    seen: tuple[str, int]
    yes: ApprovedCall | None = None

    @property
    def changes(self) -> bool:
        """Return whether the call could change anything."""
        return self.decision.policy.impact is not Impact.READ

    def outcome(
        self,
        *,
        seq: int | None = None,
        error: ToolError | None = None,
        executed: bool = False,
    ) -> ToolOutcome:
        """Return an outcome of this call."""
        return ToolOutcome(
            request_id=self.request.id,
            tool=tool_id(self.call),
            target=self.decision.policy.pinned or _asked(self.call),
            decision=self.decision,
            error=error,
            executed=executed,
            seq=seq,
            given=_levels(self.call),
        )

    def judged(
        self,
        verdict: Verdict,
        approval: ApprovalResult | None,
        yes: ApprovedCall | None,
    ) -> Flight:
        """Return the flight with the last word about it."""
        decision = replace(self.decision, verdict=verdict, approval=approval)
        return replace(self, decision=decision, yes=yes)

    def refused(self) -> ToolOutcome:
        """Return the outcome of a call that its decision does not let through.

        One that waits for a person is `parked`.
        """
        guard, approval = self.decision.guard, self.decision.approval
        denied = guard is not None and guard.verdict is Verdict.DENY
        outcome = self.outcome(
            error=error_of(
                self.decision.reason, guard.retry_after if guard and denied else None
            )
        )
        if self.decision.verdict is Verdict.ASK and approval is not None:
            return replace(outcome, parked=approval.approval_id)
        return outcome


def overruled(
    flight: Flight, reason: Reason, retry_after: float | None = None
) -> Flight:
    """Return the flight refused by the gate itself, after the policy allowed it."""
    guard = GuardResult(verdict=Verdict.DENY, reason=reason, retry_after=retry_after)
    return replace(
        flight,
        decision=replace(
            flight.decision, guard=guard, approval=None, verdict=Verdict.DENY
        ),
    )


def moved(flight: Flight) -> Flight:
    """Return the flight refused because what it means does not come to rest."""
    reason = Reason(code=Code.TOOL_ERROR, values={"why": "moved"})
    return overruled(flight, reason)


def error_of(reason: Reason, retry_after: float | None = None) -> ToolError:
    """Return a reason as an error that a model can act on."""
    return ToolError(
        code=reason.code,
        message=str(plain(model_text(reason))),
        retryable=retryable(reason.code),
        retry_after=retry_after,
    )


def failure(request: ToolRequest, reason: Reason) -> ToolOutcome:
    """Return the outcome of a request that never became a call."""
    return ToolOutcome(
        request_id=request.id,
        tool=str(plain(request.name[:64])),
        error=error_of(reason),
    )


def succeeded(outcome: ToolOutcome, done: Json | Carried) -> ToolOutcome:
    """Return the outcome with what its executor brought back."""
    brought = done if isinstance(done, Carried) else Carried(data=done)
    data = plain(brought.data)
    # What a worker says that it touched is only what it says.
    of_the_house = outcome.tool in CORE_READS or "." in outcome.tool
    target = outcome.target or (entities_in(data) if of_the_house else ())
    return replace(outcome, data=data, target=target, facts=brought.facts)


def failed(outcome: ToolOutcome, err: ExecutorError) -> ToolOutcome:
    """Return the outcome of a tool whose executor says that it failed."""
    message = str(plain(err.message))
    error = ToolError(code=err.code, message=message, retryable=err.retryable)
    return replace(outcome, error=error, executed=err.maybe_done, facts=err.facts)


def _levels(call: ToolCall) -> dict[str, Json]:
    """Return what of a service's data may be said again for another entity.

    Levels and the names of modes, no other keys: a code or a message is remembered
    nowhere.
    """
    if not isinstance(call, ServiceCall):
        return {}
    return {
        key: list(value) if isinstance(value, (list, tuple)) else value
        for key, value in call.data.items()
        if (key in _LEVELS and _is_level(value))
        or (key in _WORDS and isinstance(value, str) and len(value) <= _LONGEST_WORD)
    }


def _is_level(value: Json) -> bool:
    many = value if isinstance(value, (list, tuple)) else (value,)
    return 0 < len(many) <= _MOST_NUMBERS and all(
        isinstance(each, (int, float)) and not isinstance(each, bool) for each in many
    )


def _asked(call: ToolCall) -> tuple[str, ...]:
    if isinstance(call, ServiceCall):
        return call.target.entity_id
    ids = call.input.get("entity_id")
    if isinstance(ids, str):
        return (ids,)
    return tuple(map(str, ids)) if isinstance(ids, (list, tuple)) else ()
