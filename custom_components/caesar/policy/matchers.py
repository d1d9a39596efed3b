"""What a rule's blocks mean for a call, asked against the house as it is now."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from .call import Target
from .home import HomeView
from .impact import ENTITY_DOMAINS

ANY_ENTITY_DOMAIN: Final = "homeassistant"


def in_reach(entity_domain: str, service_domain: str) -> bool:
    """Return whether a selector of this service means entities of that domain.

    `light.turn_on` in an area means its lights; `homeassistant.*` means everything.
    """
    return service_domain in (entity_domain, ANY_ENTITY_DOMAIN)


def selectors_of(target: Target) -> Target:
    """Return the target without the entities it names one by one."""
    return Target(
        device_id=target.device_id,
        area_id=target.area_id,
        floor_id=target.floor_id,
        label_id=target.label_id,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What a rule's target means now: entities it names, and those it selects."""

    named: frozenset[str]
    selected: frozenset[str]

    @classmethod
    def of(cls, target: Target, service_domain: str, home: HomeView) -> Granted:
        """Resolve a rule's target; what no longer exists grants nothing."""
        named = {
            facts.entity_id
            for entity_id in target.entity_id
            if (facts := home.entity(entity_id))
        }
        selected: set[str] = set()
        if selectors := selectors_of(target):
            selected = {
                entity_id
                for entity_id in home.expand(selectors).entities
                if (facts := home.entity(entity_id))
                and in_reach(facts.domain, service_domain)
            }
        return cls(named=frozenset(named), selected=frozenset(selected))

    def outside(
        self, entity_ids: Iterable[str], opaque: frozenset[str], home: HomeView
    ) -> tuple[str, ...]:
        """Return those that the rule does not cover, or reach what it doesn't.

        A group counts as covered if the rule names it, or if all that it reaches is
        covered. One whose members can't be read must be named. Two that only stand
        for each other (a switch shown as a lock) cover nothing between them.
        """
        members = self._reached(entity_ids, home)
        covered = self.named | (self.selected - opaque)
        waiting = True
        while waiting:
            more = {
                entity_id
                for entity_id, below in members.items()
                if entity_id not in covered
                and entity_id not in opaque
                and below
                and covered.issuperset(below)
            }
            covered |= more
            waiting = bool(more)
        missed = tuple(each for each in members if each not in covered)
        ends = tuple(each for each in missed if not members[each] or each in opaque)
        return ends or missed

    def _reached(
        self, entity_ids: Iterable[str], home: HomeView
    ) -> dict[str, tuple[str, ...]]:
        """Return all that is reached, with its members; what is named isn't opened."""
        members: dict[str, tuple[str, ...]] = {}
        waiting = list(reversed(list(entity_ids)))
        while waiting:
            entity_id = waiting.pop()
            if entity_id in members:
                continue
            facts = home.entity(entity_id)
            opened = facts is not None and entity_id not in self.named
            members[entity_id] = facts.members if facts and opened else ()
            waiting.extend(reversed(members[entity_id]))
        return members


def bare_outside(
    entity_ids: Iterable[str], service_domain: str, home: HomeView
) -> tuple[str, ...]:
    """Return those named that the service isn't made for.

    A bare rule for `light.turn_on` grants lights (and groups, which Home Assistant
    opens), not whatever id a model puts there.
    """
    if service_domain not in ENTITY_DOMAINS:
        return ()
    return tuple(
        entity_id
        for entity_id in entity_ids
        if (facts := home.entity(entity_id)) is None
        or facts.domain not in (service_domain, "group")
    )
