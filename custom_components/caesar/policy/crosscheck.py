"""What only shows when the rules of a policy are seen together."""

from collections.abc import Mapping, Sequence
from typing import Final

from .decision import ApprovalMode
from .impact import Impact, service_impact
from .problem import ProblemCode, Report
from .rules import ServiceRule, ToolRule
from .yaml_tree import Scalar

type Rule = ServiceRule | ToolRule

_FREEDOM: Final = (ApprovalMode.NEVER, ApprovalMode.AUTO, ApprovalMode.ALWAYS)


def check_names(report: Report, rules: Sequence[Rule]) -> None:
    """Refuse two rules of one name: the trail tells rules apart by it."""
    lines: dict[str, int] = {}
    for rule in rules:
        name = rule.ref.name
        if name in lines:
            report.problem(
                _place(rule),
                name,
                ProblemCode.DUPLICATE,
                f"The name '{name}' is used twice, first by the rule on line"
                f" {lines[name]}.",
            )
        lines.setdefault(name, rule.ref.line)


def check_answers(
    report: Report, rules: Sequence[Rule], impacts: Mapping[str, Impact]
) -> None:
    """Refuse rules that say who answers a question that they never ask."""
    for rule in rules:
        keys = [key for key in ("approvers", "pin") if getattr(rule, key)]
        if not keys:
            continue
        if rule.approval is ApprovalMode.NEVER:
            why = "it never asks anybody"
        elif rule.approval is ApprovalMode.AUTO and (
            impacts.get(rule.tool, service_impact(rule.tool)) is Impact.READ
        ):
            why = "reading asks nobody, unless 'approval: always' says so"
        else:
            continue
        report.problem(
            _place(rule),
            rule.ref.name,
            ProblemCode.BAD_VALUE,
            f"'{keys[0]}' makes no sense in this entry: {why}.",
        )


def check_wider(report: Report, rules: Sequence[Rule]) -> None:
    """Look among the rules for one id for one that makes the bounds of others void.

    Rules are OR-ed, so beside one that allows everything no bound means anything.
    Written as a mere word that is the owner's choice, and noted. A block that says
    nothing but the id is what is left over when a line was doubled or the bounds got
    lost: it is refused.
    """
    wide = [rule for rule in rules if _allows_everything(rule)]
    bounded = [rule for rule in rules if not _allows_everything(rule)]
    if not wide or not bounded:
        return
    lonely = [rule for rule in wide if rule.lonely]
    for rule in lonely:
        report.problem(
            _place(rule),
            rule.ref.name,
            ProblemCode.BAD_VALUE,
            "This entry allows everything that the entry on line"
            f" {bounded[0].ref.line} bounds.",
            "If you mean that, write it as a mere word, without a colon.",
        )
    freest = min(wide, key=lambda rule: _FREEDOM.index(rule.approval))
    for rule in bounded:
        if not _is_freer(rule, freest):
            report.lint(
                _place(rule),
                rule.ref.name,
                f"The rule on line {freest.ref.line} allows all of this without"
                " asking more, so this one changes nothing.",
            )


def _allows_everything(rule: Rule) -> bool:
    return rule.unbounded and rule.approval is not ApprovalMode.ALWAYS


def _is_freer(rule: Rule, wide: Rule) -> bool:
    """Return whether the rule says anything that the wide one does not."""
    return (
        _FREEDOM.index(rule.approval) < _FREEDOM.index(wide.approval)
        or (rule.taint_allowed and not wide.taint_allowed)
        or (rule.approvers, rule.pin) != (wide.approvers, wide.pin)
    )


def _place(rule: Rule) -> Scalar:
    return Scalar(value=None, line=rule.ref.line, column=1)
