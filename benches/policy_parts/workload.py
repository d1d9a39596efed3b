"""A house of 300 entities in 20 areas, rules for it, and calls of it. Plain values.

Needs nothing but Python: the other engines run it in an environment of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median, quantiles
import time
from typing import Final

ENTITIES: Final = 300
AREAS: Final = 20
LIMIT_S: Final = 3.0
LEAST: Final = 20
SERVICES: Final = {
    "climate": ("set_temperature", "turn_off", "turn_on"),
    "cover": ("close_cover", "open_cover", "stop_cover"),
    "fan": ("toggle", "turn_off", "turn_on"),
    "light": ("toggle", "turn_off", "turn_on"),
    "media_player": ("turn_off", "turn_on", "volume_set"),
    "switch": ("toggle", "turn_off", "turn_on"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A service that is allowed for one entity or, if `in_area`, for one area."""

    service: str
    in_area: bool
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What one decision takes, in microseconds, and how many calls were allowed."""

    median: float
    p99: float
    allowed: int
    calls: int


def area_of(number: int) -> str:
    """Return the area of the entity with this number."""
    return f"area_{number % AREAS}"


def entities() -> list[tuple[str, str]]:
    """Return all entities with their areas."""
    domains = list(SERVICES)
    return [
        (f"{domains[number % len(domains)]}.thing_{number}", area_of(number))
        for number in range(ENTITIES)
    ]


def calls() -> list[tuple[str, str]]:
    """Return every service with every entity of its domain, in no order."""
    found = [
        (f"{entity.partition('.')[0]}.{verb}", entity)
        for entity, _ in entities()
        for verb in SERVICES[entity.partition(".")[0]]
    ]
    Random(2).shuffle(found)
    return found


def rules(count: int) -> list[Rule]:
    """Return rules for all of these services, a third of them for an area."""
    dice = Random(1)
    known = [entity for entity, _ in entities()]
    found = []
    for number in range(count):
        entity = dice.choice(known)
        domain = entity.partition(".")[0]
        in_area = number % 3 == 0
        found.append(
            Rule(
                service=f"{domain}.{dice.choice(SERVICES[domain])}",
                in_area=in_area,
                target=area_of(dice.randrange(AREAS)) if in_area else entity,
            )
        )
    return found


def measure[C](decide: Callable[[C], bool], each: Sequence[C]) -> Figures:
    """Return what a decision takes, over all calls or what fits into some seconds."""
    took = []
    allowed = 0
    until = time.perf_counter() + LIMIT_S
    for call in each:
        start = time.perf_counter_ns()
        answer = decide(call)
        took.append((time.perf_counter_ns() - start) / 1000)
        allowed += answer
        if len(took) >= LEAST and time.perf_counter() > until:
            break
    return Figures(
        median=median(took),
        p99=quantiles(took, n=100)[98],
        allowed=allowed,
        calls=len(took),
    )
