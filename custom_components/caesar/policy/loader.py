"""From the text of a policy file to a policy, or to everything that is wrong with it.

Grammar version 1, as far as this version knows it (docs/policy.md). Strict, because
a typo must never widen a rule: nothing is ignored, nothing is guessed. A key that is
added later gets a reader in one of the three tables below, and a field in rules.py.
"""

from collections.abc import Callable, Mapping, Sequence
import hashlib
import re
from typing import Any, Final

from .call import TARGET_KEYS, Target
from .crosscheck import Rule, check_names, check_wider
from .decision import ApprovalMode, RuleRef
from .engine import ALLOWED_SERVICES, ALLOWED_TOOLS, CALL_SERVICE, LoadedPolicy, Mode
from .fields import (
    BOUNDS,
    TARGET_READERS,
    Keys,
    read_approval,
    read_block,
    read_constraint,
    read_name,
    read_text,
    read_version,
    wrong_type,
)
from .impact import CORE_READS, ENTITY_DOMAINS, is_locked, is_never
from .inputs import read_input
from .problem import PolicyError, Problem, ProblemCode, Report, did_you_mean
from .rules import Constraint, DataRule, ServiceRule, ToolRule
from .yaml_tree import Block, Listing, Node, Scalar, read_tree

__all__ = [
    "MAX_RULES",
    "LoadedPolicy",
    "PolicyError",
    "Problem",
    "ProblemCode",
    "load_policy",
]

MAX_RULES: Final = 10_000
_SERVICE: Final = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9_]{1,190}")
_TOOL: Final = re.compile(r"[a-z0-9_]{1,64}")
_OTHERS: Final = "*"


def load_policy(text: str) -> LoadedPolicy:
    """Return the policy that a file's text describes.

    The revision is the SHA-256 of the text in UTF-8. Raises PolicyError with every
    fault, each with its line and column.
    """
    report = Report()
    root = read_tree(text, report)
    values: dict[str, Any] = {}
    if root is None or (isinstance(root, Block) and not root.entries):
        place = root or Scalar(value=None, line=1, column=1)
        report.lint(place, "", "The file is empty: only reading is allowed.")
    else:
        values = read_block(report, root, "", _FILE)
        _require(report, root, "", values, "version")
    services: list[ServiceRule] = values.get(ALLOWED_SERVICES) or []
    tools: list[ToolRule] = values.get(ALLOWED_TOOLS) or []
    if root is not None and len(services) + len(tools) > MAX_RULES:
        report.problem(
            root,
            "",
            ProblemCode.TOO_LARGE,
            f"There are more than {MAX_RULES} rules in this file.",
        )
    services_by_id = _indexed(services, lambda rule: rule.service)
    tools_by_id = _indexed(tools, lambda rule: rule.tool)
    check_names(report, [*services, *tools])
    groups: list[Sequence[Rule]] = [*services_by_id.values(), *tools_by_id.values()]
    for group in groups:
        check_wider(report, group)
    report.raise_problems()
    listed = bool({ALLOWED_SERVICES, ALLOWED_TOOLS} & set(values))
    return LoadedPolicy(
        revision=hashlib.sha256(text.encode()).hexdigest(),
        mode=Mode.LIST if listed else Mode.DEFAULT,
        services=services_by_id,
        tools=tools_by_id,
        tools_listed=ALLOWED_TOOLS in values,
        counts={ALLOWED_SERVICES: len(services), ALLOWED_TOOLS: len(tools)},
        lints=tuple(report.lints),
    )


def _indexed[R](rules: list[R], key: Callable[[R], str]) -> Mapping[str, tuple[R, ...]]:
    found: dict[str, list[R]] = {}
    for rule in rules:
        found.setdefault(key(rule), []).append(rule)
    return {word: tuple(group) for word, group in found.items()}


def _require(
    report: Report, node: Node, path: str, values: Mapping[str, Any], key: str
) -> None:
    if isinstance(node, Block) and key not in values:
        report.problem(
            node, path, ProblemCode.MISSING_KEY, f"The key '{key}' is missing here."
        )


def _read_list[R](
    report: Report,
    node: Node,
    path: str,
    read_entry: Callable[[Report, Node, str, dict[str, int]], R | None],
) -> list[R]:
    """Return the rules of a list; `[]` is a list that grants nothing."""
    if not isinstance(node, Listing):
        wrong_type(report, node, path, "a list (write [] for an empty one)")
        return []
    ordinals: dict[str, int] = {}
    rules = []
    for number, item in enumerate(node.items, 1):
        rule = read_entry(report, item, f"{path}[{number}]", ordinals)
        if rule is not None:
            rules.append(rule)
    return rules


def _ref(node: Node, name: str | None, word: str, ordinals: dict[str, int]) -> RuleRef:
    ordinals[word] = ordinals.get(word, 0) + 1
    return RuleRef(name=name or f"{word}#{ordinals[word]}", line=node.line)


def _is_lonely(node: Node) -> bool:
    """Return whether an entry is a block that says nothing but whom it is for."""
    return isinstance(node, Block) and len(node.entries) == 1


def _read_services(report: Report, node: Node, path: str) -> list[ServiceRule]:
    return _read_list(report, node, path, _read_service_entry)


def _read_service_entry(
    report: Report, node: Node, path: str, ordinals: dict[str, int]
) -> ServiceRule | None:
    before = len(report.problems)
    if isinstance(node, Block):
        values = read_block(report, node, path, _SERVICE_ENTRY, _MISPLACED)
        _require(report, node, path, values, "service")
    else:
        values = {"service": _read_service(report, node, path)}
    if len(report.problems) > before:
        return None
    ref = _ref(node, values.pop("name", None), values["service"], ordinals)
    rule = ServiceRule(ref=ref, lonely=_is_lonely(node), **values)
    if rule.approval is ApprovalMode.NEVER and is_locked(rule.service):
        report.problem(
            node,
            path,
            ProblemCode.BAD_VALUE,
            f"{rule.service} runs code, so it always asks; 'approval: never' can't"
            " be used here.",
        )
    _note_no_effect(report, node, path, rule)
    return rule


def _note_no_effect(report: Report, node: Node, path: str, rule: ServiceRule) -> None:
    if is_never(rule.service):
        report.lint(node, path, f"{rule.service} can never be allowed.")
    domain = rule.service.partition(".")[0]
    if rule.target is None or domain not in ENTITY_DOMAINS:
        return
    for entity_id in rule.target.entity_id:
        own = entity_id.partition(".")[0]
        if "." in entity_id and own not in (domain, "group"):
            report.lint(node, path, f"{rule.service} does nothing to {entity_id}.")


def _read_service(report: Report, node: Node, path: str) -> str | None:
    word = read_text(report, node, path)
    if word is None or _SERVICE.fullmatch(word):
        return word
    if "*" in word or "?" in word:
        hint = "Wildcards are not allowed; list each service."
    elif "__" in word:
        hint = f"Did you mean '{word.replace('__', '.', 1)}'?"
    else:
        hint = "Write it like light.turn_on."
    report.problem(
        node, path, ProblemCode.BAD_VALUE, f"'{word}' is not the id of a service.", hint
    )
    return None


def _read_target(report: Report, node: Node, path: str) -> Target | None:
    values = read_block(report, node, path, TARGET_READERS)
    if isinstance(node, Block) and not node.entries:
        report.problem(
            node,
            path,
            ProblemCode.EMPTY,
            "This target names nothing.",
            "To allow all of the service's entities, leave 'target' out.",
        )
    return Target(**values)


def _read_data(report: Report, node: Node, path: str) -> DataRule | None:
    if not isinstance(node, Block):
        wrong_type(report, node, path, "a block of fields")
        return None
    if not node.entries:
        report.problem(
            node,
            path,
            ProblemCode.EMPTY,
            "This block allows no field at all.",
            "To allow any data, leave 'data' out.",
        )
    bounded = any(isinstance(child, Block) for _, child in node.entries)
    fields: dict[str, Constraint] = {}
    others = False
    for key, child in node.entries:
        word = str(key.value)
        inner = f"{path}.{word}"
        if word in TARGET_KEYS:
            report.problem(
                key,
                inner,
                ProblemCode.BAD_VALUE,
                f"'{word}' is not data.",
                "Write it under 'target:'.",
            )
        elif bounded and word in BOUNDS:
            # A bound that slipped out of its field would leave the field wider.
            report.problem(
                key,
                inner,
                ProblemCode.BAD_VALUE,
                f"'{word}' is a bound and stands beside a field that has bounds.",
                "Indent it, so that it belongs to the field.",
            )
        elif word in _SLIPPED:
            # It would be taken for a field, and the rule would be without it.
            report.problem(
                key,
                inner,
                ProblemCode.BAD_VALUE,
                f"'{word}' is a key of the entry, not a field of its data.",
                "Indent it less, so that it belongs to the entry.",
            )
        elif word == _OTHERS:
            others = isinstance(child, Scalar) and child.value is True
            if not others:
                wrong_type(report, child, inner, "the word true")
        elif constraint := read_constraint(report, child, inner):
            fields[word] = constraint
    return DataRule(fields=fields, others=others)


def _read_tools(report: Report, node: Node, path: str) -> list[ToolRule]:
    return _read_list(report, node, path, _read_tool_entry)


def _read_tool_entry(
    report: Report, node: Node, path: str, ordinals: dict[str, int]
) -> ToolRule | None:
    before = len(report.problems)
    if isinstance(node, Block):
        values = read_block(report, node, path, _TOOL_ENTRY)
        _require(report, node, path, values, "tool")
    else:
        values = {"tool": _read_tool(report, node, path)}
    if len(report.problems) > before:
        return None
    ref = _ref(node, values.pop("name", None), values["tool"], ordinals)
    if block := values.pop("input", None):
        values["input"] = read_input(report, values["tool"], block, f"{path}.input")
    if len(report.problems) > before:
        return None
    return ToolRule(ref=ref, lonely=_is_lonely(node), **values)


def _read_tool(report: Report, node: Node, path: str) -> str | None:
    word = read_text(report, node, path)
    if word is None:
        return None
    hint = None
    if word == CALL_SERVICE or _SERVICE.fullmatch(word):
        hint = f"Services belong into '{ALLOWED_SERVICES}'."
    elif not _TOOL.fullmatch(word):
        hint = "Write it like web_search."
    elif word not in CORE_READS:
        # A misspelt read would leave the real one open to everything.
        hint = did_you_mean(word, CORE_READS, cutoff=0.8)
    if hint:
        report.problem(
            node,
            path,
            ProblemCode.BAD_VALUE,
            f"'{word}' is not the id of a tool.",
            hint,
        )
        return None
    return word


def _read_input_block(report: Report, node: Node, path: str) -> Block | None:
    """Keep the block for the tool's own matcher, which alone knows what it means."""
    if not isinstance(node, Block):
        wrong_type(report, node, path, "a block of keys")
        return None
    if not node.entries:
        report.problem(
            node,
            path,
            ProblemCode.EMPTY,
            "This block bounds nothing.",
            "To allow any input, leave 'input' out.",
        )
    return node


_LATER_ENTRY: Final[Keys] = dict.fromkeys(
    ("for", "when", "approvers", "pin", "max_entities", "tainted")
)
_FILE: Final[Keys] = {
    "version": read_version,
    ALLOWED_SERVICES: _read_services,
    ALLOWED_TOOLS: _read_tools,
    **dict.fromkeys(("bot", "sentinel", "impact", "unlisted")),
}
_SERVICE_ENTRY: Final[Keys] = {
    "service": _read_service,
    "target": _read_target,
    "data": _read_data,
    "approval": read_approval,
    "name": read_name,
    **_LATER_ENTRY,
}
_TOOL_ENTRY: Final[Keys] = {
    "tool": _read_tool,
    "input": _read_input_block,
    "approval": read_approval,
    "name": read_name,
    **_LATER_ENTRY,
}
_SLIPPED: Final = frozenset({"service", "data", "approval", *_LATER_ENTRY})
_MISPLACED: Final = dict.fromkeys(TARGET_KEYS, "Write it under 'target:'.")
