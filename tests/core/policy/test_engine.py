"""Decisions in detail: data, targets, reads, generic switches, what is never granted."""

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import ServiceCall, Target
from custom_components.caesar.policy.decision import ApprovalMode, RuleRef, Verdict
from custom_components.caesar.policy.engine import LoadedPolicy, Mode
from custom_components.caesar.policy.home import EntityFacts, Expansion, StaticHome
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.rules import ServiceRule

from .house import decide, demo_house, facts, home_of, policy_of, service, tool, verdict

ALLOW = (Verdict.ALLOW, "allowed")
DENY = Verdict.DENY


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        ("{min: 16, max: 24}", [16, 20.5, 24], [15.9, 25, "20", True, None, [20]]),
        ("{min: 16}", [16, 900], [float("inf"), float("nan"), 15]),
        ("{max: 24}", [-5], [float("-inf"), 24.01]),
        ("60", [60, 60.0], [61, "60", True]),
        ("1", [1], [True, "1"]),
        ("true", [True], [1, "true"]),
        ("false", [False], [0, None, ""]),
        ('[heat, "off"]', ["heat", "off"], ["HEAT", False, "cool", ["heat"]]),
        ("{one_of: [1, 2], max: 1}", [1], [2, 0]),
        ("{max_length: 3}", ["abc", ""], ["abcd", 5, ["a"]]),
        ('{pattern: "[a-c]+"}', ["abc"], ["abcd", "", 5, "abc\n"]),
        ('{pattern: "a*", max_length: 2}', ["aa"], ["aaa"]),
    ],
)
def test_data(constraint: str, good: list[Json], bad: list[Json]) -> None:
    """A field of the data is compared by kind and value, and bounds must hold."""
    policy = policy_of(
        f"allowed_services: [{{service: light.turn_on, data: {{x: {constraint}}}}}]"
    )
    for value in good:
        call = service("light.turn_on", "light.kitchen", {"x": value})
        assert verdict(policy, call) == ALLOW, value
    for value in bad:
        decision = decide(policy, service("light.turn_on", "light.hall", {"x": value}))
        assert decision.reason.code.value == "data_not_allowed", value
        assert decision.reason.values == {"service": "light.turn_on", "key": "x"}


def test_data_is_a_whitelist() -> None:
    """A field that isn't listed dodges nothing, unless the rule is open to others."""
    capped = "{service: light.turn_on, data: {brightness_pct: {max: 60}%s}}"
    closed = policy_of(f"allowed_services: [{capped % ''}]")
    opened = policy_of(f"""allowed_services: [{capped % ', "*": true'}]""")
    dodge = service("light.turn_on", "light.hall", {"brightness": 255})
    capped_one = service("light.turn_on", "light.hall", {"brightness_pct": 90})
    assert verdict(closed, service("light.turn_on", "light.hall")) == ALLOW
    assert verdict(closed, dodge) == (DENY, "data_not_allowed")
    assert verdict(opened, dodge) == ALLOW
    assert verdict(opened, capped_one) == (DENY, "data_not_allowed")


@pytest.mark.parametrize(
    "data",
    [
        {"x": "{{ states('a') }}"},
        {"x": "{% if a %}"},
        {"x": {"deep": [{"y": "a {# b"}]}},
        {"{{ k }}": 1},
    ],
)
def test_templates_are_refused(data: dict[str, Json]) -> None:
    """No text of a call is ever a template."""
    decision = decide(
        "allowed_services: [light.turn_on]",
        service("light.turn_on", "light.hall", data),
    )
    assert decision.reason.code.value == "invalid_input"


def test_rules_are_or_ed_but_never_added_up() -> None:
    """Two rules that each cover half of a call do not cover it."""
    policy = """
allowed_services:
  - {service: light.turn_off, target: {entity_id: [light.kitchen]}}
  - {service: light.turn_off, target: {area_id: [bedroom]}}
"""
    both: Json = ["light.kitchen", "light.bedroom"]
    assert verdict(policy, service("light.turn_off", "light.kitchen")) == ALLOW
    assert verdict(policy, service("light.turn_off", "light.bedroom")) == ALLOW
    decision = decide(policy, service("light.turn_off", {"entity_id": both}))
    assert decision.reason.code.value == "target_not_covered"


def test_closest_refusal_is_told() -> None:
    """Of several rules, the one that came closest says why."""
    policy = """
allowed_services:
  - {service: light.turn_off, name: far, target: {entity_id: [light.hall]}}
  - service: light.turn_off
    name: near
    target: {entity_id: [light.kitchen]}
    data: {transition: {max: 5}}
"""
    call = service("light.turn_off", "light.kitchen", {"transition": 9})
    decision = decide(policy, call)
    assert decision.reason.code.value == "data_not_allowed"
    assert decision.rule is not None
    assert (decision.rule.name, decision.rule.line) == ("near", 5)


def test_freest_rule_decides() -> None:
    """Rules are OR-ed, so what one allows without asking is not asked about."""
    policy = """
allowed_services:
  - {service: lock.unlock, approval: always}
  - {service: lock.unlock, name: shed, target: {entity_id: lock.shed}, approval: never}
"""
    shed = decide(policy, service("lock.unlock", "lock.shed"))
    assert shed.verdict is Verdict.ALLOW
    assert shed.rule is not None
    assert shed.rule.name == "shed"
    front = decide(policy, service("lock.unlock", "lock.front_door"))
    assert front.verdict is Verdict.ASK
    assert front.reason.values == {"tool": "lock.unlock", "entities": "lock.front_door"}


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


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"entity_id": ["light.kitchen"], "domain": "light"}, None),
        ({"entity_id": ["1" * 32], "domain": ["light"]}, None),
        ({"entity_id": "light.kitchen", "domain": "light"}, None),
        ({"entity_id": ["light.kitchen"]}, "domain"),
        ({"domain": "light"}, "entity_id"),
        ({"domain": "light", "entity_id": []}, "entity_id"),
        (
            {"domain": "light", "entity_id": ["light.kitchen", "light.hall"]},
            "entity_id",
        ),
        ({"domain": "light", "entity_id": ["light.nothing"]}, "entity_id"),
        ({"domain": "light", "entity_id": [5]}, "entity_id"),
        ({"domain": "light", "entity_id": {"a": 1}}, "entity_id"),
        ({"domain": ["light", "lock"], "entity_id": ["light.kitchen"]}, "domain"),
    ],
)
def test_bounded_read(given: dict[str, Json], refused: str | None) -> None:
    """A read that a rule bounds must say each bounded key, and stay inside."""
    policy = (
        "allowed_tools: [{tool: get_state,"
        " input: {domain: light, entity_id: [light.kitchen, light.gone]}}]"
    )
    decision = decide(policy, tool("get_state", **given))
    assert decision.impact is Impact.READ
    if refused is None:
        assert decision.verdict is Verdict.ALLOW
    else:
        assert decision.reason.values == {"tool": "get_state", "key": refused}
    assert verdict(policy, tool("find_entities", domain="lock")) == ALLOW


def test_read_may_ask() -> None:
    """Even a read asks where its rule says so, and the freest rule decides."""
    policy = "allowed_tools: [{tool: get_state, approval: always}%s]"
    assert decide(policy % "", tool("get_state")).verdict is Verdict.ASK
    assert verdict(policy % ", get_state", tool("get_state")) == ALLOW


def test_unknown_tool_is_destructive() -> None:
    """A tool that nobody vouches for asks, unless its rule waives that."""
    assert decide("allowed_tools: [frob]", tool("frob")).verdict is Verdict.ASK
    waived = "allowed_tools: [{tool: frob, approval: never}]"
    assert verdict(waived, tool("frob")) == ALLOW


def test_code_asks_whatever_a_rule_says() -> None:
    """Even a rule that never went through the loader can't waive the question."""
    rule = ServiceRule(
        service="shell_command.x",
        approval=ApprovalMode.NEVER,
        ref=RuleRef(name="forged", line=1),
    )
    policy = LoadedPolicy(
        revision="", mode=Mode.LIST, services={"shell_command.x": (rule,)}
    )
    assert decide(policy, service("shell_command.x")).verdict is Verdict.ASK


@pytest.mark.parametrize(
    "name",
    [
        "caesar.ask",
        "caesar.approve",
        "conversation.process",
        "homeassistant.stop",
        "homeassistant.restart",
        "hassio.app_stop",
    ],
)
@pytest.mark.parametrize("approval", ["auto", "never"])
def test_never(name: str, approval: str) -> None:
    """Some things no rule can grant, and nobody is shown them."""
    policy = policy_of(f"allowed_services: [{{service: {name}, approval: {approval}}}]")
    decision = decide(policy, service(name))
    assert (decision.verdict, decision.impact) == (DENY, Impact.NEVER)
    assert not decision.visible
    assert not policy.may_grant(name)
    assert not policy.may_grant(name.replace(".", "__"))
    assert not policy.may_grant("call_service")
    assert verdict(policy, tool(name)) == (DENY, "policy_denied")


@pytest.mark.parametrize(
    ("policy", "yes", "no"),
    [
        (
            "",
            ["get_state", "call_service", "weather__get_forecasts", "recall_memory"],
            ["light.turn_on", "light__turn_on", "frob"],
        ),
        (
            "allowed_services: [light.turn_on, script.a__b]",
            [
                "light.turn_on",
                "light__turn_on",
                "script__a__b",
                "call_service",
                "get_state",
                "recall_memory",
            ],
            ["light.turn_off", "weather.get_forecasts", "calculator"],
        ),
        (
            "allowed_tools: [frob, intent__x, {tool: get_state, input: {zzz: 1}},"
            " {tool: find_entities, input: {domain: light}}]",
            ["frob", "intent__x", "find_entities", "list_areas"],
            ["call_service", "get_state", "recall_memory", "light.turn_on"],
        ),
    ],
)
def test_may_grant(policy: str, yes: list[str], no: list[str]) -> None:
    """A brain is offered what could be granted to somebody, and nothing else."""
    loaded = policy_of(policy)
    assert [name for name in yes if not loaded.may_grant(name)] == []
    assert [name for name in no if loaded.may_grant(name)] == []


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


def test_denial_tells_what_would_have_been_touched() -> None:
    """What is not listed is still resolved, so that the trail can name it."""
    decision = decide(
        "allowed_services: []", service("lock.unlock", {"area_id": "hall"})
    )
    assert decision.pinned == ("lock.all_doors", "lock.front_door")
    assert decision.touched == ("lock.all_doors", "lock.front_door", "lock.shed")
    assert decision.impact is Impact.DESTRUCTIVE
