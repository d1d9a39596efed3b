"""The `when:` of an entry: Home Assistant's own condition syntax, kept as it is.

What is refused here would hold where the owner thinks it does not: Home Assistant
counts a disabled condition as met inside `and`, and an empty `and` as true. Whether
the rest means anything, Home Assistant itself says when it compiles it.
"""

from collections.abc import Mapping
from typing import Final

from ..legion.canonical import Json
from .fields import wrong_type
from .problem import ProblemCode, did_you_mean
from .reading import Reading
from .yaml_tree import Block, Listing, Node, Scalar

GROUPS: Final = ("and", "or", "not")
PLATFORMS: Final = (
    "numeric_state",
    "state",
    "sun",
    "template",
    "time",
    "zone",
    *GROUPS,
)
_CONDITION: Final = "condition"
_MEMBERS: Final = "conditions"
_KNOWN: Final = ", ".join(PLATFORMS)
_ENABLED: Final = "enabled"
_TEMPLATE_MARKS: Final = ("{{", "{%")


def read_when(report: Reading, node: Node, path: str) -> str | None:
    """Check a condition and keep it; return its id, which is its path."""
    before = len(report.problems)
    _check_members(report, node, path)
    if len(report.problems) > before:
        return None
    report.conditions[path] = as_json(node)
    report.places[path] = (node.line, node.column)
    return path


def as_json(node: Node) -> Json:
    """Return the values of a tree without their places."""
    match node:
        case Block():
            return {str(key.value): as_json(child) for key, child in node.entries}
        case Listing():
            return [as_json(item) for item in node.items]
        case Scalar():
            return node.value


def _check_members(report: Reading, node: Node, path: str) -> None:
    """Check one condition or a list of them, which must not be empty."""
    if not isinstance(node, Listing):
        _check_one(report, node, path)
        return
    if not node.items:
        report.problem(
            node, path, ProblemCode.EMPTY, "There must be a condition here.", _EMPTY
        )
    for number, item in enumerate(node.items, 1):
        _check_one(report, item, f"{path}[{number}]")


def _check_one(report: Reading, node: Node, path: str) -> None:
    match node:
        case Block():
            _check_block(report, node, path)
        case Scalar(value=str() as text) if any(m in text for m in _TEMPLATE_MARKS):
            pass
        case _:
            wrong_type(report, node, path, "a condition")


def _check_block(report: Reading, node: Block, path: str) -> None:
    keys = {str(key.value): (key, child) for key, child in node.entries}
    groups = [word for word in keys if word in GROUPS]
    if _CONDITION in keys:
        _check_full(report, node, path, keys)
    elif len(groups) == 1:
        word = groups[0]
        _check_members(report, keys[word][1], f"{path}.{word}")
        _check_values(report, node, path, but={word})
    else:
        report.problem(
            node,
            path,
            ProblemCode.BAD_VALUE,
            "This does not say which kind of condition it is.",
            f"Write 'condition:' with one of {_KNOWN}.",
        )


def _check_full(
    report: Reading, node: Block, path: str, keys: Mapping[str, tuple[Scalar, Node]]
) -> None:
    """Check a condition that names its platform."""
    kind = keys[_CONDITION][1]
    inner = f"{path}.{_CONDITION}"
    word = kind.value if isinstance(kind, Scalar) else None
    if word not in PLATFORMS:
        if isinstance(word, str) and not any(m in word for m in _TEMPLATE_MARKS):
            report.problem(
                kind,
                inner,
                ProblemCode.BAD_VALUE,
                f"A policy can't use the condition '{word}'.",
                did_you_mean(word, PLATFORMS) or f"It can use {_KNOWN}.",
            )
        else:
            wrong_type(report, kind, inner, "the name of a kind of condition")
    if doubled := next((each for each in keys if each in GROUPS), None):
        report.problem(
            keys[doubled][0],
            f"{path}.{doubled}",
            ProblemCode.BAD_VALUE,
            f"'{doubled}' can't stand beside 'condition'.",
            "Put both into a list.",
        )
    but = set()
    if word in GROUPS:
        but = {_MEMBERS}
        if _MEMBERS in keys:
            _check_members(report, keys[_MEMBERS][1], f"{path}.{_MEMBERS}")
        else:
            report.problem(
                node,
                path,
                ProblemCode.MISSING_KEY,
                f"The key '{_MEMBERS}' is missing here.",
                _EMPTY,
            )
    _check_values(report, node, path, but=but)


def _check_values(
    report: Reading, node: Node, path: str, *, but: frozenset[str] | set[str]
) -> None:
    """Refuse, at any depth, what is switched off or empty; `but` is checked already."""
    match node:
        case Block():
            if not node.entries:
                report.problem(node, path, ProblemCode.EMPTY, "This block is empty.")
            for key, child in node.entries:
                word = str(key.value)
                inner = f"{path}.{word}"
                if word == _ENABLED:
                    report.problem(
                        key,
                        inner,
                        ProblemCode.NOT_SUPPORTED,
                        "A condition of a policy can't be switched off: Home Assistant"
                        " would count it as met.",
                        "Take the condition out, or make it a comment.",
                    )
                elif word in _SLIPPED or (word == _FOR and _names_callers(child)):
                    # It would be taken for a part of the condition, and the rule
                    # would be without it.
                    report.problem(
                        key,
                        inner,
                        ProblemCode.BAD_VALUE,
                        f"'{word}' is a key of the entry, not of a condition.",
                        "Indent it less, so that it belongs to the entry.",
                    )
                elif word not in but:
                    _check_values(report, child, inner, but=frozenset())
        case Listing():
            if not node.items:
                report.problem(
                    node, path, ProblemCode.EMPTY, "This list is empty.", _EMPTY
                )
            for item in node.items:
                _check_values(report, item, path, but=frozenset())
        case Scalar(value=None):
            wrong_type(report, node, path, "a value")
        case Scalar():
            pass


def _names_callers(node: Node) -> bool:
    """Return whether a `for` says who, and not how long."""
    return isinstance(node, Block) and any(
        key.value in _CALLERS for key, _ in node.entries
    )


_SLIPPED: Final = frozenset(
    {
        *("service", "tool", "target", "data", "input", "when", "approval"),
        *("approvers", "pin", "max_entities", "tainted"),
    }
)
_FOR: Final = "for"
_CALLERS: Final = frozenset({"user", "area", "device", "agent", "origin", "admin"})
_EMPTY: Final = "Without one it would always hold."
