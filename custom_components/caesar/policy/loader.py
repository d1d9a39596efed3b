"""From the text of a policy file to a policy, or to everything that is wrong with it.

Grammar version 1 (docs/policy.md). Strict, because a typo must never widen a rule:
nothing is ignored, nothing is guessed. A key that is added later gets a reader in one
of the tables here, in entries.py or in blocks.py.
"""

from collections.abc import Callable, Mapping, Sequence
import hashlib
from typing import Any, Final

from .blocks import (
    Unlisted,
    read_bot,
    read_impact,
    read_sentinel,
    read_unlisted,
    settings_of,
)
from .crosscheck import Rule, check_answers, check_names, check_wider
from .directory import Directory, EmptyDirectory
from .engine import LoadedPolicy
from .entries import read_services, read_tools
from .fields import Keys, read_block, read_version, require
from .impact import Impact
from .index import index_of
from .modes import ALLOWED_SERVICES, ALLOWED_TOOLS, Mode, Scope
from .problem import PolicyError, Problem, ProblemCode
from .reading import Reading
from .rules import ServiceRule, ToolRule
from .yaml_tree import Block, Node, Scalar, read_tree

__all__ = [
    "MAX_RULES",
    "LoadedPolicy",
    "PolicyError",
    "Problem",
    "ProblemCode",
    "load_policy",
]

MAX_RULES: Final = 10_000
_NOBODY: Final = EmptyDirectory()


def load_policy(text: str, directory: Directory = _NOBODY) -> LoadedPolicy:
    """Return the policy that a file's text describes.

    `directory` knows the people, places, agents and PINs that the file may name. The
    revision is the SHA-256 of the text in UTF-8. Raises PolicyError with every fault,
    each with its line and column.
    """
    report = Reading(directory=directory)
    root = read_tree(text, report)
    values: dict[str, Any] = {}
    if root is None or (isinstance(root, Block) and not root.entries):
        place = root or Scalar(value=None, line=1, column=1)
        report.lint(place, "", "The file is empty: only reading is allowed.")
    else:
        values = read_block(report, root, "", _FILE)
        require(report, root, "", values, "version")
    services: list[ServiceRule] = values.get(ALLOWED_SERVICES) or []
    tools: list[ToolRule] = values.get(ALLOWED_TOOLS) or []
    impacts: dict[str, Impact] = values.get("impact") or {}
    services_by_id = _indexed(services, lambda rule: rule.service)
    tools_by_id = _indexed(tools, lambda rule: rule.tool)
    _check(report, root, values, [*services_by_id.values(), *tools_by_id.values()])
    check_answers(report, [*services, *tools], impacts)
    report.raise_problems()
    scope = _scope(values, services_by_id, tools_by_id)
    _note_no_effect(report, root, scope)
    return LoadedPolicy(
        revision=hashlib.sha256(text.encode()).hexdigest(),
        scope=scope,
        services=services_by_id,
        tools=tools_by_id,
        counts={ALLOWED_SERVICES: len(services), ALLOWED_TOOLS: len(tools)},
        lints=tuple(report.lints),
        impacts=impacts,
        settings=settings_of(values.get("bot") or {}, values.get("sentinel") or {}),
        conditions=report.conditions,
        places=report.places,
        named=tuple(report.named),
        indexes={
            service: index
            for service, rules in services_by_id.items()
            if (index := index_of(rules))
        },
    )


def _check(
    report: Reading,
    root: Node | None,
    values: Mapping[str, Any],
    groups: Sequence[Sequence[Rule]],
) -> None:
    """Note what is wrong with the file as a whole."""
    if root is None:
        return
    if sum(map(len, groups)) > MAX_RULES:
        report.problem(
            root,
            "",
            ProblemCode.TOO_LARGE,
            f"There are more than {MAX_RULES} rules in this file.",
        )
    check_names(report, [rule for group in groups for rule in group])
    for group in groups:
        check_wider(report, group)
    if "unlisted" in values and not {ALLOWED_SERVICES, ALLOWED_TOOLS} & set(values):
        report.problem(
            _key_of(root, "unlisted"),
            "unlisted",
            ProblemCode.BAD_VALUE,
            "Nothing is listed in this file, so nothing can be unlisted.",
            f"Write '{ALLOWED_SERVICES}: []' to begin a list.",
        )


def _scope(
    values: Mapping[str, Any],
    services: Mapping[str, tuple[ServiceRule, ...]],
    tools: Mapping[str, tuple[ToolRule, ...]],
) -> Scope:
    """Return what the file says of tools that no rule is about."""
    bot = values.get("bot") or {}
    allow = bot.get("allow", ())
    mode = Mode.EXPLICIT if allow else Mode.DEFAULT
    if {ALLOWED_SERVICES, ALLOWED_TOOLS} & set(values):
        mode = Mode.LIST
    return Scope(
        mode=mode,
        services=frozenset(services),
        tools=frozenset(tools),
        tools_listed=ALLOWED_TOOLS in values,
        allow=allow,
        deny=bot.get("deny", ()),
        writes_with_approval=bot.get("writes_with_approval", False),
        unlisted_asks=values.get("unlisted") is Unlisted.ASK,
    )


def _note_no_effect(report: Reading, root: Node | None, scope: Scope) -> None:
    if (
        root is not None
        and scope.writes_with_approval
        and scope.mode is not Mode.DEFAULT
    ):
        report.lint(
            _key_of(root, "bot"),
            "bot.tool_policy.writes_with_approval",
            "'writes_with_approval' changes nothing in a file that lists what is"
            " allowed. To be asked about the rest, write 'unlisted: ask'.",
        )


def _key_of(root: Node, word: str) -> Node:
    """Return the key of the file's first level, for its place."""
    entries = root.entries if isinstance(root, Block) else ()
    return next((key for key, _ in entries if key.value == word), root)


def _indexed[R](rules: list[R], key: Callable[[R], str]) -> Mapping[str, tuple[R, ...]]:
    found: dict[str, list[R]] = {}
    for rule in rules:
        found.setdefault(key(rule), []).append(rule)
    return {word: tuple(group) for word, group in found.items()}


_FILE: Final[Keys] = {
    "version": read_version,
    ALLOWED_SERVICES: read_services,
    ALLOWED_TOOLS: read_tools,
    "bot": read_bot,
    "sentinel": read_sentinel,
    "impact": read_impact,
    "unlisted": read_unlisted,
}
