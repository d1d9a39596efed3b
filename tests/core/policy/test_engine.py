"""Decisions in detail: data, rules beside each other, reads, what is never granted."""

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.decision import ApprovalMode, RuleRef, Verdict
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.modes import Mode, Scope
from custom_components.caesar.policy.rules import ServiceRule

from .house import decide, policy_of, service, tool, verdict

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


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"entity_id": ["light.kitchen"], "domain": "light"}, None),
        ({"entity_id": ["1" * 32], "domain": ["light"]}, None),
        ({"entity_id": "light.kitchen", "domain": "light"}, None),
        ({"entity_id": ["light.kitchen"]}, None),
        ({"entity_id": ["lock.front_door"]}, "domain"),
        ({"entity_id": ["light.kitchen", "lock.front_door"]}, "domain"),
        ({"entity_id": ["light.kitchen", "light.nothing"]}, "domain"),
        ({"entity_id": ["light.kitchen"], "domain": []}, "domain"),
        ({"entity_id": ["light.kitchen"], "domain": 5}, "domain"),
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
    """A read must say each bounded key, or by its entities, and stay inside."""
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
        revision="",
        scope=Scope(mode=Mode.LIST, services=frozenset({"shell_command.x"})),
        services={"shell_command.x": (rule,)},
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


def test_denial_tells_what_would_have_been_touched() -> None:
    """What is not listed is still resolved, so that the trail can name it."""
    decision = decide(
        "allowed_services: []", service("lock.unlock", {"area_id": "hall"})
    )
    assert decision.pinned == ("lock.all_doors", "lock.front_door")
    assert decision.touched == ("lock.all_doors", "lock.front_door", "lock.shed")
    assert decision.impact is Impact.DESTRUCTIVE
