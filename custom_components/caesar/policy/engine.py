"""The decision about a call: a pure function of policy, call and house.

What a decision costs does not grow with the rules that don't concern the call
(DESIGN 5). Nothing here raises: what can't be decided is denied.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..legion.canonical import Json
from .call import TARGET_KEYS, GenericToolCall, ServiceCall, ToolCall, tool_id
from .caller import Caller, Origin
from .decision import (
    ApprovalTerms,
    Policy,
    PolicyDecision,
    ResultFilter,
    RuleRef,
    Verdict,
)
from .finding import NAMED_AT_MOST, Finding, Findings, Refusal, overridden
from .globs import CALL_SERVICE
from .grants import Grant, Judge
from .home import ConditionChecker, HomeView, NoConditions
from .impact import (
    ENTITY_DOMAINS,
    INTENT_PREFIX,
    Impact,
    classify,
    is_never,
    service_impact,
)
from .index import RuleIndex
from .modes import ALLOWED_SERVICES, ALLOWED_TOOLS, Mode, Scope, Standing, not_listed
from .problem import Problem
from .reading import NamedId
from .reason import Code, Reason
from .resolve import Reach
from .rules import ServiceRule, ToolRule
from .settings import ApprovalScope, PolicySettings

_ALLOWED: Final = Reason(code=Code.ALLOWED)
_NO_TERMS: Final = ApprovalTerms()
_NOTHING: Final = Finding(reach=Reach(), impact=Impact.DESTRUCTIVE, size=0)
_NEVER: Final = Finding(reach=Reach(), impact=Impact.NEVER, size=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPolicy:
    """A policy file, ready to be asked; implements the Policy Protocol.

    `counts` are the entries of each list; `lints` is what is safe but surely not
    meant; `conditions` are those of the rules' `when`, by id, in Home Assistant's own
    syntax, and `places` their lines and columns (from 1).
    """

    revision: str
    scope: Scope = field(default_factory=Scope)
    services: Mapping[str, tuple[ServiceRule, ...]] = field(default_factory=dict)
    tools: Mapping[str, tuple[ToolRule, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    lints: tuple[Problem, ...] = ()
    impacts: Mapping[str, Impact] = field(default_factory=dict)
    settings: PolicySettings = field(default_factory=PolicySettings)
    conditions: Mapping[str, Json] = field(default_factory=dict)
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    named: tuple[NamedId, ...] = ()
    indexes: Mapping[str, RuleIndex] = field(default_factory=dict, repr=False)
    _findings: Findings = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make the place where findings are kept."""
        findings = Findings(
            self.services,
            self.indexes,
            self.impacts,
            any_change_asks=self._any_change_asks,
        )
        object.__setattr__(self, "_findings", findings)

    @property
    def mode(self) -> Mode:
        """Return whether the file lists rules, patterns only, or nothing."""
        return self.scope.mode

    @property
    def _any_change_asks(self) -> bool:
        return self.settings.approval_scope is ApprovalScope.MUTATING

    def ids_named(self) -> Iterable[NamedId]:
        """Return every id that the file names, in its order, with its place."""
        return self.named

    def evaluate(
        self,
        call: ToolCall,
        caller: Caller,
        home: HomeView,
        conditions: ConditionChecker,
    ) -> PolicyDecision:
        """Decide a call. Never raises; what it can't understand is denied."""
        try:
            judge = Judge(
                caller=caller,
                home=home,
                conditions=conditions,
                findings=self._findings,
                scope=self.scope,
                any_change_asks=self._any_change_asks,
            )
            if isinstance(call, ServiceCall):
                return self._service(call, judge)
            return self._tool(call, judge)
        except Exception as err:  # noqa: BLE001 a view of the house may raise anything
            return self._denied(_policy_denied(call, type(err).__name__), _NOTHING)

    def may_grant(self, tool: str) -> bool:
        """Return whether any call of this tool could be granted to anybody.

        Knows `light.turn_on`, `light__turn_on`, `call_service` and ids of tools.
        """
        if tool == CALL_SERVICE:
            return self.scope.may_grant_a_service()
        is_service = "." in tool
        if (
            not is_service
            and "__" in tool
            and tool not in self.tools
            and not tool.startswith(INTENT_PREFIX)
        ):
            tool, is_service = tool.replace("__", ".", 1), True
        if is_never(tool) or self.scope.barred(tool, is_service=is_service):
            return False
        impact = self.impacts.get(tool, service_impact(tool))
        standing = self.scope.standing(tool, impact, is_service=is_service)
        if standing is Standing.BY_RULES and not is_service:
            return any(rule.satisfiable for rule in self.tools[tool])
        return standing is not Standing.UNLISTED

    def may_list(self, tool: str) -> bool:
        """Return whether a rule for this tool could be added and would then count."""
        barred = is_never(tool) or self.scope.barred(tool, is_service=False)
        return self.mode is Mode.LIST and not barred and tool not in self.tools

    def _service(self, call: ServiceCall, judge: Judge) -> PolicyDecision:
        tool = tool_id(call)
        if is_never(tool):
            return self._denied(_policy_denied(call, "never"), _NEVER)
        finding = self._findings.of(call, judge.home)
        if barred := self.scope.barred(tool, is_service=True):
            return self._denied(barred.reason, finding, rule=barred.rule)
        if finding.impact is Impact.NEVER:
            return self._denied(_policy_denied(call, "never"), finding)
        if inside := judge.denied_inside(call, finding):
            return self._denied(inside.reason, finding, rule=inside.rule)
        standing = self.scope.standing(tool, finding.impact, is_service=True)
        visible = standing is not Standing.UNLISTED
        if reason := finding.reach.problem:
            return self._denied(reason, finding, visible=visible)
        if not visible:
            return self._denied(not_listed(tool, ALLOWED_SERVICES), finding)
        if call.target and not finding.reach.pinned:
            return self._denied(_nothing_there(call), finding, visible=True)
        if standing is not Standing.BY_RULES:
            if reason := _lacks_target(call):
                return self._denied(reason, finding, visible=True)
            return self._without_rule(tool, standing, finding, judge)
        answer = judge.service_grant(call, finding, finding.size)
        if isinstance(answer, Refusal):
            return self._denied(answer.reason, finding, rule=answer.rule, visible=True)
        if reason := _lacks_target(call):
            return self._denied(reason, finding, rule=answer.rule, visible=True)
        return self._granted(tool, answer, finding)

    def _tool(self, call: GenericToolCall, judge: Judge) -> PolicyDecision:
        tool = call.tool
        if is_never(tool):
            return self._denied(_policy_denied(call, "never"), _NEVER)
        impact = overridden(classify(call), tool, self.impacts)
        finding = Finding(reach=Reach(), impact=impact, size=0)
        if barred := self.scope.barred(tool, is_service=False):
            return self._denied(barred.reason, finding, rule=barred.rule)
        standing = self.scope.standing(tool, impact, is_service=False)
        if standing is Standing.UNLISTED:
            # A worker's tool is shown, so that its first call says what to add.
            shown = self.mode is Mode.LIST
            reason = not_listed(tool, ALLOWED_TOOLS)
            return self._denied(reason, finding, visible=shown)
        if standing is not Standing.BY_RULES:
            return self._without_rule(tool, standing, finding, judge)
        answer = judge.tool_grant(call, self.tools[tool], impact)
        if isinstance(answer, Refusal):
            return self._denied(answer.reason, finding, rule=answer.rule, visible=True)
        return self._granted(tool, answer, finding)

    def _without_rule(
        self, tool: str, standing: Standing, finding: Finding, judge: Judge
    ) -> PolicyDecision:
        """Grant what no rule is about: freely, by its class, or with a question."""
        ask = None
        if standing is Standing.ASKED:
            ask = Code.APPROVAL_NEEDED
        elif standing is Standing.BY_CLASS:
            ask = judge.ask_of_class(finding.impact)
        return self._decision(
            Verdict.ASK if ask else Verdict.ALLOW,
            _question(tool, ask, finding) if ask else _ALLOWED,
            finding,
            visible=True,
            terms=_NO_TERMS if ask else None,
        )

    def _granted(self, tool: str, grant: Grant, finding: Finding) -> PolicyDecision:
        """Allow what a rule grants, or ask on its terms.

        An allowed call keeps terms of its own too: the sentinel may still ask.
        """
        ask = grant.ask
        return self._decision(
            Verdict.ASK if ask else Verdict.ALLOW,
            _question(tool, ask, finding) if ask else _ALLOWED,
            finding,
            rule=grant.rule,
            visible=True,
            terms=grant.terms if ask or grant.terms != _NO_TERMS else None,
            taint_allowed=grant.taint_allowed,
            hosts=grant.hosts,
        )

    def _denied(
        self,
        reason: Reason,
        finding: Finding,
        *,
        rule: RuleRef | None = None,
        visible: bool = False,
    ) -> PolicyDecision:
        return self._decision(Verdict.DENY, reason, finding, rule=rule, visible=visible)

    def _decision(
        self,
        verdict: Verdict,
        reason: Reason,
        finding: Finding,
        *,
        rule: RuleRef | None = None,
        visible: bool,
        terms: ApprovalTerms | None = None,
        taint_allowed: bool = False,
        hosts: tuple[str, ...] | None = None,
    ) -> PolicyDecision:
        reach = finding.reach
        return PolicyDecision(
            verdict=verdict,
            reason=reason,
            rule=rule,
            impact=finding.impact,
            pinned=reach.pinned,
            touched=reach.touched,
            named_in_data=reach.named_in_data,
            left_out=reach.left_out,
            content=reach.content,
            visible=visible,
            taint_allowed=taint_allowed,
            policy_rev=self.revision,
            approval=terms,
            result_filter=(
                None if hosts is None else ResultFilter(domain_allowlist=hosts)
            ),
        )


def evaluate_bare(policy: Policy, call: ToolCall, home: HomeView) -> PolicyDecision:
    """Decide a call for nobody in particular (ADR-0028's `evaluate(call)`)."""
    nobody = Caller(origin=Origin.AUTOMATION, agent_id="", context_id="")
    return policy.evaluate(call, nobody, home, NoConditions())


def _question(tool: str, ask: Code, finding: Finding) -> Reason:
    """Return why a person is asked."""
    entities = ", ".join(finding.reach.pinned[:NAMED_AT_MOST])
    return Reason(code=ask, values={"tool": tool, "entities": entities})


def _lacks_target(call: ServiceCall) -> Reason | None:
    """Return that the call names nothing although its service needs entities.

    Home Assistant would refuse it, after a person was asked for nothing.
    """
    if (
        call.target
        or call.domain not in ENTITY_DOMAINS
        or service_impact(tool_id(call)) is not Impact.REVERSIBLE
    ):
        return None
    return Reason(code=Code.INVALID_INPUT, values={"key": "target", "value": ""})


def _nothing_there(call: ServiceCall) -> Reason:
    """Return that a selector has nothing behind it that is shared and fits."""
    ids = [item for key in TARGET_KEYS for item in getattr(call.target, key)]
    values = {
        "service": tool_id(call),
        "entities": ", ".join(ids[:NAMED_AT_MOST]),
    }
    return Reason(code=Code.TARGET_NOT_COVERED, values=values)


def _policy_denied(call: ToolCall, why: str) -> Reason:
    return Reason(
        code=Code.POLICY_DENIED, values={"tool": tool_id(call)[:128], "why": why}
    )
