"""What only shows when the rules of a policy are seen together."""

from collections.abc import Sequence

from .decision import ApprovalMode
from .problem import ProblemCode, Report
from .rules import ServiceRule, ToolRule
from .yaml_tree import Scalar

type Rule = ServiceRule | ToolRule


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
    for rule in bounded:
        report.lint(
            _place(rule),
            rule.ref.name,
            f"The rule on line {wide[0].ref.line} allows all of this without asking,"
            " so this one changes nothing.",
        )


def _allows_everything(rule: Rule) -> bool:
    return rule.unbounded and rule.approval is not ApprovalMode.ALWAYS


def _place(rule: Rule) -> Scalar:
    return Scalar(value=None, line=rule.ref.line, column=1)
