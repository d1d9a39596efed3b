"""Which of a service's many rules could cover an entity, without asking each.

Only a first sieve: it may let a rule through that does not cover the call, and never
keeps one back that does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .home import EntityFacts
from .rules import ServiceRule

FEW: Final = 8
type Numbers = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleIndex:
    """Numbers of rules by what their targets name; `always` are those to ask anyway."""

    always: tuple[int, ...]
    entities: Numbers
    devices: Numbers
    areas: Numbers
    floors: Numbers
    labels: Numbers

    def candidates(self, reached: Iterable[EntityFacts]) -> Sequence[int]:
        """Return the rules that name one of the entities, in the order of the file."""
        found = set(self.always)
        for facts in reached:
            found.update(self.entities.get(facts.entity_id, ()))
            for device in (facts.device_id or "", *facts.wider_devices):
                found.update(self.devices.get(device, ()))
            found.update(self.areas.get(facts.area_id or "", ()))
            found.update(self.floors.get(facts.floor_id or "", ()))
            for label in facts.labels:
                found.update(self.labels.get(label, ()))
        return sorted(found)


def index_of(rules: Sequence[ServiceRule]) -> RuleIndex | None:
    """Return the index of one service's rules; None if they are few."""
    if len(rules) <= FEW:
        return None
    # The first one is what a refusal of all of them is told by.
    always = [0]
    maps: dict[str, dict[str, list[int]]] = {
        key: {} for key in ("entity_id", "device_id", "area_id", "floor_id", "label_id")
    }
    for number, rule in enumerate(rules):
        if rule.target is None or any(
            "." not in each for each in rule.target.entity_id
        ):
            # An id of the registry says nothing of the entity before it is looked up.
            always.append(number)
            continue
        for key, by_id in maps.items():
            for each in getattr(rule.target, key):
                by_id.setdefault(each, []).append(number)
    return RuleIndex(
        always=tuple(always),
        entities=maps["entity_id"],
        devices=maps["device_id"],
        areas=maps["area_id"],
        floors=maps["floor_id"],
        labels=maps["label_id"],
    )
