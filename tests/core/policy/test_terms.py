"""Approval, approvers, PINs, counts and trust: what a granted call is asked."""

from typing import Final

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import ToolCall, tool_id
from custom_components.caesar.policy.caller import Caller
from custom_components.caesar.policy.decision import (
    ApprovalTerms,
    PolicyDecision,
    Verdict,
)
from custom_components.caesar.policy.loader import PolicyError

from .house import decide, facts, home_of, service, tool
from .people import ADULT, KITCHEN, FakeConditions, ask, load, word

LOCK: Final = service("lock.unlock", "lock.shed")
LIGHT: Final = service("light.turn_on", "light.kitchen")
ALL_LIGHTS: Final = service("light.turn_on", "light.downstairs")


def test_terms_go_with_the_question() -> None:
    """Who may say yes, and with which PIN."""
    rule = "{service: lock.unlock, approvers: [Adult, boy, u_adult], pin: front}"
    decision = ask(f"allowed_services: [{rule}]", LOCK)
    assert decision.verdict is Verdict.ASK
    assert decision.approval == ApprovalTerms(
        approvers=("u_adult", "u_boy"), pin="front"
    )
    assert ask("allowed_services: [lock.unlock]", LOCK).approval == ApprovalTerms()
    assert ask("allowed_services: [light.turn_on]", LIGHT).approval is None
    # The sentinel may still ask about what the policy allows.
    light = "allowed_services: [{service: light.turn_on, approvers: Boy}]"
    assert ask(light, LIGHT).approval == ApprovalTerms(approvers=("u_boy",))


def test_tools_have_terms_too() -> None:
    """A worker's tool is asked about by its own rule."""
    rule = "allowed_tools: [{tool: frob, approvers: Boy, tainted: allow}]"
    decision = ask(rule, tool("frob"))
    assert decision.approval == ApprovalTerms(approvers=("u_boy",))
    assert decision.taint_allowed


@pytest.mark.parametrize(
    ("mode", "call", "expected"),
    [
        ("auto", LIGHT, "allow"),
        ("always", LIGHT, "ask"),
        ("never", LIGHT, "allow"),
        ("auto", LOCK, "ask"),
        ("always", LOCK, "ask"),
        ("never", LOCK, "allow"),
        ("auto", service("shell_command.x"), "ask"),
        ("always", service("shell_command.x"), "ask"),
    ],
)
@pytest.mark.parametrize("scope", ["destructive", "mutating"])
def test_approval(scope: str, mode: str, call: ToolCall, expected: str) -> None:
    """By mode and class; with the scope `mutating` every change is asked about."""
    policy = (
        f"sentinel: {{approval_scope: {scope}}}\n"
        f"allowed_services: [{{service: {tool_id(call)}, approval: {mode}}}]"
    )
    assert word(ask(policy, call)) == ("ask" if scope == "mutating" else expected)


def test_scope_leaves_reads_alone() -> None:
    """Reading is no change."""
    policy = (
        "sentinel: {approval_scope: mutating}\n"
        "allowed_services: [weather.get_forecasts]\n"
        "allowed_tools: [calculator, frob]"
    )
    assert word(ask(policy, service("weather.get_forecasts", "weather.home"))) == (
        "allow"
    )
    assert word(ask(policy, tool("get_state"))) == "allow"
    assert word(ask(policy, tool("calculator"))) == "allow"
    assert word(ask(policy, tool("frob"))) == "ask"


@pytest.mark.parametrize(
    ("most", "target", "code"),
    [
        (3, "light.downstairs", "allowed"),
        (2, "light.downstairs", "too_many_entities"),
        (1, "light.kitchen", "allowed"),
        (1, {"area_id": "kitchen"}, "too_many_entities"),
        (2, {"area_id": "kitchen"}, "allowed"),
        (3, {"entity_id": ["light.downstairs", "light.hall"]}, "allowed"),
        (3, {"entity_id": ["light.downstairs", "light.bedroom"]}, "too_many_entities"),
    ],
)
@pytest.mark.parametrize("approval", ["auto", "never"])
def test_max_entities(
    approval: str, most: int, target: dict[str, Json] | str, code: str
) -> None:
    """A call that touches more needs approval; groups count by their members."""
    policy = (
        "allowed_services: [{service: light.turn_on,"
        f" max_entities: {most}, approval: {approval}}}]"
    )
    decision = ask(policy, service("light.turn_on", target))
    assert decision.reason.code.value == code
    assert decision.verdict is (Verdict.ALLOW if code == "allowed" else Verdict.ASK)


def test_what_cannot_be_counted_is_too_many() -> None:
    """A group whose members can't be read may reach any number."""
    home = home_of(facts("light.all"), unreadable=frozenset({"light.all"}))
    policy = (
        "allowed_services: [{service: light.turn_on, max_entities: 99, approval: never,"
        " target: {entity_id: light.all}}]"
    )
    decision = ask(policy, service("light.turn_on", "light.all"), home=home)
    assert decision.reason.code.value == "too_many_entities"


def test_max_entities_holds_for_a_generic_switch() -> None:
    """The whole call is counted, not each entity on its own."""
    policy = (
        "allowed_services: [homeassistant.turn_on,"
        " {service: light.turn_on, max_entities: 2}]"
    )
    two: dict[str, Json] = {"entity_id": ["light.kitchen", "light.hall"]}
    three: dict[str, Json] = {
        "entity_id": ["light.kitchen", "light.hall", "light.bedroom"]
    }
    for name in ("light", "homeassistant"):
        assert word(ask(policy, service(f"{name}.turn_on", two))) == "allow"
        assert word(ask(policy, service(f"{name}.turn_on", three))) == "ask"


def test_tainted() -> None:
    """A rule says whether untrusted text matters to it."""
    rule = "allowed_services: [{service: light.turn_on, tainted: %s}]"
    assert ask(rule % "allow", LIGHT).taint_allowed
    assert not ask(rule % "ask", LIGHT).taint_allowed
    assert not ask("allowed_services: [light.turn_on]", LIGHT).taint_allowed
    denied = ask(rule % "allow", service("light.turn_on", "light.nothing"))
    assert not denied.taint_allowed


@pytest.mark.parametrize(
    ("rules", "call", "name"),
    [
        # The one that asks least decides, wherever it stands.
        ("{name: a, approval: always}, {name: b}", LIGHT, "b"),
        ("{name: a}, {name: b, approval: never}", LOCK, "b"),
        ("{name: a, pin: front}, {name: b}", LOCK, "b"),
        ("{name: a}, {name: b, tainted: allow}", LIGHT, "b"),
        ("{name: a, max_entities: 2}, {name: b, max_entities: 3}", ALL_LIGHTS, "b"),
        # A question weighs more than a PIN, and that more than trust.
        ("{name: a, approval: always, tainted: allow}, {name: b}", LIGHT, "b"),
        ("{name: a, pin: front, tainted: allow}, {name: b}", LOCK, "b"),
        # Of those that ask the same, the first.
        ("{name: a, approvers: Boy}, {name: b, approvers: Adult}", LOCK, "a"),
        ("{name: a, approval: never}, {name: b, for: {user: Adult}}", LIGHT, "a"),
        # One that is not for this caller, or not now, counts as absent.
        ("{name: a, for: {user: Kid}}, {name: b, approval: always}", LIGHT, "b"),
        ("{name: a, target: {area_id: hall}}, {name: b, approval: always}", LIGHT, "b"),
        ("{name: a, data: {x: 1}, tainted: allow}, {name: b}", LIGHT, "a"),
    ],
)
def test_the_rule_that_asks_least_decides(
    rules: str, call: ToolCall, name: str
) -> None:
    """ADR-0008."""
    text = rules.replace("{name", f"{{service: {tool_id(call)}, name")
    decision = ask(f"allowed_services: [{text}]", call)
    assert decision.rule is not None
    assert decision.rule.name == name
    assert decision.verdict is not Verdict.DENY


def test_a_condition_that_fails_leaves_the_stricter_rule() -> None:
    """By day freely, at other times with a question."""
    policy = load(
        "allowed_services: [{service: lock.unlock, name: day, approval: never,"
        " when: {condition: sun, after: sunrise}}, {service: lock.unlock, name: ever}]"
    )
    for met, name, expected in ((True, "day", "allow"), (False, "ever", "ask")):
        decision = ask(policy, LOCK, conditions=FakeConditions(met=met))
        assert decision.rule is not None
        assert (decision.rule.name, word(decision)) == (name, expected)


def test_halves_never_add_up() -> None:
    """One rule must cover the call: who, what, when and with which values."""
    policy = load(
        "allowed_services: [{service: light.turn_on, for: {user: Boy}},"
        " {service: light.turn_on, for: {user: Adult}, target: {area_id: hall}},"
        " {service: light.turn_on, for: {area: kitchen}, data: {flash: short}}]"
    )
    assert word(ask(policy, LIGHT, ADULT)) == "caller_not_covered"
    assert word(ask(policy, LIGHT, KITCHEN)) == "allow"
    bright = service("light.turn_on", "light.kitchen", {"brightness": 3})
    assert word(ask(policy, bright, KITCHEN)) == "caller_not_covered"


def test_closest_refusal_is_told() -> None:
    """The rule that got furthest: target, then data, then caller, then condition."""
    rules = [
        "{target: {area_id: hall}}",
        "{data: {x: 1}}",
        "{for: {user: Kid}}",
        "{when: {condition: sun, after: sunset}}",
    ]
    codes = [
        "target_not_covered",
        "data_not_allowed",
        "caller_not_covered",
        "condition_not_met",
    ]
    unmet = FakeConditions(met=False)
    call = service("light.turn_on", "light.kitchen", {"y": 2})
    for count, code in enumerate(codes, 1):
        for order in (rules[:count], rules[:count][::-1]):
            text = ", ".join(order).replace("{", "{service: light.turn_on, ", 1)
            text = text.replace("}, {", "}, {service: light.turn_on, ")
            decision = ask(f"allowed_services: [{text}]", call, conditions=unmet)
            assert word(decision) == code


GENERIC: Final = """
allowed_services:
  - homeassistant.turn_off
  - {service: light.turn_off, for: {user: Adult}, tainted: allow}
  - {service: lock.turn_off, approvers: Boy, pin: front}
  - {service: switch.turn_off, when: {condition: sun, after: sunset}}
"""


def test_generic_switch_asks_each_entitys_rules_whole() -> None:
    """Callers, conditions and terms of an entity's own rule hold by any name."""

    def off(*ids: str, caller: Caller = ADULT, met: bool = True) -> PolicyDecision:
        call = service("homeassistant.turn_off", {"entity_id": list(ids)})
        return ask(GENERIC, call, caller, FakeConditions(met=met))

    assert word(off("light.hall")) == "allow"
    assert not off("light.hall").taint_allowed
    assert word(off("light.hall", caller=KITCHEN)) == "target_not_covered"
    assert word(off("switch.kettle")) == "allow"
    assert word(off("switch.kettle", met=False)) == "target_not_covered"
    lock = off("lock.shed")
    assert word(lock) == "ask"
    assert lock.approval == ApprovalTerms(approvers=("u_boy",), pin="front")
    # Nobody could say yes to both.
    both = off("light.hall", "lock.shed")
    assert word(both) == "target_not_covered"
    assert both.reason.values["entities"] in ("light.hall", "lock.shed")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("service: lock.unlock, approvers: []", "names nobody"),
        ("service: lock.unlock, approvers: Nobody", "no user called 'Nobody'"),
        ("service: lock.unlock, approvers: [Adult, 5]", "a text"),
        ("service: lock.unlock, approvers: {user: Adult}", "a text"),
        ("service: lock.unlock, pin: back", "no PIN called 'back'"),
        ("service: lock.unlock, pin: 1234", "a text"),
        ("service: lock.unlock, pin: [front]", "a text"),
        ("service: lock.unlock, approval: never, pin: front", "it never asks"),
        ("service: lock.unlock, approval: never, approvers: Boy", "it never asks"),
        ("service: weather.get_forecasts, pin: front", "reading asks nobody"),
        ("service: calendar.get_events, approvers: Boy", "reading asks nobody"),
        ("service: light.turn_on, max_entities: 0", "from 1 to"),
        ("service: light.turn_on, max_entities: 2.0", "a whole number"),
        ("service: light.turn_on, max_entities: true", "a whole number"),
        ('service: light.turn_on, max_entities: "2"', "a whole number"),
        ("service: light.turn_on, max_entities: [2]", "a whole number"),
        ("service: light.turn_on, tainted: true", "a text"),
        ("service: light.turn_on, tainted: allowed", "Did you mean 'allow'?"),
        ("service: light.turn_on, data: {x: 1, pin: front}", "belongs to the entry"),
        ("service: light.turn_on, data: {x: 1, for: a}", "belongs to the entry"),
        ("service: light.turn_on, target: {area_id: a, for: {}}", "belongs into an"),
        ("service: light.turn_on, for: {user: Adult, when: {}}", "belongs into an"),
    ],
)
def test_bad_terms(entry: str, words: str) -> None:
    """What makes no sense, or means nothing, is an error in its line."""
    with pytest.raises(PolicyError) as caught:
        load(f"allowed_services:\n  - {{{entry}}}")
    first = caught.value.problems[0]
    assert words in str(first)
    assert first.line == 3


def test_terms_of_a_read() -> None:
    """Not without a question that is always asked, or a class that says so."""
    with pytest.raises(PolicyError):
        load("allowed_tools: [{tool: get_state, pin: front}]")
    always = "allowed_tools: [{tool: get_state, pin: front, approval: always}]"
    decision = ask(always, tool("get_state"))
    assert (word(decision), decision.approval) == ("ask", ApprovalTerms(pin="front"))
    raised = (
        "impact: {destructive: [weather.get_forecasts]}\n"
        "allowed_services: [{service: weather.get_forecasts, pin: front}]"
    )
    assert word(ask(raised, service("weather.get_forecasts", "weather.home"))) == "ask"


def test_rule_beside_a_mere_word_that_says_more() -> None:
    """It is no mistake to waive a question, or to say who answers it."""
    for more in ("approval: never", "tainted: allow", "approvers: Boy", "pin: front"):
        text = f"allowed_services: [lock.unlock, {{service: lock.unlock, {more}}}]"
        assert load(text).lints == ()
    void = "allowed_services: [lock.unlock, {service: lock.unlock, for: {user: Boy}}]"
    assert "changes nothing" in load(void).lints[0].message


def test_bare_evaluation_has_no_condition_and_no_caller() -> None:
    """What is for somebody, or for some time, is not for nobody in particular."""
    policy = load("allowed_services: [{service: light.turn_on, for: {user: Adult}}]")
    assert decide(policy, LIGHT).reason.code.value == "caller_not_covered"
