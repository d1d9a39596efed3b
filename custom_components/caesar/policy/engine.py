"""The decision about a call: a pure function of policy, call and house.

Rules are indexed by service and tool, so what a decision costs does not grow with
the rules that don't concern the call (DESIGN 5). Nothing here raises: what can't be
decided is denied.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from .call import TARGET_KEYS, GenericToolCall, ServiceCall, ToolCall, tool_id
from .caller import Caller, Origin
from .decision import (
    ApprovalMode,
    ApprovalTerms,
    Policy,
    PolicyDecision,
    RuleRef,
    Verdict,
)
from .grants import Refusal, listed, service_grant, tool_grant
from .home import ConditionChecker, HomeView, NoConditions
from .impact import (
    CORE_READS,
    RECALL_TOOLS,
    Impact,
    classify,
    is_locked,
    is_never,
    service_impact,
)
from .problem import Problem
from .reason import Code, Reason
from .resolve import Reach, find_reach
from .rules import ServiceRule, ToolRule

CALL_SERVICE: Final = "call_service"
ALLOWED_SERVICES: Final = "allowed_services"
ALLOWED_TOOLS: Final = "allowed_tools"
_ALLOWED: Final = Reason(code=Code.ALLOWED)
_NO_REACH: Final = Reach()


class Mode(StrEnum):
    """Whether the file lists what is allowed, or says nothing (reads only)."""

    DEFAULT = "default"
    LIST = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPolicy:
    """A policy file, ready to be asked; implements the Policy Protocol.

    `tools_listed` says that the file has the key `allowed_tools`: while it has not,
    recalling the past stays allowed (ADR-0028 of the founding documents). `counts`
    are the entries of each list; `lints` is what is safe but surely not meant.
    """

    revision: str
    mode: Mode
    services: Mapping[str, tuple[ServiceRule, ...]] = field(default_factory=dict)
    tools: Mapping[str, tuple[ToolRule, ...]] = field(default_factory=dict)
    tools_listed: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    lints: tuple[Problem, ...] = ()

    def evaluate(
        self,
        call: ToolCall,
        caller: Caller,
        home: HomeView,
        conditions: ConditionChecker,
    ) -> PolicyDecision:
        """Decide a call. Never raises; what it can't understand is denied."""
        try:
            answer = self._answer(call, home)
        except Exception as err:  # noqa: BLE001 a view of the house may raise anything
            reason = _policy_denied(call, type(err).__name__)
            answer = _Answer(verdict=Verdict.DENY, reason=reason)
        return PolicyDecision(
            verdict=answer.verdict,
            reason=answer.reason,
            rule=answer.rule,
            impact=answer.impact,
            pinned=answer.reach.pinned,
            touched=answer.reach.touched,
            named_in_data=answer.reach.named_in_data,
            left_out=answer.reach.left_out,
            visible=answer.visible,
            policy_rev=self.revision,
            approval=ApprovalTerms() if answer.verdict is Verdict.ASK else None,
        )

    def may_grant(self, tool: str) -> bool:
        """Return whether any call of this tool could be granted to anybody.

        Knows `light.turn_on`, `light__turn_on`, `call_service` and ids of tools.
        """
        if tool in self.tools:
            return any(rule.satisfiable for rule in self.tools[tool])
        if tool in CORE_READS:
            return True
        if tool == CALL_SERVICE:
            return self.mode is Mode.DEFAULT or not all(map(is_never, self.services))
        if "." not in tool:
            tool = tool.replace("__", ".", 1)
        if is_never(tool):
            return False
        if self.mode is Mode.DEFAULT:
            return service_impact(tool) is Impact.READ
        if tool in RECALL_TOOLS:
            return not self.tools_listed
        return tool in self.services

    def _answer(self, call: ToolCall, home: HomeView) -> _Answer:
        if is_never(tool_id(call)):
            return _Answer(
                verdict=Verdict.DENY,
                reason=_policy_denied(call, "never"),
                impact=Impact.NEVER,
            )
        if isinstance(call, ServiceCall):
            return self._service(call, home)
        return self._tool(call, home)

    def _service(self, call: ServiceCall, home: HomeView) -> _Answer:
        tool = tool_id(call)
        reach = find_reach(call, home)
        impact = classify(
            call, reach.facts, opaque=bool(reach.opaque), mentioned=reach.mentioned
        )
        open_by_default = self.mode is Mode.DEFAULT and impact is Impact.READ
        is_listed = tool in self.services
        denied = _Answer(
            verdict=Verdict.DENY,
            reason=Reason(
                code=Code.NOT_LISTED, values={"tool": tool, "block": ALLOWED_SERVICES}
            ),
            impact=impact,
            reach=reach,
            visible=is_listed or open_by_default,
        )
        if reach.problem:
            return denied.but(reason=reach.problem)
        if not is_listed and not open_by_default:
            return denied
        if call.target and not reach.pinned:
            return denied.but(reason=_nothing_there(call))
        if open_by_default:
            return denied.but(verdict=Verdict.ALLOW, reason=_ALLOWED)
        answer = service_grant(call, reach, self.services, home)
        if isinstance(answer, Refusal):
            return denied.but(reason=answer.reason, rule=answer.rule)
        return _granted(tool, answer.approval, denied.but(rule=answer.rule))

    def _tool(self, call: GenericToolCall, home: HomeView) -> _Answer:
        tool = call.tool
        impact = classify(call)
        in_list_mode = self.mode is Mode.LIST
        denied = _Answer(
            verdict=Verdict.DENY,
            reason=Reason(
                code=Code.NOT_LISTED, values={"tool": tool, "block": ALLOWED_TOOLS}
            ),
            impact=impact,
            # A worker's tool is shown, so that its first call says what to add.
            visible=in_list_mode,
        )
        if rules := self.tools.get(tool):
            answer = tool_grant(call, rules, home)
            if isinstance(answer, Refusal):
                return denied.but(reason=answer.reason, rule=answer.rule)
            return _granted(tool, answer.approval, denied.but(rule=answer.rule))
        if tool in CORE_READS or (
            tool in RECALL_TOOLS and not self.tools_listed
            if in_list_mode
            else impact is Impact.READ
        ):
            return denied.but(verdict=Verdict.ALLOW, reason=_ALLOWED, visible=True)
        return denied


def evaluate_bare(policy: Policy, call: ToolCall, home: HomeView) -> PolicyDecision:
    """Decide a call for nobody in particular (ADR-0028's `evaluate(call)`)."""
    nobody = Caller(origin=Origin.AUTOMATION, agent_id="", context_id="")
    return policy.evaluate(call, nobody, home, NoConditions())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """A decision in the making."""

    verdict: Verdict
    reason: Reason
    impact: Impact = Impact.DESTRUCTIVE
    reach: Reach = _NO_REACH
    rule: RuleRef | None = None
    visible: bool = False

    def but(self, **changes: Any) -> _Answer:
        return replace(self, **changes)


def _granted(tool: str, approval: ApprovalMode, granted: _Answer) -> _Answer:
    """Allow what a rule grants, or ask: locked always, destructive by default."""
    ask = (
        is_locked(tool)
        or approval is ApprovalMode.ALWAYS
        or (granted.impact >= Impact.DESTRUCTIVE and approval is not ApprovalMode.NEVER)
    )
    if not ask:
        return granted.but(verdict=Verdict.ALLOW, reason=_ALLOWED, visible=True)
    reason = Reason(
        code=Code.APPROVAL_NEEDED,
        values={"tool": tool, "entities": listed(granted.reach.pinned)},
    )
    return granted.but(verdict=Verdict.ASK, reason=reason, visible=True)


def _nothing_there(call: ServiceCall) -> Reason:
    """Return that a selector has nothing behind it that is shared and fits."""
    ids = [item for key in TARGET_KEYS for item in getattr(call.target, key)]
    return Reason(
        code=Code.TARGET_NOT_COVERED,
        values={"service": tool_id(call), "entities": listed(ids)},
    )


def _policy_denied(call: ToolCall, why: str) -> Reason:
    return Reason(
        code=Code.POLICY_DENIED, values={"tool": tool_id(call)[:128], "why": why}
    )
