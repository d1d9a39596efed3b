"""All that the pure side may know of the house."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from .actions import Contents
from .call import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFacts:
    """One entity as policy, impact and exposure see it.

    `wider_devices` are the devices whose ids in a target mean its own device too: the
    one that it is a part of. `members` are what a call on this entity also reaches: a
    group's members, the entity behind a forwarder. `contents` is what starting a scene,
    a script or an automation does, or any service on a helper that is made of scripts;
    None for anything else. `exposed` is Assist's exposure.
    """

    entity_id: str
    name: str
    domain: str
    device_class: str | None = None
    device_id: str | None = None
    wider_devices: tuple[str, ...] = ()
    area_id: str | None = None
    floor_id: str | None = None
    labels: frozenset[str] = frozenset()
    exposed: bool = False
    members: tuple[str, ...] = ()
    contents: Contents | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What a target means in the house.

    `entities` are those named and those behind a selector, groups not opened.
    `members` are what the groups among them reach, to the end. `missing` names what
    does not exist. `opaque` are entities whose reach can't be read.
    """

    entities: frozenset[str]
    members: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()


class HomeView(Protocol):
    """The house, read only. `revision` grows whenever an answer could change."""

    @property
    def revision(self) -> int:
        """Return the number of the registries' present state."""

    def entity(self, entity_id: str) -> EntityFacts | None:
        """Return an entity by id or registry id; None if it does not exist."""

    def expand(self, target: Target) -> Expansion:
        """Resolve the five kinds of ids; `all` is never resolved."""

    def script(self, name: str) -> EntityFacts | None:
        """Return the script that the service `script.<name>` runs, however renamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionResult:
    """Whether a condition holds; `problem` says why it could not be judged."""

    met: bool
    problem: str | None = None


class ConditionChecker(Protocol):
    """Judges a condition that was compiled when the policy was loaded."""

    def check(self, condition_id: str) -> ConditionResult:
        """Return the result now; a condition that raises is not met."""


@dataclass(frozen=True, slots=True)
class NoConditions:
    """The checker of a policy in which no rule has a condition."""

    def check(self, condition_id: str) -> ConditionResult:
        """Return not met: no such condition was compiled."""
        return ConditionResult(met=False, problem=f"unknown condition {condition_id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticHome:
    """A house given as values, for explanations and tests of the pure side."""

    facts: dict[str, EntityFacts]
    registry_ids: dict[str, str] = field(default_factory=dict)
    unreadable: frozenset[str] = frozenset()
    revision: int = 0

    def entity(self, entity_id: str) -> EntityFacts | None:
        """Return the facts under an entity id or a registry id."""
        return self.facts.get(self.registry_ids.get(entity_id, entity_id))

    def expand(self, target: Target) -> Expansion:
        """Resolve a target against the given facts."""
        found: set[str] = set()
        if target.device_id or target.area_id or target.floor_id or target.label_id:
            found.update(
                facts.entity_id
                for facts in self.facts.values()
                if {facts.device_id, *facts.wider_devices} & set(target.device_id)
                or facts.area_id in target.area_id
                or facts.floor_id in target.floor_id
                or facts.labels & set(target.label_id)
            )
        missing = []
        for entity_id in target.entity_id:
            if (known := self.entity(entity_id)) is None:
                missing.append(entity_id)
            else:
                found.add(known.entity_id)
        reached = close_over_members(self, found)
        return Expansion(
            entities=frozenset(found),
            members=reached - found,
            missing=tuple(missing),
            opaque=tuple(sorted(filter(self._is_opaque, reached))),
        )

    def script(self, name: str) -> EntityFacts | None:
        """Return the script of this name; none is renamed here."""
        return self.entity(f"script.{name}")

    def _is_opaque(self, entity_id: str) -> bool:
        facts = self.facts.get(entity_id)
        contents = facts.contents if facts else None
        return entity_id in self.unreadable or bool(contents and not contents.whole)


def close_over_members(home: HomeView, entity_ids: Iterable[str]) -> frozenset[str]:
    """Return the entities and all that calls on them reach, to the end."""
    reached: set[str] = set()
    waiting = list(entity_ids)
    while waiting:
        entity_id = waiting.pop()
        if entity_id in reached:
            continue
        reached.add(entity_id)
        if facts := home.entity(entity_id):
            waiting.extend(facts.members)
    return frozenset(reached)
