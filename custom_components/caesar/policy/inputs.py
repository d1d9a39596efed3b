"""What the `input:` block of an entry of `allowed_tools` means: a reader per tool.

The grammar passes the block through; only the tool's own reader knows its keys
(ADR-0028 of the founding documents). Tools that come with CAESAR have a line in READERS;
of a worker's any field can be bounded, and whoever knows the worker tells the owner of
one that it doesn't have.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from .fields import read_constraint, read_ids, read_text, wrong_type
from .hosts import normal_entry
from .impact import CORE_READS
from .input_matchers import FieldFilter, ReadFilter, Unsatisfiable
from .problem import ProblemCode, did_you_mean
from .reading import IdKind, Reading
from .rules import Constraint, InputMatcher
from .yaml_tree import Block, Listing, Node, Scalar

type ReadInput = Callable[[Reading, str, Block, str], InputMatcher]
DOMAIN_ALLOWLIST: Final = "domain_allowlist"


def read_input(report: Reading, tool: str, node: Block, path: str) -> InputMatcher:
    """Return the matcher of a tool's block.

    A block or key that nobody can read is never taken for "any input": its rule
    allows nothing, and a lint says so.
    """
    if tool in READERS:
        return READERS[tool](report, tool, node, path)
    if tool in CORE_READS:
        return _read_filter(frozenset(), report, tool, node, path)
    return _read_any_field(report, tool, node, path)


def _read_filter(
    known: frozenset[str], report: Reading, tool: str, node: Block, path: str
) -> InputMatcher:
    allowed: dict[str, frozenset[str]] = {}
    for key, child in node.entries:
        word = str(key.value)
        if word not in known:
            return _unreadable(report, tool, key, f"{path}.{word}", known)
        allowed[word] = frozenset(read_ids(report, child, f"{path}.{word}"))
    return ReadFilter(allowed=allowed)


def _read_any_field(report: Reading, tool: str, node: Block, path: str) -> InputMatcher:
    """Read the block of a tool that only its worker knows."""
    words = [(str(key.value), key) for key, _ in node.entries]
    for word, key in words:
        if word in _OF_READS:
            # A read under a wrong name would leave the real one open to everything.
            report.problem(
                key,
                f"{path}.{word}",
                ProblemCode.BAD_VALUE,
                f"'{word}' bounds what get_state and find_entities read; {tool} is"
                " neither.",
            )
            return Unsatisfiable(key=word)
        if word != DOMAIN_ALLOWLIST:
            report.name(IdKind.TOOL_FIELD, f"{tool}.{word}", key, f"{path}.{word}")
    return _read_fields(frozenset(word for word, _ in words), report, tool, node, path)


def _read_fields(
    known: frozenset[str], report: Reading, tool: str, node: Block, path: str
) -> InputMatcher:
    fields: dict[str, Constraint] = {}
    hosts: tuple[str, ...] | None = None
    for key, child in node.entries:
        word = str(key.value)
        inner = f"{path}.{word}"
        if word not in known:
            return _unreadable(report, tool, key, inner, known)
        if word == DOMAIN_ALLOWLIST:
            hosts = _read_hosts(report, child, inner)
        elif constraint := read_constraint(report, child, inner):
            fields[word] = constraint
    return FieldFilter(fields=fields, hosts=hosts)


def _read_hosts(report: Reading, node: Node, path: str) -> tuple[str, ...]:
    """Return the hosts of an allow-list, each in its one spelling."""
    if not isinstance(node, Listing):
        wrong_type(report, node, path, "a list of hosts")
        return ()
    if not node.items:
        report.problem(
            node,
            path,
            ProblemCode.EMPTY,
            "This list is empty.",
            "To allow every host, leave the key out.",
        )
    hosts = []
    for item in node.items:
        text = read_text(report, item, path)
        if text is None:
            continue
        if entry := normal_entry(text):
            hosts.append(entry)
            continue
        report.problem(
            item,
            path,
            ProblemCode.BAD_VALUE,
            f"'{text[:100]}' is not the name of a host.",
            "Write en.wikipedia.org, or *.wikipedia.org for its subdomains; no scheme,"
            " path or port.",
        )
    return tuple(hosts)


def _unreadable(
    report: Reading, tool: str, key: Scalar, path: str, known: frozenset[str]
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


def _fields(*known: str) -> ReadInput:
    return partial(_read_fields, frozenset(known))


_OF_READS: Final = frozenset({"area_id", "domain", "entity_id"})
READERS: Final[Mapping[str, ReadInput]] = {
    "get_state": partial(_read_filter, _OF_READS),
    "find_entities": partial(_read_filter, frozenset({"area_id", "domain"})),
    "calculator": _fields("expression"),
    "calendar_read": _fields("calendar_names", "day", "days", "from", "limit", "to"),
    "recall_memory": _fields("limit"),
    "semantic_recall": _fields("limit"),
    "web_search": _fields(DOMAIN_ALLOWLIST, "limit", "query"),
}
"""Tools whose input a rule can bound."""
