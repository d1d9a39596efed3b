"""The engine against a reference written straight from the rules' words.

What the reference refuses, the engine must never grant.
"""

from random import Random
from typing import Any, Final

from custom_components.caesar.policy.call import TARGET_KEYS, ServiceCall, Target
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.home import StaticHome

from .house import decide, facts, home_of, policy_of

LIGHTS: Final = [f"light.l{number}" for number in range(5)]
OTHERS: Final = ["switch.s0", "lock.k0"]
GROUPS: Final = ["light.g0", "light.g1", "group.g2"]
AREAS: Final = ["a0", "a1"]
FLOORS: Final = {"a0": "f0", "a1": "f1"}


SELECTORS: Final[dict[str, list[list[str]]]] = {
    "device_id": [["d0"]],
    "area_id": [["a0"], ["a1"], ["a0", "a1"]],
    "floor_id": [["f0"], ["f1"]],
    "label_id": [["x"], ["x", "y"]],
}


def _home(dice: Random) -> StaticHome:
    """Return a house with lights, a switch, a lock, and groups that may be nested."""
    known = []
    for entity_id in [*LIGHTS, *OTHERS, *GROUPS]:
        area = dice.choice([*AREAS, None])
        members: list[str] = []
        if entity_id in GROUPS:
            inner = [*LIGHTS, *OTHERS, *GROUPS[: GROUPS.index(entity_id)]]
            members = dice.sample(inner, dice.randint(0, 3))
        known.append(
            facts(
                entity_id,
                exposed=dice.random() < 0.7,
                area_id=area,
                floor_id=FLOORS.get(area or ""),
                device_id=dice.choice(["d0", "d1", None]),
                labels=frozenset(dice.sample(["x", "y"], dice.randint(0, 2))),
                members=tuple(members),
            )
        )
    return home_of(*known)


def _target(dice: Random) -> dict[str, list[str]]:
    """Return a target that names entities, selects some, or both."""
    target = {
        key: dice.choice(values)
        for key, values in SELECTORS.items()
        if dice.random() < 0.3
    }
    if not target or dice.random() < 0.5:
        ids = [*LIGHTS, *LIGHTS, *OTHERS, *GROUPS]
        target["entity_id"] = dice.sample(ids, dice.randint(1, 3))
    return target


def _call(service: str, target: dict[str, list[str]]) -> ServiceCall:
    domain, _, name = service.partition(".")
    return ServiceCall(
        domain=domain,
        service=name,
        target=Target(**{key: tuple(target.get(key, ())) for key in TARGET_KEYS}),
    )


def _leaves(home: StaticHome, entity_ids: set[str]) -> set[str]:
    """Return what remains when every group is opened to the end."""
    found: set[str] = set()
    for entity_id in entity_ids:
        members = set(home.facts[entity_id].members)
        found |= _leaves(home, members) if members else {entity_id}
    return found


def _lights_behind(home: StaticHome, target: dict[str, Any]) -> set[str]:
    """Return the lights behind the selectors of a target."""
    return {
        each.entity_id
        for each in home.facts.values()
        if each.domain == "light"
        and (
            each.device_id in target.get("device_id", ())
            or each.area_id in target.get("area_id", ())
            or each.floor_id in target.get("floor_id", ())
            or each.labels & set(target.get("label_id", ()))
        )
    }


def _refused_by_reference(
    home: StaticHome, rules: list[dict[str, Any]], target: dict[str, Any]
) -> bool:
    """Return whether no single rule covers all that the call means."""
    meant = set(target.get("entity_id", ())) | {
        entity_id
        for entity_id in _lights_behind(home, target)
        if home.facts[entity_id].exposed
    }
    for rule in rules:
        named = set(rule.get("entity_id", ()))
        granted = named | _lights_behind(home, rule)
        opened = _leaves(home, named) | granted
        if (
            meant
            and _leaves(home, meant) <= opened
            and all(
                each in granted or _leaves(home, {each}) <= opened for each in meant
            )
        ):
            return False
    return True


def test_never_grants_what_the_reference_refuses() -> None:
    """One rule must cover the whole call, groups opened to the end."""
    granted = 0
    for seed in range(1000):
        dice = Random(seed)
        home = _home(dice)
        rules = [_target(dice) for _ in range(dice.randint(1, 3))]
        target = _target(dice)
        entries = [{"service": "light.turn_on", "target": rule} for rule in rules]
        policy = policy_of(f"allowed_services: {entries}")
        decision = decide(policy, _call("light.turn_on", target), home)
        if decision.verdict is Verdict.DENY:
            continue
        granted += 1
        named = set(target.get("entity_id", ()))
        assert not _refused_by_reference(home, rules, target), seed
        assert named <= set(decision.pinned), seed
        assert all(
            home.facts[each].exposed or each in named for each in decision.pinned
        ), seed
    assert granted > 100


def test_generic_switch_grants_no_more_than_each_own_service() -> None:
    """Allowing `homeassistant.turn_on` for all allows only what else is allowed."""
    policy = policy_of(
        "allowed_services: [homeassistant.turn_on, homeassistant.turn_off,"
        " light.turn_on, {service: switch.turn_on, approval: always}]"
    )
    seen = dict.fromkeys(Verdict, 0)
    for seed in range(1000):
        dice = Random(seed)
        home, target = _home(dice), _target(dice)
        verb = dice.choice(["turn_on", "turn_on", "turn_off"])
        decision = decide(policy, _call(f"homeassistant.{verb}", target), home)
        touched = {each.partition(".")[0] for each in decision.touched}
        seen[decision.verdict] += 1
        if decision.verdict is Verdict.ALLOW:
            assert touched <= {"light", "group"}, seed
            assert verb == "turn_on", seed
        if decision.verdict is Verdict.ASK:
            assert touched <= {"light", "group", "switch"}, seed
            assert "switch" in touched, seed
    assert min(seen.values()) > 30
