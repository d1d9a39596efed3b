"""Edits of a policy file's text that leave every other line as it is.

An entry is added after the last one of its list, replaced or removed at its place;
comments, order and line ends are the person's own and stay. What comes out is to be
loaded by `load_policy` before it is saved: this module knows lines, not meanings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import json
import re
from typing import Any, Final

import yaml

from ..legion.canonical import Json

type Entry = str | Mapping[str, Json]

_LOADER: Final[type[Any]] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Words that every reader of YAML takes for a text; all else is quoted.
_PLAIN: Final = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)?")
_NOT_TEXT: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false"})
_NOTHING: Final = frozenset({"null", "nan", "inf"})


class UneditableText(Exception):
    """The text can't be edited without touching other lines; `line` says where."""

    def __init__(self, problem: str, line: int = 1) -> None:
        """Keep what a person is told, in English."""
        super().__init__(problem)
        self.problem = problem
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A text after an edit, and the lines (from 1) that are new in it."""

    text: str
    first_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """Where a list stands: its key's node, its own, and the style it is written in."""

    key: yaml.ScalarNode
    node: yaml.Node
    flow: bool


def render(entry: Entry, indent: str = "  ") -> list[str]:
    """Return the lines of an entry, as they stand in a list."""
    if isinstance(entry, str):
        return [f"{indent}- {_flow(entry)}"]
    rows = [f"{_word(key)}: {_flow(value)}" for key, value in entry.items()]
    return [f"{indent}- {rows[0]}", *(f"{indent}  {row}" for row in rows[1:])]


def add_entry(
    text: str,
    key: str,
    entry: Entry,
    note: str | None = None,
    *,
    after: int | None = None,
) -> Edit:
    """Return the text with one more entry in the list `key`, made if it isn't there.

    It comes at the end, or after the entry of the number `after` (from 0). `note`
    becomes a comment above the entry. Raises UneditableText.
    """
    found = _find(text, key)
    lines, end = _split(text)
    if found is None:
        new = ["", f"{key}:", *_noted(entry, note, "  ")]
        if not any(line.strip() for line in lines):
            new = new[1:]
        return _join(lines, len(lines), len(lines), new, end)
    items = found.node.value if isinstance(found.node, yaml.SequenceNode) else None
    if items is None:
        raise UneditableText(f"'{key}' is not a list.", found.key.start_mark.line + 1)
    if not found.flow:
        indent = " " * found.node.start_mark.column
        at = _last_line(items[-1 if after is None else after]) + 1
        return _join(lines, at, at, _noted(entry, note, indent), end)
    if items:
        return _into_flow(lines, found.node, entry, end)
    row = found.node.end_mark.line
    first, last = found.node.start_mark, found.node.end_mark
    if first.line != last.line:
        raise UneditableText(f"The empty list '{key}' has several lines.", first.line)
    opened = lines[row][: first.column].rstrip() + lines[row][last.column :]
    return _join(lines, row, row + 1, [opened, *_noted(entry, note, "  ")], end, skip=1)


def replace_entry(text: str, key: str, number: int, entry: Entry) -> Edit:
    """Return the text with the entry `number` (from 0) of a list written anew."""
    lines, end = _split(text)
    node, first, last = _entry_lines(text, key, number)
    indent = " " * node.start_mark.column
    return _join(lines, first, last + 1, render(entry, indent), end)


def remove_entry(text: str, key: str, number: int) -> Edit:
    """Return the text without the entry `number` (from 0) of a list.

    The last one leaves an empty list: the key says that nothing is granted, which is
    not the same as a file without it.
    """
    lines, end = _split(text)
    node, first, last = _entry_lines(text, key, number)
    if len(node.value) > 1:
        return _join(lines, first, last + 1, [], end)
    found = _find(text, key)
    assert found is not None  # _entry_lines has found it
    row, column = found.key.end_mark.line, found.key.end_mark.column
    head, rest = lines[row][:column], lines[row][column:]
    emptied = f"{head}: []{rest.removeprefix(':').rstrip()}"
    kept = lines[row + 1 : first]
    return _join(lines, row, last + 1, [emptied, *kept], end)


def has_key(text: str, key: str) -> bool:
    """Return whether the file's first level has this key. Raises UneditableText."""
    return _find(text, key) is not None


def add_line(text: str, line: str) -> str:
    """Return the text with one more line of the first level at its end."""
    lines, end = _split(text)
    return _join(lines, len(lines), len(lines), [line], end).text


def entry_numbers(text: str, key: str) -> dict[int, int]:
    """Return the number (from 0) of each entry of a list, by its line (from 1)."""
    found = _find(text, key)
    if found is None or not isinstance(found.node, yaml.SequenceNode):
        return {}
    return {
        item.start_mark.line + 1: number for number, item in enumerate(found.node.value)
    }


def _find(text: str, key: str) -> _List | None:
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as err:
        mark = getattr(err, "problem_mark", None)
        raise UneditableText("This is not YAML.", mark.line + 1 if mark else 1) from err
    if root is None:
        return None
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise UneditableText("The file is not a plain block of keys.")
    for name, node in root.value:
        if name.value == key:
            return _List(key=name, node=node, flow=bool(getattr(node, "flow_style", 0)))
    return None


def _entry_lines(text: str, key: str, number: int) -> tuple[yaml.Node, int, int]:
    """Return the list, and the first and last line (from 0) of one of its entries."""
    found = _find(text, key)
    if found is None or not isinstance(found.node, yaml.SequenceNode):
        raise UneditableText(f"There is no list '{key}'.")
    items = found.node.value
    if not 0 <= number < len(items):
        raise UneditableText(f"'{key}' has no entry {number + 1}.")
    if found.flow:
        raise UneditableText(
            f"The entries of '{key}' stand in one line; put each into a line of its own.",
            found.node.start_mark.line + 1,
        )
    return found.node, items[number].start_mark.line, _last_line(items[number])


def _last_line(node: yaml.Node) -> int:
    """Return the last line (from 0) of a node, comments after it not counted."""
    if getattr(node, "flow_style", None):
        return int(node.end_mark.line)
    if isinstance(node, yaml.MappingNode) and node.value:
        return max(_last_line(part) for pair in node.value for part in pair)
    if isinstance(node, yaml.SequenceNode) and node.value:
        return max(map(_last_line, node.value))
    mark = node.end_mark
    # The end of a text in several lines ("|") is the start of the line after it.
    ends_before = mark.column == 0 and mark.line > node.start_mark.line
    return int(mark.line - ends_before)


def _into_flow(lines: list[str], node: yaml.Node, entry: Entry, end: str) -> Edit:
    row, column = node.end_mark.line, node.end_mark.column - 1
    line = lines[row]
    before = line[:column].rstrip()
    comma = "" if before.endswith((",", "[")) else ","
    added = f"{before}{comma} {_flow(entry)}{line[column:]}"
    return _join(lines, row, row + 1, [added], end)


def _noted(entry: Entry, note: str | None, indent: str) -> list[str]:
    return [*([f"{indent}# {note}"] if note else []), *render(entry, indent)]


def _split(text: str) -> tuple[list[str], str]:
    """Return the lines without their ends, and the end that the file uses."""
    return text.splitlines(keepends=True), "\r\n" if "\r\n" in text else "\n"


def _join(
    lines: Sequence[str],
    first: int,
    last: int,
    new: Sequence[str],
    end: str,
    *,
    skip: int = 0,
) -> Edit:
    """Put new lines in place of those from `first` to before `last`."""
    before = list(lines[:first])
    if before and not before[-1].endswith(("\n", "\r")):
        before[-1] += end
    ended = [line.rstrip("\r\n") + end for line in new]
    return Edit(
        text="".join([*before, *ended, *lines[last:]]),
        first_line=first + skip + 1,
        lines=tuple(line.rstrip("\r\n") for line in ended[skip:]),
    )


def _word(word: str) -> str:
    if _PLAIN.fullmatch(word) and word not in _NOT_TEXT | _NOTHING:
        return word
    quoted = json.dumps(word, ensure_ascii=False)
    return "".join(map(_printed, quoted))


def _printed(sign: str) -> str:
    """Return a sign, escaped if it can't be seen: some of them end a line in YAML."""
    return sign if sign.isprintable() else f"\\U{ord(sign):08x}"


def _flow(value: Json) -> str:
    """Return a value in YAML's flow style, every doubtful text quoted."""
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_word(key)}: {_flow(item)}" for key, item in value.items())
        return f"{{{inner}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_flow, value))}]"
    return json.dumps(value)
