"""The rules of a policy, as values. `loader` makes them, `engine` asks them."""

from collections.abc import Mapping
from dataclasses import dataclass
import math
from typing import Protocol

from ..legion.canonical import Json
from .call import Target
from .decision import ApprovalMode, RuleRef
from .home import HomeView
from .pattern import SafePattern
from .reason import Reason
from .who import Who

type Plain = str | int | float | bool


def same(value: Json, wanted: Plain) -> bool:
    """Return whether two values are equal in kind and value.

    True is not 1 and "1" is not 1; 21 and 21.0 are the same JSON number.
    """
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, (int, float)) and isinstance(wanted, (int, float)):
        return value == wanted
    return isinstance(value, str) and isinstance(wanted, str) and value == wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """What one field of a call's data may be; all bounds that are given must hold."""

    one_of: tuple[Plain, ...] | None = None
    minimum: float | None = None
    maximum: float | None = None
    pattern: SafePattern | None = None
    max_length: int | None = None

    def allows(self, value: Json) -> bool:
        """Return whether the value lies within the bounds."""
        if self.one_of is not None and not any(same(value, w) for w in self.one_of):
            return False
        if self.minimum is not None or self.maximum is not None:
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return False
            if not math.isfinite(value):
                return False
            if self.minimum is not None and value < self.minimum:
                return False
            if self.maximum is not None and value > self.maximum:
                return False
        if self.pattern is not None or self.max_length is not None:
            if not isinstance(value, str):
                return False
            if self.max_length is not None and len(value) > self.max_length:
                return False
            if self.pattern is not None and not self.pattern.matches(value):
                return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRule:
    """A `data:` block: a whitelist of fields, open to others only with `"*"`."""

    fields: Mapping[str, Constraint]
    others: bool = False

    def refused_key(self, data: Mapping[str, Json]) -> str | None:
        """Return the first field that is not allowed, None if all are."""
        for key, value in data.items():
            constraint = self.fields.get(key)
            if constraint is None:
                if not self.others:
                    return key
            elif not constraint.allows(value):
                return key
        return None


class InputMatcher(Protocol):
    """What an `input:` block means for the calls of its tool."""

    def refusal(
        self, tool: str, given: Mapping[str, Json], home: HomeView
    ) -> Reason | None:
        """Return why the call is refused, None if it is allowed."""

    @property
    def satisfiable(self) -> bool:
        """Return whether any call at all could be allowed."""

    @property
    def domains(self) -> tuple[str, ...] | None:
        """Return the hosts that may show in the result; None for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What every entry of the two lists can say.

    `who` is whom it is for, everybody without; `when` the id of a condition that must
    hold; `max_entities` how many entities a call may touch without asking. `lonely`
    says that it was written as a block that names the service or tool only.
    """

    ref: RuleRef
    approval: ApprovalMode = ApprovalMode.AUTO
    who: Who | None = None
    when: str | None = None
    approvers: tuple[str, ...] = ()
    pin: str | None = None
    max_entities: int | None = None
    taint_allowed: bool = False
    lonely: bool = False

    @property
    def unlimited(self) -> bool:
        """Return whether the rule holds for everybody, always, for any number."""
        return self.who is None and self.when is None and self.max_entities is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceRule(Rule):
    """One entry of `allowed_services`; without target and data it allows all."""

    service: str
    target: Target | None = None
    data: DataRule | None = None

    @property
    def tool(self) -> str:
        """Return the id of what the rule is about."""
        return self.service

    @property
    def unbounded(self) -> bool:
        """Return whether the rule covers every call."""
        return self.target is None and self.data is None and self.unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule(Rule):
    """One entry of `allowed_tools`; without `input` it allows all."""

    tool: str
    input: InputMatcher | None = None

    @property
    def unbounded(self) -> bool:
        """Return whether the rule covers every call."""
        return self.input is None and self.unlimited

    @property
    def satisfiable(self) -> bool:
        """Return whether any call at all could be allowed."""
        return self.input is None or self.input.satisfiable
