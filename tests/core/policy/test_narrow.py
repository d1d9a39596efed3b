"""From a refusal to a rule: nothing but this call, of this asker."""

from typing import Final

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.actions import Contents
from custom_components.caesar.policy.call import GenericToolCall, ServiceCall, ToolCall
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.home import NoConditions
from custom_components.caesar.policy.narrow import (
    Grant,
    NoRule,
    NoRuleError,
    add_rule,
    can_grow,
    grants_of,
)

from .house import facts, home_of
from .refusals import (
    ADULT,
    AUTOMATION,
    LIGHT,
    NOTHING,
    OTHERS,
    SATELLITE,
    asker,
    call_of,
    decide,
    load,
    rule_for,
    with_rule,
)


@pytest.mark.parametrize(
    ("caller", "who"),
    [
        (ADULT, {"user": ["Adult"], "origin": ["chat"]}),
        (asker(user_id="id-twin"), {"user": ["id-twin"], "origin": ["chat"]}),
        (asker(origin=Origin.AGENT), {"user": ["Adult"], "origin": ["agent"]}),
        (SATELLITE, {"device": ["Hall satellite"]}),
        (AUTOMATION, {"agent": ["CAESAR"], "origin": ["automation"]}),
    ],
)
def test_for_this_asker_only(caller: Caller, who: dict[str, Json]) -> None:
    """The one who asked gets it, by the same way, and nobody else."""
    rule = rule_for(LIGHT, caller)
    assert rule.entry == {
        "service": "light.turn_on",
        "target": {"entity_id": ["light.kitchen"]},
        "data": {"brightness_pct": 40},
        "for": who,
    }
    policy = with_rule(rule)
    assert decide(policy, LIGHT, caller).verdict is Verdict.ALLOW
    for other in OTHERS:
        if (other.origin, other.user_id, other.agent_id, other.device_id) != (
            caller.origin,
            caller.user_id,
            caller.agent_id,
            caller.device_id,
        ):
            if caller is AUTOMATION and other.agent_id == "agent" and not other.user_id:
                if other.origin is Origin.AUTOMATION:
                    continue
            assert decide(policy, LIGHT, other).verdict is Verdict.DENY, other


@pytest.mark.parametrize(
    "call",
    [
        call_of("light.turn_on", "light.kitchen", brightness_pct=41),
        call_of("light.turn_on", "light.kitchen", brightness_pct="40"),
        call_of("light.turn_on", "light.kitchen", brightness_pct=40, flash="short"),
        call_of("light.turn_on", "light.hall", brightness_pct=40),
        call_of("light.turn_on", {"area_id": ["hall"]}, brightness_pct=40),
        call_of("light.turn_on", {"entity_id": ["light.kitchen", "light.hall"]}),
        call_of("light.turn_off", "light.kitchen"),
        call_of("homeassistant.turn_on", "light.kitchen"),
    ],
)
def test_nothing_else(call: ServiceCall) -> None:
    """Other values, entities and services stay refused."""
    policy = with_rule(rule_for(LIGHT))
    assert decide(policy, call, ADULT).verdict is Verdict.DENY


def test_a_room_becomes_its_entities_of_today() -> None:
    """What is put into the room later is not in the rule."""
    call = call_of("light.turn_on", {"area_id": ["kitchen"]})
    rule = rule_for(call)
    assert rule.entry["target"] == {"entity_id": ["light.kitchen"]}
    assert rule.any_data
    assert decide(with_rule(rule), call, ADULT).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("call", "grant", "guarded", "approval", "verdict"),
    [
        (LIGHT, Grant.ALLOW, False, None, "allow"),
        (LIGHT, Grant.ASK, False, "always", "ask"),
        (call_of("siren.turn_on", "siren.roof"), Grant.ALLOW, False, "never", "allow"),
        (call_of("siren.turn_on", "siren.roof"), Grant.ASK, False, "always", "ask"),
        (call_of("lock.unlock", "lock.front"), Grant.ASK, True, "always", "ask"),
        (call_of("cover.open_cover", "cover.garage"), Grant.ASK, True, "always", "ask"),
    ],
)
def test_what_it_asks(
    call: ServiceCall, grant: Grant, guarded: bool, approval: str | None, verdict: str
) -> None:
    """As the admin chose; what opens the house asks every time."""
    rule = rule_for(call, grant=grant, guarded=guarded)
    assert rule.entry.get("approval") == approval
    assert decide(with_rule(rule), call, ADULT).verdict.value == verdict


@pytest.mark.parametrize(
    "call",
    [call_of("lock.unlock", "lock.front"), call_of("cover.open_cover", "cover.garage")],
)
def test_what_opens_the_house_is_never_simply_allowed(call: ServiceCall) -> None:
    """Not offered, and not made when asked for all the same."""
    decision = decide(load(NOTHING), call, ADULT)
    assert grants_of(decision, guarded=True) == (Grant.ASK,)
    with pytest.raises(NoRuleError):
        rule_for(call, grant=Grant.ALLOW, guarded=True)


GROWN: Final = home_of(
    facts("light.kitchen"),
    facts("siren.roof"),
    facts("siren.all", members=("siren.roof",)),
    facts("light.all", members=("light.kitchen",)),
    facts("script.odd", contents=Contents(whole=False, fingerprint="x")),
    facts("script.nice", contents=Contents(whole=True, fingerprint="x")),
    facts("automation.any"),
)


@pytest.mark.parametrize(
    ("call", "grows"),
    [
        (call_of("siren.turn_on", "siren.roof"), False),
        (call_of("siren.turn_on", "siren.all"), True),
        (call_of("light.turn_on", "light.all"), False),
        (call_of("script.turn_on", "script.odd"), True),
        (call_of("script.odd"), True),
        (call_of("script.gone"), True),
        (call_of("script.turn_on", "script.nice"), False),
        (call_of("automation.trigger", "automation.any"), True),
        (call_of("notify.phone", message="x"), False),
        (call_of("notify.phone", message="script.odd"), True),
        (GenericToolCall(tool="frob"), False),
    ],
)
def test_what_could_grow_into_a_lock(call: ToolCall, grows: bool) -> None:
    """What asks by its class whenever it becomes worse needs no care here."""
    policy = load(NOTHING)
    decision = policy.evaluate(call, ADULT, GROWN, NoConditions())
    assert can_grow(call, decision, GROWN) is grows


DENY: Final = (
    'version: 1\nallowed_services: []\nbot:\n  tool_policy:\n    deny: ["light__*"]\n'
)
PATTERNS: Final = (
    'version: 1\nallowed_services: []\nbot:\n  tool_policy:\n    allow: ["switch__*"]\n'
)


@pytest.mark.parametrize(
    ("call", "text", "why"),
    [
        (call_of("shell_command.x"), NOTHING, NoRule.RUNS_CODE),
        (call_of("hassio.addon_stop"), NOTHING, NoRule.RUNS_CODE),
        (call_of("caesar.approve"), NOTHING, NoRule.RUNS_CODE),
        (LIGHT, DENY, NoRule.RULED_OUT),
        (call_of("homeassistant.turn_on", "light.hall"), DENY, NoRule.RULED_OUT),
        (LIGHT, "version: 1\nallowed_services: [light.turn_on]\n", NoRule.ALLOWED_NOW),
        (call_of("light.turn_on", "light.gone"), NOTHING, NoRule.NO_CALL),
        (
            call_of("light.turn_on", {"area_id": ["gone"]}),
            NOTHING,
            NoRule.NOTHING_THERE,
        ),
        (call_of("light.turn_on", "light.hall", rgb=[1, 2]), NOTHING, NoRule.VALUES),
        (call_of("light.turn_on", "light.hall", x={"a": 1}), NOTHING, NoRule.VALUES),
        (call_of("light.turn_on", "light.hall", x=None), NOTHING, NoRule.VALUES),
        (GenericToolCall(tool="frob", input={"a": 1}), NOTHING, NoRule.VALUES),
        (
            GenericToolCall(tool="get_state", input={"entity_id": [1]}),
            "version: 1\nallowed_tools:\n  - tool: get_state\n    input: {domain: [a]}\n",
            NoRule.VALUES,
        ),
    ],
)
def test_no_rule(call: ToolCall, text: str, why: NoRule) -> None:
    """It says why not."""
    with pytest.raises(NoRuleError) as caught:
        rule_for(call, text=text, grant=Grant.ASK)
    assert caught.value.why is why


def test_a_pattern_that_allows_others_still_refuses() -> None:
    """Then the rule would be no help; whoever proposes it has to look."""
    rule = rule_for(LIGHT, text=PATTERNS)
    policy = load(add_rule(PATTERNS, load(PATTERNS), rule, "x").text)
    assert decide(policy, LIGHT, ADULT).verdict is Verdict.DENY


@pytest.mark.parametrize(
    "caller",
    [
        asker(user_id="gone"),
        asker(origin=Origin.VOICE, user_id=None, satellite_id="s"),
        asker(origin=Origin.VOICE, user_id=None, satellite_id="s", device_id="gone"),
        asker(origin=Origin.AUTOMATION, user_id="id-adult"),
        asker(origin=Origin.AUTOMATION, user_id=None, agent_id="gone"),
    ],
)
def test_nobody_known_gets_no_rule(caller: Caller) -> None:
    """A rule that is for nobody in particular would be for everybody."""
    with pytest.raises(NoRuleError) as caught:
        rule_for(LIGHT, caller)
    assert caught.value.why is NoRule.CALLER_GONE
