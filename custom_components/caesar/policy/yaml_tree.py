"""YAML as a tree in which every node knows its place; nothing is built from tags.

The tree is made from the parser's events, so that aliases (and with them bombs) are
seen before anything is expanded, and deep nesting can't exhaust the stack.
Source: YAML 1.1 as PyYAML reads it; the words that it silently turns into booleans,
dates or numbers to base 60 are refused with the advice to quote them.
"""

from dataclasses import dataclass, field
import re
from typing import Any, Final

import yaml

from .problem import PolicyError, Problem, ProblemCode, Report

MAX_BYTES: Final = 2 * 1024 * 1024
MAX_DEPTH: Final = 12

_LOADER: Final[type[Any]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Final = yaml.resolver.Resolver()
_TAG: Final = "tag:yaml.org,2002:"
_INT: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_FLOAT: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}")
# Ends of lines to YAML, but not to most editors; and what shows a text backwards.
_UNSEEN: Final = re.compile("\\r(?!\\n)|[\\x85\\u2028-\\u202e\\u2066-\\u2069]")

type Node = Scalar | Listing | Block
type Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value."""

    value: Value
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A list, in any of YAML's styles."""

    items: tuple[Node, ...]
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A mapping; keys are unique texts, each with its own place."""

    entries: tuple[tuple[Scalar, Node], ...]
    line: int
    column: int


@dataclass(slots=True)
class _Open:
    """A list or mapping that has not ended yet."""

    line: int
    column: int
    is_block: bool
    children: list[Node] = field(default_factory=list)


def read_tree(text: str, report: Report) -> Node | None:
    """Return the tree of a YAML document, None for an empty one.

    Faults of single values are put into `report`; raises PolicyError at once for a
    text that is no YAML, too large, nested too deep, or uses anchors or tags.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError as err:
        raise _fault(
            _at(0, 0), ProblemCode.SYNTAX, "The file is not valid text (UTF-8)."
        ) from err
    if size > MAX_BYTES:
        raise _fault(
            _at(0, 0),
            ProblemCode.TOO_LARGE,
            f"The file has {size} bytes; at most {MAX_BYTES} are read.",
        )
    _refuse_unseen(text)
    try:
        return _build(text, report)
    except yaml.MarkedYAMLError as err:
        mark = err.problem_mark or err.context_mark
        place = _at(mark.line, mark.column) if mark else _at(0, 0)
        raise _fault(
            place, ProblemCode.SYNTAX, f"This is not valid YAML: {err.problem}."
        ) from err
    except yaml.YAMLError as err:
        raise _fault(
            _at(0, 0),
            ProblemCode.SYNTAX,
            "The file holds characters that YAML does not allow.",
        ) from err


def _refuse_unseen(text: str) -> None:
    """Refuse what would read otherwise than it looks: a rule inside a comment, say."""
    if found := _UNSEEN.search(text):
        before = text[: found.start()]
        raise _fault(
            _at(before.count("\n"), len(before) - before.rfind("\n") - 1),
            ProblemCode.SYNTAX,
            f"There is a character here that can't be seen (U+{ord(found[0]):04X})."
            " With it the file would not mean what it looks like. Delete it.",
        )


def _build(text: str, report: Report) -> Node | None:
    stack: list[_Open] = []
    root: Node | None = None
    documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        node: Node | None = None
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _fault(
                    _place(event),
                    ProblemCode.SYNTAX,
                    "A policy is one document; a second one begins here.",
                )
        elif isinstance(event, yaml.NodeEvent):
            _refuse_reuse(event)
            if isinstance(event, yaml.ScalarEvent):
                node = _scalar(event, report)
            else:
                stack.append(_open(event, len(stack)))
        elif isinstance(event, yaml.CollectionEndEvent):
            node = _close(stack.pop(), report)
        if node is None:
            continue
        if stack:
            stack[-1].children.append(node)
        else:
            root = node
    return None if isinstance(root, Scalar) and root.value is None else root


def _refuse_reuse(event: yaml.NodeEvent) -> None:
    """Refuse what makes one part of the file stand for another, and tags."""
    if event.anchor is not None:
        raise _fault(
            _place(event),
            ProblemCode.NOT_SUPPORTED,
            "Anchors and aliases (& and *) are not allowed in a policy: each rule"
            " says all of itself.",
            "Write the value out. A word that begins with * must be quoted.",
        )
    tag = getattr(event, "tag", None)
    if tag is not None:
        raise _fault(
            _place(event),
            ProblemCode.NOT_SUPPORTED,
            f"Tags like {tag} are not allowed in a policy.",
            "A word that begins with ! must be quoted.",
        )


def _open(event: yaml.NodeEvent, depth: int) -> _Open:
    line, column = _place(event)
    if depth >= MAX_DEPTH:
        raise _fault(
            (line, column),
            ProblemCode.TOO_LARGE,
            f"Lists and blocks are nested more than {MAX_DEPTH} deep here.",
        )
    return _Open(
        line=line, column=column, is_block=isinstance(event, yaml.MappingStartEvent)
    )


def _close(frame: _Open, report: Report) -> Node:
    line, column = frame.line, frame.column
    if not frame.is_block:
        return Listing(items=tuple(frame.children), line=line, column=column)
    entries: dict[str, tuple[Scalar, Node]] = {}
    for key, value in zip(frame.children[::2], frame.children[1::2], strict=True):
        if not isinstance(key, Scalar) or not isinstance(key.value, str):
            report.problem(key, "", ProblemCode.WRONG_TYPE, "A key must be a word.")
        elif key.value in entries:
            first = entries[key.value][0].line
            report.problem(
                key,
                key.value,
                ProblemCode.DUPLICATE,
                f"The key '{key.value}' is here twice; it was first on line {first}.",
            )
        else:
            entries[key.value] = (key, value)
    return Block(entries=tuple(entries.values()), line=line, column=column)


def _scalar(event: yaml.ScalarEvent, report: Report) -> Scalar:
    line, column = _place(event)
    text: str = event.value
    value: Value = text
    if event.implicit[0]:
        kind = _kind_of(text)
        if kind == "merge":
            raise _fault(
                (line, column),
                ProblemCode.NOT_SUPPORTED,
                "Merging (<<) is not allowed in a policy: each rule says all of"
                " itself.",
            )
        known, value = _convert(kind, text)
        if not known:
            report.problem(
                Scalar(value=text, line=line, column=column),
                "",
                ProblemCode.QUOTE_IT,
                f"YAML does not read {text} as the word it looks like, but as"
                f" {_KINDS.get(kind, 'something else')}.",
                f'Quote it: "{text}".'
                + (" For yes or no write true or false." if kind == "bool" else ""),
            )
    return Scalar(value=value, line=line, column=column)


_KINDS: Final = {
    "bool": "yes or no",
    "int": "another number",
    "float": "another number",
    "timestamp": "a date",
}


def _kind_of(text: str) -> str:
    """Return what YAML 1.1 takes a plain scalar for."""
    tag = _RESOLVER.resolve(  # type: ignore[no-untyped-call]  # the stubs lack it
        yaml.ScalarNode, text, (True, False)
    )
    return str(tag).removeprefix(_TAG)


def _convert(kind: str, text: str) -> tuple[bool, Value]:
    """Return whether a plain scalar means what it looks like, and its value."""
    if kind == "str":
        return True, text
    if kind == "null":
        return True, None
    if kind == "bool" and (lowered := text.lower()) in ("true", "false"):
        return True, lowered == "true"
    if kind == "int" and _INT.fullmatch(text):
        return True, int(text)
    if kind == "float" and _FLOAT.fullmatch(text):
        return True, float(text)
    return False, text


def _place(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return _at(mark.line, mark.column) if mark else _at(0, 0)


def _at(line: int, column: int) -> tuple[int, int]:
    return line + 1, column + 1


def _fault(
    place: tuple[int, int], code: ProblemCode, message: str, hint: str | None = None
) -> PolicyError:
    line, column = place
    return PolicyError(
        [
            Problem(
                line=line, column=column, path="", code=code, message=message, hint=hint
            )
        ]
    )
