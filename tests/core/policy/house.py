"""A small house as values, and short ways to ask a policy about it."""

from typing import Any

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import GenericToolCall, ToolCall, service_call
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.engine import LoadedPolicy, evaluate_bare
from custom_components.caesar.policy.home import EntityFacts, HomeView, StaticHome
from custom_components.caesar.policy.loader import PolicyError, Problem, load_policy

SEED = """\
version: 1
allowed_services:
  - light.turn_on
  - service: light.turn_off
    target:
      entity_id: [light.kitchen]
allowed_tools:
  - tool: calculator                      # bare: fully permissive
  - tool: web_search
    input:
      domain_allowlist:
        - en.wikipedia.org
        - search.example.com
"""
"""The example of the founding document ADR-0028, word for word."""


def facts(entity_id: str, **more: Any) -> EntityFacts:
    """Return an entity that is shared with the assistant."""
    more.setdefault("exposed", True)
    return EntityFacts(
        entity_id=entity_id, name=entity_id, domain=entity_id.partition(".")[0], **more
    )


def home_of(*known: EntityFacts, **more: Any) -> StaticHome:
    """Return a house of these entities."""
    return StaticHome(facts={each.entity_id: each for each in known}, **more)


def demo_house() -> StaticHome:
    """Return two floors with what attackers like, and harmless things beside it."""
    down: dict[str, Any] = {"floor_id": "ground"}
    up: dict[str, Any] = {"floor_id": "first"}
    hall: dict[str, Any] = {"area_id": "hall", **down}
    return home_of(
        facts("light.kitchen", area_id="kitchen", labels={"safe"}, **down),
        facts("light.counter", area_id="kitchen", **down),
        facts("light.hall", device_id="dev_hall", **hall),
        facts("light.bedroom", area_id="bedroom", **up),
        facts("light.secret", area_id="bedroom", exposed=False, **up),
        facts(
            "light.downstairs",
            members=("light.kitchen", "light.counter", "light.hall"),
        ),
        facts("group.everything", members=("light.hall", "lock.front_door")),
        facts("switch.kettle", area_id="kitchen", **down),
        facts("lock.front_door", device_id="dev_door", labels={"doors"}, **hall),
        facts("lock.shed", area_id="garden", labels={"doors"}, **down),
        facts("lock.cellar", area_id="cellar", exposed=False),
        facts("lock.all_doors", members=("lock.front_door", "lock.shed"), **hall),
        facts("cover.garage", device_class="garage", area_id="garden", **down),
        facts("cover.blind", device_class="blind", area_id="bedroom", **up),
        facts("cover.all_covers", members=("cover.garage", "cover.blind")),
        facts("scene.movie", members=("light.hall",)),
        facts("scene.coming_home", members=("lock.front_door",)),
        facts("script.good_night"),
        facts("script.let_in"),
        facts("climate.living", area_id="living", **down),
        facts("media_player.living", area_id="living", **down),
        facts("alarm_control_panel.house", **hall),
        facts("weather.home"),
        facts("vacuum.robot", area_id="living", **down),
        registry_ids={"0" * 32: "lock.front_door", "1" * 32: "light.kitchen"},
        unreadable=frozenset(
            {"scene.movie", "scene.coming_home", "script.good_night", "script.let_in"}
        ),
    )


def service(
    tool: str,
    target: dict[str, Json] | str | None = None,
    data: dict[str, Json] | None = None,
) -> ToolCall:
    """Return a service call; a text as target is an entity id."""
    domain, _, name = tool.partition(".")
    if isinstance(target, str):
        target = {"entity_id": target}
    return service_call(domain, name, target, data)


def tool(name: str, **given: Json) -> ToolCall:
    """Return a call of another tool."""
    return GenericToolCall(tool=name, input=given)


def policy_of(text: str) -> LoadedPolicy:
    """Return the policy of a text without its first line."""
    return load_policy(f"version: 1\n{text}")


def decide(
    policy: LoadedPolicy | str, call: ToolCall, home: HomeView | None = None
) -> PolicyDecision:
    """Return the decision about a call in the demo house, or in another."""
    if isinstance(policy, str):
        policy = policy_of(policy)
    return evaluate_bare(policy, call, home or demo_house())


def verdict(
    policy: LoadedPolicy | str, call: ToolCall, home: HomeView | None = None
) -> tuple[Verdict, str]:
    """Return verdict and code."""
    decision = decide(policy, call, home)
    return decision.verdict, decision.reason.code.value


def problems_of(text: str) -> tuple[Problem, ...]:
    """Return all that is wrong with a policy file."""
    with pytest.raises(PolicyError) as caught:
        load_policy(text)
    return caught.value.problems
