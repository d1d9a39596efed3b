"""A call of the past, judged again: by the policy in force, and by a draft.

The house is the one of today. Conditions of the past can't be known: where one would
decide, the row says so (DESIGN 5).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from .call import TARGET_KEYS, GenericToolCall, ServiceCall, Target, ToolCall
from .caller import Caller, Origin
from .decision import Policy, PolicyDecision, Verdict
from .home import ConditionResult, HomeView
from .impact import Impact
from .reason import Code, Reason

UNKNOWN: Final = "depends"
_MASK: Final = "***"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a policy says of a call of the past.

    `verdict` is None if a condition (`when`) would decide, and nobody knows how it
    stood.
    """

    verdict: Verdict | None
    reason: Reason
    rule: str | None
    line: int | None

    @property
    def word(self) -> str:
        """Return `allow`, `ask`, `deny`, or `depends`."""
        return UNKNOWN if self.verdict is None else self.verdict.value


@dataclass(frozen=True, slots=True)
class _Always:
    """A checker that gives every condition the same answer."""

    met: bool

    def check(self, condition_id: str) -> ConditionResult:
        """Return that answer."""
        return ConditionResult(met=self.met)


def judge(policy: Policy, call: ToolCall, caller: Caller, home: HomeView) -> Judgement:
    """Return what a policy says of a call, whatever its conditions say."""
    met = policy.evaluate(call, caller, home, _Always(met=True))
    unmet = policy.evaluate(call, caller, home, _Always(met=False))
    known = met.verdict is unmet.verdict
    return _judgement(met, met.verdict if known else None)


def _judgement(decision: PolicyDecision, verdict: Verdict | None) -> Judgement:
    rule = decision.rule
    return Judgement(
        verdict=verdict,
        reason=decision.reason,
        rule=rule.name if rule else None,
        line=rule.line if rule else None,
    )


def call_of(
    tool: str, arguments: Mapping[str, Any], *, impact: object = None
) -> ToolCall | None:
    """Return the call that a row of the trail holds; None if it is not all there.

    Secrets are starred out in the trail, and what is too long is cut. `impact` is how
    the row says that the call was classed then.
    """
    if _starred(arguments):
        return None
    domain, dot, service = tool.partition(".")
    if not dot:
        if not tool:
            return None
        reads = True if impact == Impact.READ.name.lower() else None
        return GenericToolCall(tool=tool, input=arguments, reads=reads)
    target, data = arguments.get("target"), arguments.get("data")
    if not isinstance(target, Mapping) or not isinstance(data, Mapping):
        return None
    try:
        ids = {
            key: tuple(map(str, target[key])) for key in TARGET_KEYS if key in target
        }
    except TypeError:
        return None
    return ServiceCall(domain=domain, service=service, target=Target(**ids), data=data)


def caller_of(said: Mapping[str, Any]) -> Caller | None:
    """Return the caller that a row of the trail holds; None if it is not all there."""
    known = {field.name for field in fields(Caller)}
    try:
        given = {key: value for key, value in said.items() if key in known}
        return Caller(**{**given, "origin": Origin(said["origin"])})
    except KeyError, TypeError, ValueError:
        return None


def reason_of(decision: Mapping[str, Any]) -> Reason | None:
    """Return why a call of the trail was decided so; None if that can't be read."""
    try:
        code = Code(decision["code"])
    except KeyError, ValueError:
        return None
    values = decision.get("values")
    return Reason(
        code=code,
        values={str(key): str(value) for key, value in values.items()}
        if isinstance(values, Mapping)
        else {},
    )


def _starred(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_starred, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_starred, value))
    return value == _MASK
