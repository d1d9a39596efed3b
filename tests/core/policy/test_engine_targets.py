"""Decisions in detail: targets, groups, what stands behind a generic switch."""

import pytest

from custom_components.caesar.policy.call import ServiceCall, Target
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.home import EntityFacts, Expansion, StaticHome
from custom_components.caesar.policy.impact import Impact

from .house import decide, demo_house, facts, home_of, service, verdict

ALLOW = (Verdict.ALLOW, "allowed")
DENY = Verdict.DENY


def test_outside_entities_are_named_up_to_five() -> None:
    """The reason names what is outside, and never what would be inside."""
    home = home_of(*(facts(f"light.l{number}") for number in range(9)))
    decision = decide(
        "allowed_services: [{service: light.turn_on, target: {entity_id: light.l0}}]",
        service("light.turn_on", {"entity_id": [f"light.l{n}" for n in range(9)]}),
        home,
    )
    assert decision.reason.values == {
        "service": "light.turn_on",
        "entities": "light.l1, light.l2, light.l3, light.l4, light.l5",
    }


def test_selector_means_the_shared_entities() -> None:
    """A room means what is shared in it; the others are counted, not touched."""
    decision = decide(
        "allowed_services: [light.turn_on]",
        service("light.turn_on", {"area_id": "bedroom"}),
    )
    assert (decision.pinned, decision.left_out) == (("light.bedroom",), 1)


@pytest.mark.parametrize(
    "call",
    [
        service("light.turn_on", {"area_id": "garden"}),
        service("weather.get_forecasts", {"area_id": "garden"}),
    ],
)
@pytest.mark.parametrize("policy", ["", "allowed_services: [light.turn_on]"])
def test_selector_with_nothing_behind_it(call: ServiceCall, policy: str) -> None:
    """A room without anything that fits is refused in words, never passed on."""
    decision = decide(policy, call)
    assert decision.verdict is DENY
    if decision.visible:
        assert decision.reason.code.value == "target_not_covered"
        assert decision.reason.values["entities"] == "garden"


def test_not_existing() -> None:
    """Entities that do not exist make the call malformed, whatever else it names."""
    decision = decide(
        "allowed_services: [light.turn_on]",
        service("light.turn_on", {"entity_id": ["light.hall", "light.hal"]}),
    )
    assert decision.reason.code.value == "malformed_target"
    assert decision.reason.values["entity"] == "light.hal"
    assert decision.touched == ("light.hall",)


class _Registry:
    """A house that knows its areas, as Home Assistant's registries do."""

    revision = 1

    def __init__(self) -> None:
        self._home = demo_house()

    def entity(self, entity_id: str) -> EntityFacts | None:
        return self._home.entity(entity_id)

    def expand(self, target: Target) -> Expansion:
        known = {each.area_id for each in self._home.facts.values()}
        missing = tuple(area for area in target.area_id if area not in known)
        found = self._home.expand(target)
        return Expansion(entities=found.entities, missing=found.missing + missing)

    def script(self, name: str) -> EntityFacts | None:
        return self._home.script(name)


def test_area_that_does_not_exist() -> None:
    """A room that does not exist is malformed, and named."""
    decision = decide(
        "allowed_services: [light.turn_on]",
        service("light.turn_on", {"area_id": ["kitchen", "attic"]}),
        _Registry(),
    )
    assert decision.reason.code.value == "malformed_target"
    assert decision.reason.values == {
        "key": "area_id",
        "value": "attic",
        "entity": "attic",
    }


@pytest.mark.parametrize("item", ["all", "ALL", " all "])
@pytest.mark.parametrize("policy", ["", "allowed_services: [light.turn_on]"])
def test_all_is_never_a_target(policy: str, item: str) -> None:
    """`all` is refused in every mode, also where a call was not cleaned."""
    call = ServiceCall(
        domain="light", service="turn_on", target=Target(entity_id=(item,))
    )
    assert verdict(policy, call) == (DENY, "capability_denied")


def test_target_left_in_data_is_refused() -> None:
    """A call that was put together past `service_call` hides nothing in its data."""
    call = ServiceCall(
        domain="light", service="turn_on", data={"entity_id": "light.hall"}
    )
    assert verdict("allowed_services: [light.turn_on]", call) == (
        DENY,
        "malformed_target",
    )


def test_bare_rule_grants_entities_of_its_service() -> None:
    """`light.turn_on` is for lights; a vendor's service may be for anything."""
    decision = decide(
        "allowed_services: [light.turn_on]", service("light.turn_on", "switch.kettle")
    )
    assert decision.reason.code.value == "target_not_covered"
    vendor = "allowed_services: [{service: sonos.snapshot, approval: never}]"
    call = service("sonos.snapshot", "media_player.living")
    assert verdict(vendor, call) == ALLOW


def test_stale_rule_grants_nothing() -> None:
    """What a rule names and does not exist is no grant."""
    policy = (
        "allowed_services: [{service: light.turn_on,"
        " target: {entity_id: light.gone, area_id: gone}}]"
    )
    assert verdict(policy, service("light.turn_on", "light.hall")) == (
        DENY,
        "target_not_covered",
    )


def test_opaque_must_be_named() -> None:
    """What can't be seen through is covered by its name only, never by its room."""
    home = StaticHome(
        facts={"scene.x": facts("scene.x", area_id="hall")},
        unreadable=frozenset({"scene.x"}),
    )
    call = service("scene.turn_on", "scene.x")
    rule = "allowed_services: [{service: scene.turn_on, approval: never, target: %s}]"
    assert verdict(rule % "{area_id: hall}", call, home) == (DENY, "target_not_covered")
    assert verdict(rule % "{entity_id: scene.x}", call, home) == ALLOW


def test_group_in_a_room_must_reach_nothing_outside() -> None:
    """A room's group is covered by the room only if all its members are."""
    home = home_of(
        facts("light.group", area_id="hall", members=("light.a", "light.b")),
        facts("light.a", area_id="hall"),
        facts("light.b", area_id="attic"),
    )
    rule = "allowed_services: [{service: light.turn_on, target: {area_id: [hall%s]}}]"
    call = service("light.turn_on", "light.group")
    decision = decide(rule % "", call, home)
    assert decision.reason.values["entities"] == "light.b"
    assert verdict(rule % ", attic", call, home) == ALLOW


def test_groups_in_a_circle() -> None:
    """Members that point at each other are followed once."""
    home = home_of(
        facts("light.a", members=("switch.a",)), facts("switch.a", members=("light.a",))
    )
    call = service("light.turn_on", "light.a")
    assert verdict("allowed_services: [light.turn_on]", call, home) == ALLOW
    rule = "allowed_services: [{service: light.turn_on, target: {entity_id: light.a}}]"
    assert verdict(rule, call, home) == ALLOW


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("", (DENY, "target_not_covered")),
        (", light.turn_off", ALLOW),
        (
            ", {service: light.turn_off, approval: always}",
            (Verdict.ASK, "approval_needed"),
        ),
        (
            ", {service: light.turn_off, target: {area_id: kitchen}}",
            (DENY, "target_not_covered"),
        ),
        (", {service: light.turn_off, target: {area_id: hall}}", ALLOW),
        (
            ", {service: light.turn_off, data: {flash: short}}",
            (DENY, "target_not_covered"),
        ),
    ],
)
def test_generic_switch_for_all_adds_nothing(
    own: str, expected: tuple[Verdict, str]
) -> None:
    """A bare `homeassistant.turn_off` is worth what each own service is worth."""
    policy = f"allowed_services: [homeassistant.turn_off{own}]"
    call = service("homeassistant.turn_off", "light.hall", {"transition": 2})
    assert verdict(policy, call) == expected


def test_generic_switch_cannot_waive_what_its_own_service_asks() -> None:
    """The strictest of the rules that are needed says whether to ask."""
    policy = (
        "allowed_services: [{service: homeassistant.turn_on, approval: never},"
        " script.turn_on]"
    )
    call = service("homeassistant.turn_on", "script.let_in")
    assert verdict(policy, call) == (Verdict.ASK, "approval_needed")
    assert decide(policy, call).impact is Impact.DESTRUCTIVE


def test_generic_switch_takes_the_freest_of_each_own_rules() -> None:
    """Rules for the entity's own service are OR-ed here as everywhere."""
    policy = (
        "allowed_services: [{service: homeassistant.turn_on, approval: never},"
        " {service: script.turn_on, approval: always}, {service: script.turn_on,"
        " target: {entity_id: script.good_night}, approval: never}]"
    )
    free = service("homeassistant.turn_on", "script.good_night")
    assert verdict(policy, free) == ALLOW
    asks = service("homeassistant.turn_on", "script.let_in")
    assert verdict(policy, asks) == (Verdict.ASK, "approval_needed")


def test_generic_switch_opens_groups() -> None:
    """A group is judged by its members, whose own services must be allowed."""
    home = home_of(
        facts("group.lights", members=("light.a", "light.b")),
        facts("group.gone", members=("light.zzz",)),
        facts("light.a"),
        facts("light.b"),
    )
    policy = "allowed_services: [homeassistant.turn_on, light.turn_on]"
    call = service("homeassistant.turn_on", "group.lights")
    assert verdict(policy, call, home) == ALLOW
    gone = decide(policy, service("homeassistant.turn_on", "group.gone"), home)
    assert gone.verdict is Verdict.ASK


class _Broken(_Registry):
    """A house whose view fails."""

    def expand(self, target: Target) -> Expansion:
        raise KeyError("registry")


def test_never_raises() -> None:
    """A view of the house that fails is a denial, which says what failed."""
    decision = decide(
        "allowed_services: [light.turn_on]",
        service("light.turn_on", "light.hall"),
        _Broken(),
    )
    assert decision.verdict is DENY
    assert decision.reason.values == {"tool": "light.turn_on", "why": "KeyError"}
