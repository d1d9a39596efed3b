"""The blocks of a policy file beside its two lists."""

from collections.abc import Mapping
from enum import StrEnum
from functools import partial
from typing import Any, Final

from .fields import (
    Keys,
    Read,
    read_block,
    read_name,
    read_text,
    read_whole,
    read_word,
    wrong_type,
)
from .globs import MAX_GLOBS, MAX_LENGTH, Glob, is_glob
from .impact import Impact, is_locked, is_never
from .problem import ProblemCode
from .reading import IdKind, Reading
from .settings import ApprovalScope, PolicySettings
from .shapes import SERVICE, TOOL
from .yaml_tree import Block, Listing, Node, Scalar

DEFAULT_ITERATIONS: Final = 0
"""In `max_iterations`: as if it were not said."""


class Unlisted(StrEnum):
    """What becomes of a call that no entry of the lists names."""

    DENY = "deny"
    ASK = "ask"


def read_bot(report: Reading, node: Node, path: str) -> dict[str, Any]:
    """Return the values of `bot:`, those of its inner blocks among them."""
    values = _read_filled(report, node, path, _BOT)
    inner = (values.pop("persona", {}), values.pop("tool_policy", {}))
    for block in inner:
        values |= block
    return values


def read_sentinel(report: Reading, node: Node, path: str) -> dict[str, Any]:
    """Return the values of `sentinel:`."""
    return _read_filled(report, node, path, _SENTINEL)


def settings_of(bot: Mapping[str, Any], sentinel: Mapping[str, Any]) -> PolicySettings:
    """Return the settings that the two blocks make."""
    given = {
        _FIELDS.get(key, key): value
        for key, value in (*bot.items(), *sentinel.items())
        if key not in _TOOL_POLICY or key == "max_iterations"
    }
    if given.get("max_iterations") == DEFAULT_ITERATIONS:
        del given["max_iterations"]
    return PolicySettings(**given)


def read_unlisted(report: Reading, node: Node, path: str) -> Unlisted | None:
    """Return what becomes of a call that is not listed."""
    return read_word(report, node, path, Unlisted)


def read_impact(report: Reading, node: Node, path: str) -> dict[str, Impact]:
    """Return the classes that the owner gives to services and tools."""
    values = _read_filled(report, node, path, _IMPACT)
    classes: dict[str, Impact] = {}
    for key, tools in values.items():
        for tool, item in tools:
            if tool in classes:
                report.problem(
                    item,
                    f"{path}.{key}",
                    ProblemCode.DUPLICATE,
                    f"'{tool}' is in 'impact' twice.",
                )
            classes[tool] = _CLASSES[key]
    return classes


def _read_filled(report: Reading, node: Node, path: str, keys: Keys) -> dict[str, Any]:
    """Return a block's values; one that says nothing was surely meant otherwise."""
    values = read_block(report, node, path, keys)
    if isinstance(node, Block) and not node.entries:
        report.problem(
            node,
            path,
            ProblemCode.EMPTY,
            "This block says nothing.",
            f"Known keys: {', '.join(keys)}.",
        )
    return values


def _read_tool_policy(report: Reading, node: Node, path: str) -> dict[str, Any]:
    return _read_filled(report, node, path, _TOOL_POLICY)


def _read_persona(report: Reading, node: Node, path: str) -> dict[str, Any]:
    return {
        f"persona_{key}": value
        for key, value in _read_filled(report, node, path, _PERSONA).items()
    }


def _read_globs(
    kind: IdKind, report: Reading, node: Node, path: str
) -> tuple[Glob, ...]:
    """Return patterns of tool names; `[]` is none."""
    if not isinstance(node, Listing):
        wrong_type(report, node, path, "a list (write [] for an empty one)")
        return ()
    if len(node.items) > MAX_GLOBS:
        report.problem(
            node,
            path,
            ProblemCode.TOO_LARGE,
            f"There are more than {MAX_GLOBS} patterns here.",
        )
    globs = []
    for number, item in enumerate(node.items, 1):
        inner = f"{path}[{number}]"
        text = read_text(report, item, inner)
        if text is None:
            continue
        if is_glob(text):
            globs.append(Glob(pattern=text, path=inner, line=item.line))
            report.name(kind, text, item, inner)
            continue
        report.problem(
            item,
            inner,
            ProblemCode.BAD_VALUE,
            f"'{text[:MAX_LENGTH]}' is not a pattern of tool names.",
            "Write it like light__*, in small letters, with * and ? as wildcards.",
        )
    return tuple(globs)


def _read_flag(report: Reading, node: Node, path: str) -> bool:
    if isinstance(node, Scalar) and isinstance(node.value, bool):
        return node.value
    wrong_type(report, node, path, "true or false")
    return False


def _read_tools(report: Reading, node: Node, path: str) -> tuple[tuple[str, Node], ...]:
    """Return the ids of services and tools in a list, each with its place."""
    if not isinstance(node, Listing):
        wrong_type(report, node, path, "a list of services and tools")
        return ()
    if not node.items:
        report.problem(node, path, ProblemCode.EMPTY, "This list is empty.")
    found = []
    for number, item in enumerate(node.items, 1):
        inner = f"{path}[{number}]"
        word = read_text(report, item, inner)
        if word is None:
            continue
        if problem := _why_not_classed(word):
            report.problem(item, inner, ProblemCode.BAD_VALUE, problem)
            continue
        is_service = SERVICE.fullmatch(word)
        report.name(IdKind.SERVICE if is_service else IdKind.TOOL, word, item, inner)
        found.append((word, item))
    return tuple(found)


def _why_not_classed(word: str) -> str | None:
    if not SERVICE.fullmatch(word) and not TOOL.fullmatch(word):
        return f"'{word}' is not the id of a service or tool; wildcards can't be used."
    if is_never(word):
        return f"{word} can never be allowed, whatever its class."
    if is_locked(word):
        return f"{word} runs code, so its class can't be changed."
    return None


def _whole(least: int, most: int) -> Read:
    return partial(read_whole, least=least, most=most)


_CLASSES: Final = {
    "read_only": Impact.READ,
    "reversible": Impact.REVERSIBLE,
    "destructive": Impact.DESTRUCTIVE,
}
_IMPACT: Final[Keys] = dict.fromkeys(_CLASSES, _read_tools)
_PERSONA: Final[Keys] = {"name": read_name, "tone": read_name}
_TOOL_POLICY: Final[Keys] = {
    "allow": partial(_read_globs, IdKind.ALLOW_GLOB),
    "deny": partial(_read_globs, IdKind.DENY_GLOB),
    "max_iterations": _whole(DEFAULT_ITERATIONS, 25),
    "writes_with_approval": _read_flag,
}
_BOT: Final[Keys] = {
    "context_window": _whole(1, 1000),
    "persona": _read_persona,
    "tool_policy": _read_tool_policy,
}
_DAY_S: Final = 86_400
_SENTINEL: Final[Keys] = {
    "daily_token_limit": _whole(1, 10**12),
    "rate_limit_per_minute": _whole(1, 10_000),
    "circuit_breaker_threshold": _whole(1, 1000),
    "circuit_breaker_cooldown_secs": _whole(1, _DAY_S),
    "audit_retention_days": _whole(1, 3650),
    "approval_ttl_secs": _whole(30, _DAY_S),
    "approval_scope": partial(read_word, words=ApprovalScope),
}
_FIELDS: Final = {
    "circuit_breaker_cooldown_secs": "circuit_breaker_cooldown_s",
    "approval_ttl_secs": "approval_ttl_s",
}
