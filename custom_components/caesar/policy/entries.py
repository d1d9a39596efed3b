"""Readers of the two lists of a policy file, entry by entry."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any, Final

from .call import TARGET_KEYS, Target
from .decision import ApprovalMode, RuleRef
from .fields import (
    BOUNDS,
    TARGET_READERS,
    Keys,
    read_approval,
    read_block,
    read_constraint,
    read_name,
    read_text,
    read_whole,
    read_word,
    require,
    wrong_type,
)
from .globs import CALL_SERVICE
from .impact import CORE_READS, ENTITY_DOMAINS, is_locked, is_never
from .inputs import read_input
from .names import read_approvers, read_pin, read_who
from .problem import ProblemCode, did_you_mean
from .reading import IdKind, Reading
from .rules import Constraint, DataRule, ServiceRule, ToolRule
from .shapes import SERVICE, TOOL
from .when import read_when
from .yaml_tree import Block, Listing, Node, Scalar

MOST_ENTITIES: Final = 10_000
_OTHERS: Final = "*"


class Tainted(StrEnum):
    """Whether a turn with untrusted text may do it without being asked about."""

    ASK = "ask"
    ALLOW = "allow"


def _read_tainted(report: Reading, node: Node, path: str) -> bool:
    return read_word(report, node, path, Tainted) is Tainted.ALLOW


def _no_entities(report: Reading, node: Node, path: str) -> None:
    """Refuse a count of entities for something that touches none."""
    report.problem(
        node,
        path,
        ProblemCode.BAD_VALUE,
        "'max_entities' makes no sense for a tool: what it touches can't be counted.",
    )


def _read_list[R](
    report: Reading,
    node: Node,
    path: str,
    read_entry: Callable[[Reading, Node, str, dict[str, int]], R | None],
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


def read_services(report: Reading, node: Node, path: str) -> list[ServiceRule]:
    """Return the rules of `allowed_services`."""
    return _read_list(report, node, path, _read_service_entry)


def _read_service_entry(
    report: Reading, node: Node, path: str, ordinals: dict[str, int]
) -> ServiceRule | None:
    before = len(report.problems)
    if isinstance(node, Block):
        values = read_block(report, node, path, _SERVICE_ENTRY, _MISPLACED)
        require(report, node, path, values, "service")
    else:
        values = {"service": _read_service(report, node, path)}
    if len(report.problems) > before:
        return None
    ref = _ref(node, values.pop("name", None), values["service"], ordinals)
    rule = ServiceRule(ref=ref, lonely=_is_lonely(node), **_named_as_fields(values))
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


def _named_as_fields(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of an entry under the names of a rule's fields."""
    return {_FIELDS.get(key, key): value for key, value in values.items()}


def _note_no_effect(report: Reading, node: Node, path: str, rule: ServiceRule) -> None:
    if is_never(rule.service):
        report.lint(node, path, f"{rule.service} can never be allowed.")
    domain = rule.service.partition(".")[0]
    if rule.target is None or domain not in ENTITY_DOMAINS:
        return
    for entity_id in rule.target.entity_id:
        own = entity_id.partition(".")[0]
        if "." in entity_id and own not in (domain, "group"):
            report.lint(node, path, f"{rule.service} does nothing to {entity_id}.")


def _read_service(report: Reading, node: Node, path: str) -> str | None:
    word = read_text(report, node, path)
    if word is None:
        return None
    if SERVICE.fullmatch(word):
        report.name(IdKind.SERVICE, word, node, path)
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


def _read_target(report: Reading, node: Node, path: str) -> Target | None:
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


def _read_data(report: Reading, node: Node, path: str) -> DataRule | None:
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


def read_tools(report: Reading, node: Node, path: str) -> list[ToolRule]:
    """Return the rules of `allowed_tools`."""
    return _read_list(report, node, path, _read_tool_entry)


def _read_tool_entry(
    report: Reading, node: Node, path: str, ordinals: dict[str, int]
) -> ToolRule | None:
    before = len(report.problems)
    if isinstance(node, Block):
        values = read_block(report, node, path, _TOOL_ENTRY)
        require(report, node, path, values, "tool")
    else:
        values = {"tool": _read_tool(report, node, path)}
    if len(report.problems) > before:
        return None
    ref = _ref(node, values.pop("name", None), values["tool"], ordinals)
    if block := values.pop("input", None):
        values["input"] = read_input(report, values["tool"], block, f"{path}.input")
    if len(report.problems) > before:
        return None
    return ToolRule(ref=ref, lonely=_is_lonely(node), **_named_as_fields(values))


def _read_tool(report: Reading, node: Node, path: str) -> str | None:
    word = read_text(report, node, path)
    if word is None:
        return None
    hint = None
    if word == CALL_SERVICE or SERVICE.fullmatch(word):
        hint = "Services belong into 'allowed_services'."
    elif not TOOL.fullmatch(word):
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
    report.name(IdKind.TOOL, word, node, path)
    return word


def _read_input_block(report: Reading, node: Node, path: str) -> Block | None:
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


_ANY_ENTRY: Final[Keys] = {
    "approval": read_approval,
    "name": read_name,
    "for": read_who,
    "when": read_when,
    "approvers": read_approvers,
    "pin": read_pin,
    "tainted": _read_tainted,
}
_SERVICE_ENTRY: Final[Keys] = {
    "service": _read_service,
    "target": _read_target,
    "data": _read_data,
    **_ANY_ENTRY,
    "max_entities": partial(read_whole, least=1, most=MOST_ENTITIES),
}
_TOOL_ENTRY: Final[Keys] = {
    "tool": _read_tool,
    "input": _read_input_block,
    **_ANY_ENTRY,
    "max_entities": _no_entities,
}
_FIELDS: Final = {"for": "who", "tainted": "taint_allowed"}
_SLIPPED: Final = frozenset({"service", "data", "max_entities", *_ANY_ENTRY}) - {"name"}
_MISPLACED: Final = dict.fromkeys(TARGET_KEYS, "Write it under 'target:'.")
