"""Readers of single values of a policy file; each says what is wrong, and where."""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
import re
from typing import Any, Final

from .call import TARGET_KEYS
from .decision import ApprovalMode
from .pattern import PatternError, SafePattern
from .problem import ProblemCode, Report, did_you_mean
from .reading import IDS_OF_KEYS, Reading
from .rules import Constraint, Plain
from .yaml_tree import Block, Listing, Node, Scalar

type Read = Callable[[Reading, Node, str], Any]
type Keys = Mapping[str, Read]
"""The keys of a block and their readers."""

MAX_NAME: Final = 64
_ENTITY_ID: Final = re.compile(r"[a-z0-9_]{1,64}\.[a-z0-9_]{1,190}|[0-9a-f]{32}")
_ID: Final = re.compile(r"[a-z0-9_-]{1,128}")


def read_block(
    report: Reading,
    node: Node,
    path: str,
    keys: Keys,
    misplaced: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what the readers made of a block's keys; unknown ones are faults.

    `misplaced` holds advice for keys that belong elsewhere.
    """
    if not isinstance(node, Block):
        wrong_type(report, node, path, "a block of keys")
        return {}
    values: dict[str, Any] = {}
    for key, child in node.entries:
        word = str(key.value)
        inner = f"{path}.{word}" if path else word
        if word in keys:
            values[word] = keys[word](report, child, inner)
            continue
        hint = (
            (misplaced or {}).get(word)
            or did_you_mean(word, keys)
            or _BELONGS.get(word)
            or f"Known keys: {', '.join(keys)}."
        )
        report.problem(
            key,
            inner,
            ProblemCode.UNKNOWN_KEY,
            f"The key '{word}' is not known here.",
            hint,
        )
    return values


def require(
    report: Report, node: Node, path: str, values: Mapping[str, Any], key: str
) -> None:
    """Note that a block lacks a key."""
    if isinstance(node, Block) and key not in values:
        report.problem(
            node, path, ProblemCode.MISSING_KEY, f"The key '{key}' is missing here."
        )


def wrong_type(report: Report, node: Node, path: str, wanted: str) -> None:
    """Note that something else belongs here."""
    if isinstance(node, Scalar) and node.value is None:
        report.problem(
            node, path, ProblemCode.EMPTY, f"There must be {wanted} here, not nothing."
        )
        return
    match node:
        case Block():
            got = "a block of keys"
        case Listing():
            got = "a list"
        case Scalar(value=bool()):
            got = "true or false"
        case Scalar(value=str()):
            got = "a text"
        case _:
            got = "a number"
    report.problem(
        node, path, ProblemCode.WRONG_TYPE, f"There must be {wanted} here, not {got}."
    )


def read_version(report: Report, node: Node, path: str) -> None:
    """Accept the number 1, and nothing that only looks like it."""
    if not isinstance(node, Scalar) or type(node.value) is not int:
        wrong_type(report, node, path, "the number 1")
    elif node.value != 1:
        report.problem(
            node,
            path,
            ProblemCode.BAD_VALUE,
            f"Version {node.value} of the policy's grammar is not known; write 1.",
        )


def read_text(report: Report, node: Node, path: str) -> str | None:
    """Return a text that is not empty."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        wrong_type(report, node, path, "a text")
        return None
    if not node.value.strip():
        report.problem(node, path, ProblemCode.EMPTY, "This text is empty.")
        return None
    return node.value


def read_name(report: Report, node: Node, path: str) -> str | None:
    """Return the name of a rule."""
    name = read_text(report, node, path)
    if name is not None and (len(name) > MAX_NAME or not name.isprintable()):
        report.problem(
            node,
            path,
            ProblemCode.BAD_VALUE,
            f"A name has one line of at most {MAX_NAME} characters.",
        )
    return name


def read_approval(report: Report, node: Node, path: str) -> ApprovalMode | None:
    """Return when a person must be asked."""
    return read_word(report, node, path, ApprovalMode)


def read_ids(report: Reading, node: Node, path: str) -> tuple[str, ...]:
    """Return the ids in a text or a list; the last word of `path` says which kind."""
    kind = path.rpartition(".")[2]
    shape = _ENTITY_ID if kind == "entity_id" else _ID
    if isinstance(node, Listing):
        if not node.items:
            report.problem(
                node, path, ProblemCode.EMPTY, "This list is empty.", _LEAVE_OUT
            )
        items = node.items
    else:
        items = (node,)
    ids = []
    for item in items:
        text = read_text(report, item, path)
        if text is None:
            continue
        if shape.fullmatch(text):
            ids.append(text)
            report.name(IDS_OF_KEYS[kind], text, item, path)
        else:
            report.problem(
                item,
                path,
                ProblemCode.BAD_VALUE,
                f"'{text}' is not {_KINDS.get(kind, 'an id')}.",
                "Several go into a list: [first, second]." if "," in text else None,
            )
    return tuple(ids)


_LEAVE_OUT: Final = "To allow everything here, leave the key out."
_KINDS: Final = {
    "entity_id": "the id of one entity, like light.kitchen",
    "area_id": "the id of an area, like living_room",
    "floor_id": "the id of a floor, like first_floor",
    "label_id": "the id of a label, like safe_to_switch",
    "device_id": "the id of a device",
    "domain": "a domain, like light",
}


def read_constraint(report: Reading, node: Node, path: str) -> Constraint | None:
    """Return what one field of the data may be: a value, several, or bounds."""
    if isinstance(node, Block):
        return _read_bounds(report, node, path)
    values = read_plains(report, node, path)
    return None if values is None else Constraint(one_of=values)


def read_plains(report: Report, node: Node, path: str) -> tuple[Plain, ...] | None:
    """Return one plain value or a list of them."""
    items: Collection[Node] = node.items if isinstance(node, Listing) else (node,)
    if not items:
        report.problem(node, path, ProblemCode.EMPTY, "This list is empty.")
        return None
    values: list[Plain] = []
    for item in items:
        if isinstance(item, Scalar) and item.value is not None:
            values.append(item.value)
        else:
            wrong_type(report, item, path, "a text, a number, true or false")
    return tuple(values) if len(values) == len(items) else None


def _read_bounds(report: Reading, node: Block, path: str) -> Constraint | None:
    before = len(report.problems)
    values = read_block(report, node, path, BOUNDS)
    if not node.entries:
        report.problem(node, path, ProblemCode.EMPTY, "This block bounds nothing.")
    minimum, maximum = values.get("min"), values.get("max")
    if minimum is not None and maximum is not None and minimum > maximum:
        report.problem(
            node, path, ProblemCode.BAD_VALUE, "The least is more than the most."
        )
    if {"min", "max"} & set(values) and {"pattern", "max_length"} & set(values):
        report.problem(
            node,
            path,
            ProblemCode.BAD_VALUE,
            "No value is a number and a text, so nothing could ever fit here.",
        )
    if len(report.problems) > before:
        return None
    return Constraint(
        minimum=minimum,
        maximum=maximum,
        one_of=values.get("one_of"),
        pattern=values.get("pattern"),
        max_length=values.get("max_length"),
    )


def read_whole(
    report: Report, node: Node, path: str, *, least: int, most: int
) -> int | None:
    """Return a whole number within these bounds."""
    if not isinstance(node, Scalar) or type(node.value) is not int:
        wrong_type(report, node, path, "a whole number")
    elif not least <= node.value <= most:
        report.problem(
            node,
            path,
            ProblemCode.BAD_VALUE,
            f"This must be from {least} to {most}.",
        )
    else:
        return node.value
    return None


def read_word[W: StrEnum](
    report: Report, node: Node, path: str, words: type[W]
) -> W | None:
    """Return one of a few words."""
    word = read_text(report, node, path)
    if word is None:
        return None
    known = [each.value for each in words]
    if word in known:
        return words(word)
    report.problem(
        node,
        path,
        ProblemCode.BAD_VALUE,
        f"'{word}' is none of {', '.join(known)}.",
        did_you_mean(word, known),
    )
    return None


def read_true(report: Report, node: Node, path: str) -> bool:
    """Accept the word true only; anything else is said by leaving the key out."""
    if isinstance(node, Scalar) and node.value is True:
        return True
    wrong_type(report, node, path, "the word true")
    return False


def _read_number(report: Report, node: Node, path: str) -> float | None:
    if (
        isinstance(node, Scalar)
        and isinstance(node.value, (int, float))
        and not isinstance(node.value, bool)
    ):
        return node.value
    wrong_type(report, node, path, "a number")
    return None


def _read_length(report: Report, node: Node, path: str) -> int | None:
    if isinstance(node, Scalar) and type(node.value) is int and node.value > 0:
        return node.value
    wrong_type(report, node, path, "a whole number above 0")
    return None


def _read_pattern(report: Report, node: Node, path: str) -> SafePattern | None:
    source = read_text(report, node, path)
    if source is None:
        return None
    try:
        return SafePattern(source)
    except PatternError as err:
        report.problem(
            node, path, ProblemCode.BAD_VALUE, f"This pattern can't be used: {err}."
        )
        return None


_IN_ENTRY: Final = "It belongs into an entry of 'allowed_services' or 'allowed_tools'."
_AT_TOP: Final = "It belongs to the top of the file."
_IN_BOT: Final = "It belongs under 'bot:'."
_IN_TOOL_POLICY: Final = "It belongs under 'tool_policy:' under 'bot:'."
_IN_SENTINEL: Final = "It belongs under 'sentinel:'."
_BELONGS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("for", "when", "approval", "approvers", "pin", "max_entities", "tainted"),
        _IN_ENTRY,
    ),
    **dict.fromkeys(
        ("version", "allowed_services", "allowed_tools", "bot", "sentinel", "impact"),
        _AT_TOP,
    ),
    "unlisted": _AT_TOP,
    **dict.fromkeys(("context_window", "persona", "tool_policy"), _IN_BOT),
    **dict.fromkeys(
        ("allow", "deny", "max_iterations", "writes_with_approval"), _IN_TOOL_POLICY
    ),
    **dict.fromkeys(
        ("daily_token_limit", "rate_limit_per_minute", "approval_scope"), _IN_SENTINEL
    ),
    **dict.fromkeys(TARGET_KEYS, "It belongs under the 'target:' of an entry."),
}

TARGET_READERS: Final[Keys] = dict.fromkeys(TARGET_KEYS, read_ids)
BOUNDS: Final[Keys] = {
    "min": _read_number,
    "max": _read_number,
    "one_of": read_plains,
    "pattern": _read_pattern,
    "max_length": _read_length,
}
