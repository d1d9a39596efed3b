"""When a granted call is asked about, and which of two grants asks less."""

from typing import Final

from .decision import ApprovalMode
from .impact import Impact
from .reason import Code
from .rules import Rule

MOST_STRICT: Final = 8
TRUST: Final = 2
"""Strictness below this differs in nothing that a person is asked."""


def why_ask(
    rule: Rule | None, impact: Impact, size: int | None, *, any_change_asks: bool
) -> Code | None:
    """Return why a person must be asked, None for not at all (SPEC D-8).

    Without a rule the call's class decides alone. `size` is how many entities are
    touched; None is more than any number.
    """
    mode = rule.approval if rule else ApprovalMode.AUTO
    if (
        impact >= Impact.LOCKED
        or mode is ApprovalMode.ALWAYS
        or (impact >= Impact.DESTRUCTIVE and mode is not ApprovalMode.NEVER)
        or (any_change_asks and impact > Impact.READ)
    ):
        return Code.APPROVAL_NEEDED
    if rule is None or rule.max_entities is None:
        return None
    if size is None or size > rule.max_entities:
        return Code.TOO_MANY_ENTITIES
    return None


def strictness(ask: Code | None, pin: str | None, taint_allowed: bool) -> int:
    """Return a number for what is asked: a person, then a PIN, then trust."""
    return (
        2 * TRUST * (ask is not None) + TRUST * (pin is not None) + (not taint_allowed)
    )
