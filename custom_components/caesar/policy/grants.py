"""Which rule grants a call, if any, and how it came closest if none does.

Rules are OR-ed: one of them must cover the whole call, two halves never add up
(SPEC C-5, C-6). Of several that cover it, the one that asks least decides (ADR-0008).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from .asking import MOST_STRICT, TRUST, strictness, why_ask
from .call import GenericToolCall, ServiceCall, Target, tool_id
from .caller import Caller
from .decision import ApprovalTerms, RuleRef
from .finding import Cover, Finding, Findings, Refusal, not_covered
from .home import ConditionChecker, HomeView
from .impact import GENERIC_SWITCHES, Impact, is_never
from .modes import Scope
from .reason import Code, Reason
from .rules import Rule, ServiceRule, ToolRule

_NO_TERMS: Final = ApprovalTerms()
_CLOSENESS: Final = (
    Code.TARGET_REQUIRED,
    Code.TARGET_NOT_COVERED,
    Code.INPUT_NOT_ALLOWED,
    Code.DATA_NOT_ALLOWED,
    Code.DOMAIN_NOT_ALLOWED,
    Code.CALLER_NOT_COVERED,
    Code.CONDITION_NOT_MET,
)

# What switching a thing on and off in general does to some kinds of it.
_SWITCHED: Final = {
    ("cover", "turn_on"): "open_cover",
    ("cover", "turn_off"): "close_cover",
    ("lock", "turn_on"): "lock",
    ("lock", "turn_off"): "unlock",
    ("valve", "turn_on"): "open_valve",
    ("valve", "turn_off"): "close_valve",
    ("vacuum", "turn_on"): "start",
    ("vacuum", "turn_off"): "return_to_base",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A rule that covers the whole call, and on which terms.

    `ask` says why a person must be asked, None for not at all. `hosts` are those
    that may show in the result, None for all.
    """

    rule: RuleRef
    ask: Code | None
    taint_allowed: bool
    terms: ApprovalTerms
    hosts: tuple[str, ...] | None = None

    @property
    def strictness(self) -> int:
        """Return what the rule asks, to be compared; less is less."""
        return strictness(self.ask, self.terms.pin, self.taint_allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Asks rules about the calls of one caller at one moment."""

    caller: Caller
    home: HomeView
    conditions: ConditionChecker
    findings: Findings
    scope: Scope
    any_change_asks: bool

    def ask_of_class(self, impact: Impact) -> Code | None:
        """Return why a call that a mere pattern grants asks: its class alone."""
        return self._ask(None, impact, 0)

    def service_grant(
        self, call: ServiceCall, finding: Finding, size: int | None
    ) -> Grant | Refusal:
        """Return the rule that asks least of those that cover the call.

        The service must be listed. `size` is how many entities are touched in all.
        """
        tool = tool_id(call)
        best: Grant | Cover | None = None
        least = MOST_STRICT
        refusals = [finding.refusal] if finding.refusal else []
        is_generic = tool in GENERIC_SWITCHES
        for cover in finding.covering:
            rule, needed = cover.rule, cover.strictness
            if needed >= least:
                continue
            if rule.data and (key := rule.data.refused_key(call.data)) is not None:
                values = {"service": tool, "key": key[:64]}
                reason = Reason(code=Code.DATA_NOT_ALLOWED, values=values)
                refusals.append(Refusal(rule=rule.ref, reason=reason))
                continue
            answer: Grant | Refusal | Cover = cover
            if is_generic and rule.target is None:
                answer = self._each_on_its_own(call, finding, size, rule)
            elif size != finding.size and rule.max_entities is not None:
                answer = _grant(rule, self._ask(rule, finding.impact, size))
            if isinstance(answer, Refusal):
                refusals.append(answer)
                continue
            needed = answer.strictness
            if needed >= least:
                continue
            if (rule.who or rule.when) and (now := self._not_now(rule, tool)):
                refusals.append(Refusal(rule=rule.ref, reason=now))
                continue
            best, least = answer, needed
        if isinstance(best, Cover):
            return _grant(best.rule, best.ask)
        return best or _closest(refusals)

    def tool_grant(
        self, call: GenericToolCall, rules: Sequence[ToolRule], impact: Impact
    ) -> Grant | Refusal:
        """Return the rule that asks least of those that cover the call.

        The result may show the hosts of all rules that ask no more than that one.
        """
        grants: list[Grant] = []
        refusals: list[Refusal] = []
        for rule in rules:
            reason = (
                rule.input.refusal(call.tool, call.input, self.home)
                if rule.input
                else None
            ) or self._not_now(rule, call.tool)
            if reason:
                refusals.append(Refusal(rule=rule.ref, reason=reason))
                continue
            hosts = rule.input.domains if rule.input else None
            grants.append(
                replace(_grant(rule, self._ask(rule, impact, 0)), hosts=hosts)
            )
        if not grants:
            return _closest(refusals)
        best = min(grants, key=lambda grant: grant.strictness)
        return replace(best, hosts=_union(grants, best))

    def denied_inside(self, call: ServiceCall, finding: Finding) -> Refusal | None:
        """Return what a pattern forbids of the services that the call stands for.

        A generic switch stands for each entity's own service, a scene or script for
        all that it starts.
        """
        if not self.scope.deny:
            return None
        services = list(finding.reach.calls)
        if tool_id(call) in GENERIC_SWITCHES:
            for domain in {facts.domain for facts in finding.reach.facts if facts}:
                switched = _SWITCHED.get((domain, call.service), call.service)
                services += f"{domain}.{call.service}", f"{domain}.{switched}"
        for service in services:
            barred = self.scope.barred(service, is_service=True)
            if barred and barred.rule:
                return Refusal(rule=barred.rule, reason=barred.reason)
        return None

    def _not_now(self, rule: Rule, tool: str) -> Reason | None:
        """Return why the rule is not for this caller, or not at this moment."""
        if rule.who is not None and not rule.who.covers(self.caller):
            return Reason(code=Code.CALLER_NOT_COVERED, values={"tool": tool})
        if rule.when is None:
            return None
        values = {"tool": tool, "rule": rule.ref.name}
        try:
            result = self.conditions.check(rule.when)
        except Exception as err:  # noqa: BLE001 a condition may raise anything
            values["problem"] = type(err).__name__
        else:
            if result.met is True:
                return None
            if result.problem:
                values["problem"] = result.problem
        return Reason(code=Code.CONDITION_NOT_MET, values=values)

    def _ask(self, rule: Rule | None, impact: Impact, size: int | None) -> Code | None:
        return why_ask(rule, impact, size, any_change_asks=self.any_change_asks)

    def _each_on_its_own(
        self,
        call: ServiceCall,
        finding: Finding,
        size: int | None,
        rule: ServiceRule,
    ) -> Grant | Refusal:
        """Judge a generic switch by what it stands for: each entity's own service.

        `homeassistant.turn_off` is an alias of everything, so a bare rule grants only
        what other rules grant too, and the strictest of them says whether to ask. If
        they are asked of different people, no answer could serve all.
        """
        strictest = _grant(rule, self._ask(rule, finding.impact, size))
        terms = None if strictest.terms == _NO_TERMS else strictest.terms
        outside: list[str] = []
        for facts in finding.reach.facts:
            if facts is None or (facts.domain == "group" and facts.members):
                continue
            own = ServiceCall(
                domain=facts.domain,
                service=call.service,
                target=Target(entity_id=(facts.entity_id,)),
                data=call.data,
            )
            grant = self._own_grant(own, size)
            if grant is None or terms not in (None, grant.terms):
                outside.append(facts.entity_id)
                continue
            terms = grant.terms
            strictest = replace(
                strictest,
                ask=strictest.ask or grant.ask,
                taint_allowed=strictest.taint_allowed and grant.taint_allowed,
                terms=terms,
            )
        if outside:
            return Refusal(rule=rule.ref, reason=not_covered(tool_id(call), outside))
        return strictest

    def _own_grant(self, own: ServiceCall, size: int | None) -> Grant | None:
        """Return what an entity's own rules grant."""
        tool = tool_id(own)
        if (
            tool not in self.scope.services
            or is_never(tool)
            or self.scope.barred(tool, is_service=True)
        ):
            return None
        finding = self.findings.of(own, self.home)
        if finding.reach.problem:
            return None
        grant = self.service_grant(own, finding, size)
        return grant if isinstance(grant, Grant) else None


def _grant(rule: Rule, ask: Code | None) -> Grant:
    terms = _NO_TERMS
    if rule.approvers or rule.pin is not None:
        terms = ApprovalTerms(approvers=rule.approvers, pin=rule.pin)
    return Grant(rule=rule.ref, ask=ask, taint_allowed=rule.taint_allowed, terms=terms)


def _union(grants: Sequence[Grant], best: Grant) -> tuple[str, ...] | None:
    """Return the hosts of all grants that ask no more than the best one."""
    hosts: dict[str, None] = {}
    for grant in grants:
        if grant.strictness // TRUST > best.strictness // TRUST:
            continue
        if grant.hosts is None:
            return None
        hosts.update(dict.fromkeys(grant.hosts))
    return tuple(hosts)


def _closest(refusals: Sequence[Refusal]) -> Refusal:
    """Return the first of those that came closest to granting the call.

    There is always one: a listed tool has rules, and each refused if none granted.
    """
    return max(refusals, key=lambda refusal: _CLOSENESS.index(refusal.reason.code))
