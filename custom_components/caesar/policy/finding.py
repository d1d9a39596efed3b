"""What a service call means in the house as it is now, worked out once.

All of it depends on the call, the policy and the house only, so it is kept until
`HomeView.revision` changes; who asks, when, and with which values comes after it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .asking import MOST_STRICT, strictness, why_ask
from .call import ServiceCall, Target, tool_id
from .decision import RuleRef
from .home import EntityFacts, HomeView, close_over_members
from .impact import GENERIC_SWITCHES, Impact, is_starter, service_impact
from .index import RuleIndex
from .matchers import Granted, bare_outside
from .reason import Code, Reason
from .resolve import Reach, find_reach, impact_of
from .rules import ServiceRule

MOST_KEPT: Final = 4096
MOST_TEXT: Final = 512
"""Characters of a call that is kept; a model can make calls of any size."""
NAMED_AT_MOST: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why the rule that came closest does not cover the call."""

    rule: RuleRef
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """A rule whose target covers the call; `ask` and `strictness` for its `size`."""

    rule: ServiceRule
    ask: Code | None
    strictness: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a call would reach, how bad that is, and which rules' targets cover it.

    `size` is how many entities it touches, groups counted by their members; None if
    that can't be known. `covering` lacks rules that could never decide, because an
    earlier one grants without any condition and asks no more. `refusal` is of the
    first rule that does not cover the call.
    """

    reach: Reach
    impact: Impact
    size: int | None
    covering: tuple[Cover, ...] = ()
    refusal: Refusal | None = None


@dataclass(slots=True)
class _Generation:
    """What is known of one house in one state."""

    home: HomeView
    revision: int
    findings: dict[object, Finding] = field(default_factory=dict)
    granted: dict[tuple[str, Target], Granted] = field(default_factory=dict)


class Findings:
    """Works findings out, and keeps those of the present state of the house."""

    def __init__(
        self,
        services: Mapping[str, Sequence[ServiceRule]],
        indexes: Mapping[str, RuleIndex],
        impacts: Mapping[str, Impact],
        *,
        any_change_asks: bool,
    ) -> None:
        """Work with these rules, and with the classes that the owner gave."""
        self._any_change_asks = any_change_asks
        self._services = services
        self._indexes = indexes
        self._impacts = impacts
        self._now: _Generation | None = None

    def of(self, call: ServiceCall, home: HomeView) -> Finding:
        """Return what the call means now."""
        now = self._now
        revision = home.revision
        if now is None or now.home is not home or now.revision != revision:
            self._now = now = _Generation(home=home, revision=revision)
        key = _key_of(call)
        if key is None:
            return self._find(call, now)
        finding = now.findings.get(key)
        if finding is None:
            finding = self._find(call, now)
            if len(now.findings) >= MOST_KEPT:
                now.findings.clear()
            now.findings[key] = finding
        return finding

    def _find(self, call: ServiceCall, now: _Generation) -> Finding:
        tool = tool_id(call)
        reach = find_reach(call, now.home)
        impact = overridden(impact_of(call, reach), tool, self._impacts)
        size = _size(reach)
        covering, refusal = self._cover(call, tool, reach, impact, size, now)
        return Finding(
            reach=reach,
            impact=impact,
            size=size,
            covering=covering,
            refusal=refusal,
        )

    def _cover(
        self,
        call: ServiceCall,
        tool: str,
        reach: Reach,
        impact: Impact,
        size: int | None,
        now: _Generation,
    ) -> tuple[tuple[Cover, ...], Refusal | None]:
        """Return the rules that cover the whole call and could decide it.

        And the first that does not cover it, unless one grants it whatever else.
        """
        if reach.problem:
            return (), None
        rules = self._services.get(tool, ())
        if index := self._indexes.get(tool):
            rules = [rules[n] for n in index.candidates(_first(reach, now.home))]
        covering = []
        refusal = None
        least = MOST_STRICT
        for rule in rules:
            ask = why_ask(rule, impact, size, any_change_asks=self._any_change_asks)
            needed = strictness(ask, rule.pin, rule.taint_allowed)
            # As a part of a larger call it could only ask more.
            if needed >= least:
                continue
            reason = self._refused(call, tool, reach, rule, now)
            if reason is None:
                covering.append(Cover(rule=rule, ask=ask, strictness=needed))
                if _grants_anyway(rule, tool):
                    least = needed
            elif refusal is None:
                refusal = Refusal(rule=rule.ref, reason=reason)
        return tuple(covering), refusal

    def _refused(
        self,
        call: ServiceCall,
        tool: str,
        reach: Reach,
        rule: ServiceRule,
        now: _Generation,
    ) -> Reason | None:
        """Return why the rule's target does not cover the call."""
        # Home Assistant would drop a generic one without a word.
        if not call.target and (rule.target or tool in GENERIC_SWITCHES):
            return Reason(code=Code.TARGET_REQUIRED, values={"service": tool})
        if rule.target is None:
            outside = bare_outside(reach.pinned, call.domain, now.home)
        else:
            key = (call.domain, rule.target)
            granted = now.granted.get(key)
            if granted is None:
                granted = Granted.of(rule.target, call.domain, now.home)
                now.granted[key] = granted
            outside = granted.outside(reach.pinned, reach.opaque, now.home)
        return not_covered(tool, outside) if outside else None


def _grants_anyway(rule: ServiceRule, tool: str) -> bool:
    """Return whether what the rule covers is granted whoever asks, and with what."""
    stands_for_others = rule.target is None and tool in GENERIC_SWITCHES
    return not (
        rule.data
        or rule.who
        or rule.when
        or rule.max_entities is not None
        or stands_for_others
    )


def overridden(found: Impact, tool: str, impacts: Mapping[str, Impact]) -> Impact:
    """Return the class of a call under the owner's own classes.

    He may raise a tool, and lower what its name alone makes worse; what a call would
    touch is never lowered, nor what runs code.
    """
    wanted = impacts.get(tool)
    if wanted is None or found >= Impact.LOCKED or wanted == found:
        return found
    if wanted > found or (found is service_impact(tool) and not is_starter(tool)):
        return wanted
    return found


def not_covered(tool: str, outside: Sequence[str]) -> Reason:
    """Return that these entities are outside of a rule."""
    return Reason(
        code=Code.TARGET_NOT_COVERED,
        values={"service": tool, "entities": ", ".join(outside[:NAMED_AT_MOST])},
    )


def _first(reach: Reach, home: HomeView) -> list[EntityFacts]:
    """Return what the first entity of a call reaches: a covering rule names of it."""
    reached = close_over_members(home, reach.pinned[:1])
    return [facts for each in reached if (facts := home.entity(each))]


def _size(reach: Reach) -> int | None:
    """Return how many entities are touched; groups and scenes only stand for theirs."""
    if reach.opaque:
        return None
    ends = {*reach.touched}
    for facts in (*reach.facts, *reach.mentioned):
        if facts is None:
            return None
        if facts.members or facts.contents:
            ends.discard(facts.entity_id)
        else:
            ends.add(facts.entity_id)
    return len(ends)


def _key_of(call: ServiceCall) -> object:
    """Return what a finding is kept under; None for calls too odd to keep."""
    target = call.target
    room = MOST_TEXT
    for ids in (
        target.entity_id,
        target.device_id,
        target.area_id,
        target.floor_id,
        target.label_id,
    ):
        for each in ids:
            room -= len(each)
    if not call.data:
        return (call.domain, call.service, target) if room >= 0 else None
    items = []
    for key, value in call.data.items():
        kind = type(value)
        if isinstance(value, str):
            room -= len(value)
        elif kind not in _PLAIN:
            return None
        # Equal numbers of different kinds (1 and true) are different values.
        items.append((key, kind, value))
        room -= len(key)
    return (call.domain, call.service, target, tuple(items)) if room >= 0 else None


_PLAIN: Final = frozenset({int, float, bool, type(None)})
