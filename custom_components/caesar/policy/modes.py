"""What a file says of a tool before any of its rules is asked (SPEC 3.3)."""

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Final

from .decision import RuleRef
from .globs import CALL_SERVICE, Glob, denies, first_match, fits, names_of
from .impact import CORE_READS, RECALL_TOOLS, Impact, is_never
from .reason import Code, Reason

ALLOWED_SERVICES: Final = "allowed_services"
ALLOWED_TOOLS: Final = "allowed_tools"
ALLOW_GLOBS: Final = "bot.tool_policy.allow"
MOST_KEPT: Final = 1024


class Mode(StrEnum):
    """Whether the file lists rules, patterns only, or nothing (reads only)."""

    DEFAULT = "default"
    LIST = "list"
    EXPLICIT = "explicit"


class Standing(Enum):
    """How a tool that is not barred stands.

    BY_RULES: its rules decide. FREE: no question. BY_CLASS: granted, and asked about
    if it can't be undone. ASKED: granted, and asked about every time. UNLISTED: no.
    """

    BY_RULES = "by_rules"
    FREE = "free"
    BY_CLASS = "by_class"
    ASKED = "asked"
    UNLISTED = "unlisted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Barred:
    """A pattern forbids the tool, or none of those that allow fits it."""

    reason: Reason
    rule: RuleRef | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What the file says of tools as such.

    `services` and `tools` are those that rules are about; `tools_listed` says that
    the file has the key `allowed_tools`: while it has not, recalling the past stays
    allowed (ADR-0028 of the founding documents).
    """

    mode: Mode = Mode.DEFAULT
    services: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    tools_listed: bool = False
    allow: tuple[Glob, ...] = ()
    deny: tuple[Glob, ...] = ()
    writes_with_approval: bool = False
    unlisted_asks: bool = False
    _kept: dict[tuple[str, bool], Barred | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def barred(self, tool: str, *, is_service: bool) -> Barred | None:
        """Return what forbids a tool by its name, whatever its rules say."""
        if not self.allow and not self.deny:
            return None
        key = (tool, is_service)
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            self._kept[key] = self._find_bar(tool, is_service)
        return self._kept[key]

    def standing(self, tool: str, impact: Impact, *, is_service: bool) -> Standing:
        """Return how a tool stands that is not barred."""
        if tool in (self.services if is_service else self.tools):
            return Standing.BY_RULES
        if self.mode is Mode.EXPLICIT:
            return Standing.BY_CLASS
        is_read = impact is Impact.READ
        if self.mode is Mode.DEFAULT:
            if is_read:
                return Standing.FREE
            return Standing.ASKED if self.writes_with_approval else Standing.UNLISTED
        if not is_service and (
            tool in CORE_READS or (tool in RECALL_TOOLS and not self.tools_listed)
        ):
            return Standing.FREE if is_read else Standing.BY_CLASS
        if self.unlisted_asks:
            return Standing.FREE if is_read else Standing.ASKED
        return Standing.UNLISTED

    def may_grant_a_service(self) -> bool:
        """Return whether any service at all could be granted to anybody."""
        if any(fits(glob.pattern, CALL_SERVICE) for glob in self.deny):
            return False
        if self.mode is not Mode.LIST or self.unlisted_asks:
            return True
        return any(
            not is_never(service) and self.barred(service, is_service=True) is None
            for service in self.services
        )

    def _find_bar(self, tool: str, is_service: bool) -> Barred | None:
        if glob := denies(self.deny, tool, is_service=is_service):
            return Barred(
                reason=Reason(
                    code=Code.POLICY_DENIED, values={"tool": tool[:128], "why": "deny"}
                ),
                rule=RuleRef(name=f"{glob.path} {glob.pattern}", line=glob.line),
            )
        names = names_of(tool, is_service=is_service)
        if self.allow and first_match(self.allow, names) is None:
            return Barred(reason=not_listed(tool, ALLOW_GLOBS))
        return None


def not_listed(tool: str, block: str) -> Reason:
    """Return that a tool is not on the list that would allow it."""
    return Reason(code=Code.NOT_LISTED, values={"tool": tool[:128], "block": block})
