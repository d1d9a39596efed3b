"""What the `input:` block of an entry of `allowed_tools` means: a matcher per tool.

The grammar passes the block through; only the tool's own reader knows its keys
(ADR-0028 of the founding documents). A tool that is added gets a line in READERS.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from .fields import read_ids
from .matchers import ReadFilter, Unsatisfiable
from .problem import Report, did_you_mean
from .rules import InputMatcher
from .yaml_tree import Block, Scalar

type ReadInput = Callable[[Report, str, Block, str], InputMatcher]


def read_input(report: Report, tool: str, node: Block, path: str) -> InputMatcher:
    """Return the matcher of a tool's block.

    A block or key that nobody can read is never taken for "any input": its rule
    allows nothing, and a lint says so.
    """
    return READERS.get(tool, _NOTHING_KNOWN)(report, tool, node, path)


def _read_filter(
    known: frozenset[str], report: Report, tool: str, node: Block, path: str
) -> InputMatcher:
    allowed: dict[str, frozenset[str]] = {}
    for key, child in node.entries:
        word = str(key.value)
        if word not in known:
            return _unreadable(report, tool, key, f"{path}.{word}", known)
        allowed[word] = frozenset(read_ids(report, child, f"{path}.{word}"))
    return ReadFilter(allowed=allowed)


def _unreadable(
    report: Report, tool: str, key: Scalar, path: str, known: frozenset[str]
) -> InputMatcher:
    word = str(key.value)
    hint = did_you_mean(word, known) or ""
    report.lint(
        key,
        path,
        f"This version can't bound '{word}' of {tool}, so the rule allows nothing."
        f" {hint}".rstrip(),
    )
    return Unsatisfiable(key=word)


_NOTHING_KNOWN: Final[ReadInput] = partial(_read_filter, frozenset())
READERS: Final[Mapping[str, ReadInput]] = {
    "get_state": partial(_read_filter, frozenset({"area_id", "domain", "entity_id"})),
    "find_entities": partial(_read_filter, frozenset({"area_id", "domain"})),
}
"""Tools whose input a rule can bound."""
