"""Which rule grants a call, if any, and how it came closest if none does."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .call import GenericToolCall, ServiceCall, tool_id
from .decision import ApprovalMode, RuleRef
from .home import HomeView
from .impact import GENERIC_SWITCHES, is_never
from .matchers import Granted, bare_outside
from .reason import Code, Reason
from .resolve import Reach
from .rules import ServiceRule, ToolRule

NAMED_AT_MOST: Final = 5
_FREEDOM: Final = (ApprovalMode.NEVER, ApprovalMode.AUTO, ApprovalMode.ALWAYS)
_CLOSENESS: Final = (
    Code.TARGET_REQUIRED,
    Code.TARGET_NOT_COVERED,
    Code.DATA_NOT_ALLOWED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A rule that covers the whole call, and what it says about approval."""

    rule: RuleRef
    approval: ApprovalMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why the rule that came closest does not cover the call."""

    rule: RuleRef
    reason: Reason


def listed(entity_ids: Iterable[str]) -> str:
    """Return the first few ids, for a sentence."""
    return ", ".join(list(entity_ids)[:NAMED_AT_MOST])


def service_grant(
    call: ServiceCall,
    reach: Reach,
    services: Mapping[str, Sequence[ServiceRule]],
    home: HomeView,
) -> Grant | Refusal:
    """Return the freest rule that covers the call, else the closest refusal.

    The service must be listed. Rules are OR-ed: one of them must cover the whole
    call, two halves never add up (SPEC C-5, C-6).
    """
    refusals: list[Refusal] = []
    grants: list[Grant] = []
    for rule in services[tool_id(call)]:
        answer = _judge(call, reach, rule, services, home)
        if isinstance(answer, Grant):
            grants.append(answer)
        else:
            refusals.append(answer)
    if grants:
        return min(grants, key=lambda grant: _FREEDOM.index(grant.approval))
    return max(refusals, key=lambda refusal: _CLOSENESS.index(refusal.reason.code))


def tool_grant(
    call: GenericToolCall, rules: Sequence[ToolRule], home: HomeView
) -> Grant | Refusal:
    """Return the freest rule that covers the call, else the first refusal."""
    refusals: list[Refusal] = []
    grants: list[Grant] = []
    for rule in rules:
        key = rule.input.refused_key(call.input, home) if rule.input else None
        if key is None:
            grants.append(Grant(rule=rule.ref, approval=rule.approval))
        else:
            reason = Reason(
                code=Code.INPUT_NOT_ALLOWED, values={"tool": call.tool, "key": key}
            )
            refusals.append(Refusal(rule=rule.ref, reason=reason))
    if grants:
        return min(grants, key=lambda grant: _FREEDOM.index(grant.approval))
    return refusals[0]


def _judge(
    call: ServiceCall,
    reach: Reach,
    rule: ServiceRule,
    services: Mapping[str, Sequence[ServiceRule]],
    home: HomeView,
) -> Grant | Refusal:
    if refusal := _refused(call, reach, rule, home):
        return refusal
    if rule.target is None and rule.service in GENERIC_SWITCHES:
        return _each_on_its_own(call, reach, rule, services, home)
    return Grant(rule=rule.ref, approval=rule.approval)


def _refused(
    call: ServiceCall, reach: Reach, rule: ServiceRule, home: HomeView
) -> Refusal | None:
    """Return why the rule's target and data do not cover the call."""
    tool = tool_id(call)
    if rule.target is None:
        outside = bare_outside(reach.pinned, call.domain, home)
    elif not call.target:
        reason = Reason(code=Code.TARGET_REQUIRED, values={"service": tool})
        return Refusal(rule=rule.ref, reason=reason)
    else:
        granted = Granted.of(rule.target, call.domain, home)
        outside = granted.outside(reach.pinned, reach.opaque, home)
    if outside:
        return _not_covered(rule, tool, outside)
    if rule.data and (key := rule.data.refused_key(call.data)) is not None:
        reason = Reason(
            code=Code.DATA_NOT_ALLOWED, values={"service": tool, "key": key[:64]}
        )
        return Refusal(rule=rule.ref, reason=reason)
    return None


def _each_on_its_own(
    call: ServiceCall,
    reach: Reach,
    rule: ServiceRule,
    services: Mapping[str, Sequence[ServiceRule]],
    home: HomeView,
) -> Grant | Refusal:
    """Judge a generic switch by what it stands for: each entity's own service.

    `homeassistant.turn_off` is an alias of everything, so a bare rule grants only
    what other rules grant too, and the strictest of them says whether to ask.
    """
    approvals = [rule.approval]
    outside: list[str] = []
    for facts in reach.facts:
        if facts is None or (facts.domain == "group" and facts.members):
            continue
        own = ServiceCall(
            domain=facts.domain,
            service=call.service,
            target=type(call.target)(entity_id=(facts.entity_id,)),
            data=call.data,
        )
        alone = Reach(pinned=(facts.entity_id,), opaque=reach.opaque)
        modes = [
            each.approval
            for each in services.get(tool_id(own), ())
            if not is_never(each.service) and not _refused(own, alone, each, home)
        ]
        if modes:
            approvals.append(min(modes, key=_FREEDOM.index))
        else:
            outside.append(facts.entity_id)
    if outside:
        return _not_covered(rule, tool_id(call), outside)
    return Grant(rule=rule.ref, approval=max(approvals, key=_FREEDOM.index))


def _not_covered(rule: ServiceRule, tool: str, outside: Iterable[str]) -> Refusal:
    reason = Reason(
        code=Code.TARGET_NOT_COVERED,
        values={"service": tool, "entities": listed(outside)},
    )
    return Refusal(rule=rule.ref, reason=reason)
