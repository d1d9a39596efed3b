"""`when:`: what is refused when a policy is loaded, and what a condition grants."""

from typing import Final

import pytest

from custom_components.caesar.policy.loader import PolicyError

from .house import service, tool
from .people import KITCHEN, FakeConditions, ask, load, word

LIGHT: Final = service("light.turn_on", "light.kitchen")
DAY: Final = "{condition: state, entity_id: sun.sun, state: above_horizon}"
RULE: Final = "allowed_services: [{service: light.turn_on, when: %s}]"

GOOD: Final = {
    "one": (
        DAY,
        {"condition": "state", "entity_id": "sun.sun", "state": "above_horizon"},
    ),
    "list": (
        '[{condition: time, after: "07:00:00", before: "20:00:00"}]',
        [{"condition": "time", "after": "07:00:00", "before": "20:00:00"}],
    ),
    "shorthand": (
        "{or: [{condition: sun, after: sunset}, {not: {condition: zone, zone: a}}]}",
        {
            "or": [
                {"condition": "sun", "after": "sunset"},
                {"not": {"condition": "zone", "zone": "a"}},
            ]
        },
    ),
    "full": (
        "{condition: and, alias: x, conditions: [{condition: numeric_state,"
        " entity_id: sensor.t, below: 20.5, for: {minutes: 5}}]}",
        {
            "condition": "and",
            "alias": "x",
            "conditions": [
                {
                    "condition": "numeric_state",
                    "entity_id": "sensor.t",
                    "below": 20.5,
                    "for": {"minutes": 5},
                }
            ],
        },
    ),
    "template": (
        "\"{{ is_state('sun.sun', 'up') }}\"",
        "{{ is_state('sun.sun', 'up') }}",
    ),
    "template platform": (
        '{condition: template, value_template: "{{ true }}"}',
        {"condition": "template", "value_template": "{{ true }}"},
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_is_kept_as_it_is(name: str) -> None:
    """Home Assistant's own syntax, under the path of the rule's key."""
    text, raw = GOOD[name]
    policy = load(
        f"allowed_services:\n  - light.turn_off\n  - service: light.turn_on\n"
        f"    when: {text}\nallowed_tools: [{{tool: calculator, when: {text}}}]"
    )
    ids = "allowed_services[2].when", "allowed_tools[1].when"
    assert policy.conditions == dict.fromkeys(ids, raw)
    assert policy.places[ids[0]] == (5, 11)
    assert policy.services["light.turn_on"][0].when == ids[0]
    assert policy.tools["calculator"][0].when == ids[1]


BAD: Final = {
    "nothing": ("", "not nothing"),
    "empty list": ("[]", "always hold"),
    "empty block": ("{}", "which kind"),
    "a word": ("night", "a condition"),
    "true": ("true", "a condition"),
    "number": ("[5]", "a condition"),
    "nested list": ("[[%s]]".replace("%s", DAY), "a condition"),
    "enabled": (
        "{condition: sun, after: sunset, enabled: false}",
        "can't be switched off",
    ),
    "enabled true": (
        "{condition: sun, after: sunset, enabled: true}",
        "can't be switched off",
    ),
    "enabled by template": (
        '{condition: sun, after: sunset, enabled: "{{ x }}"}',
        "can't be switched off",
    ),
    "enabled inside and": (
        "{and: [{condition: sun, after: sunset, enabled: false}]}",
        "can't be switched off",
    ),
    "enabled beside and": (
        "{and: [%s], enabled: false}".replace("%s", DAY),
        "switched off",
    ),
    "enabled deep": (
        "{condition: or, conditions: [{not: [{and: [{condition: sun, after: sunset,"
        " enabled: false}]}]}]}",
        "can't be switched off",
    ),
    "enabled in a value": (
        "{condition: state, entity_id: a.b, state: x, for: {enabled: false}}",
        "can't be switched off",
    ),
    "and of nothing": ("{and: []}", "always hold"),
    "or of nothing": ("{or: }", "a condition"),
    "not of nothing": ("{not: []}", "always hold"),
    "and without members": ("{condition: and}", "'conditions' is missing"),
    "or with no members": ("{condition: or, conditions: []}", "always hold"),
    "not with null": ("{condition: not, conditions: }", "a condition"),
    "deep and of nothing": ("[{or: [{and: []}]}]", "always hold"),
    "no state": ("{condition: state, entity_id: a.b, state: []}", "empty"),
    "no entity": ("{condition: state, entity_id: [], state: x}", "always hold"),
    "null value": ("{condition: time, after: }", "a value"),
    "trigger": ("{condition: trigger, id: x}", "can't use the condition 'trigger'"),
    "device": (
        "{condition: device, device_id: x, domain: light, type: is_on}",
        "can't use the condition 'device'",
    ),
    "other platform": (
        "{condition: light.is_on, target: {entity_id: light.a}}",
        "can't use the condition 'light.is_on'",
    ),
    "misspelt platform": (
        "{condition: tine, after: x}",
        "Did you mean 'time'?",
    ),
    "platform is a list": ("{condition: [time]}", "kind of condition"),
    "platform by template": ('{condition: "{{ x }}"}', "kind of condition"),
    "inside not": ("{not: [{condition: trigger, id: x}]}", "'trigger'"),
    "no platform": ("{entity_id: a.b, state: x}", "which kind"),
    "two groups": ("{and: [%s], or: [%s]}".replace("%s", DAY), "which kind"),
    "group beside platform": (
        "{condition: sun, after: sunset, and: [%s]}".replace("%s", DAY),
        "can't stand beside",
    ),
    "slipped key": (
        "[{condition: sun, after: sunset, max_entities: 1}]",
        "key of the entry",
    ),
    "slipped key beside a group": (
        "{not: [%s], pin: front}".replace("%s", DAY),
        "key of the entry",
    ),
    "slipped for": (
        "{condition: state, entity_id: a.b, state: x, for: {user: Adult}}",
        "key of the entry",
    ),
    "unquoted off": ("{condition: state, entity_id: a.b, state: off}", "Quote it"),
    "unquoted time": ("{condition: time, after: 22:00:00}", "Quote it"),
    "key twice": ("{condition: sun, after: sunset, after: sunrise}", "twice"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_condition(name: str) -> None:
    """What would hold where the owner thinks it doesn't is refused, with its line."""
    text, words = BAD[name]
    with pytest.raises(PolicyError) as caught:
        load(f"allowed_services:\n  - service: light.turn_on\n    when: {text}")
    assert any(words in str(each) for each in caught.value.problems)
    assert {each.line for each in caught.value.problems} == {4}


@pytest.mark.parametrize(
    ("met", "answer"),
    [
        (True, "allow"),
        (False, "condition_not_met"),
        (None, "condition_not_met"),
        (1, "condition_not_met"),
        ("true", "condition_not_met"),
        (RuntimeError(), "condition_not_met"),
    ],
)
def test_only_true_grants(met: object, answer: str) -> None:
    """Home Assistant answers None for what is switched off; that grants nothing."""
    checker = FakeConditions(met=met)
    decision = ask(RULE % DAY, LIGHT, conditions=checker)
    assert word(decision) == answer
    assert checker.asked == ["allowed_services[1].when"]
    if isinstance(met, Exception):
        assert decision.reason.values["problem"] == "RuntimeError"


def test_problem_is_told() -> None:
    """Why a condition could not be judged goes with the reason."""
    checker = FakeConditions(met=False, problem="no such entity")
    decision = ask(RULE % DAY, LIGHT, conditions=checker)
    assert decision.reason.values == {
        "tool": "light.turn_on",
        "rule": "light.turn_on#1",
        "problem": "no such entity",
    }


def test_tools_have_it_too() -> None:
    """Reads as well, once they are listed."""
    policy = load("allowed_tools: [{tool: get_state, when: %s}]".replace("%s", DAY))
    unmet = FakeConditions(met=False)
    assert word(ask(policy, tool("get_state"))) == "allow"
    assert word(ask(policy, tool("get_state"), conditions=unmet)) == "condition_not_met"


def test_is_asked_last_and_only_if_it_decides() -> None:
    """Not for other callers or targets, nor beside a rule that asks no more."""
    policy = load(
        "allowed_services: [{service: light.turn_on, for: {user: Boy},"
        " target: {entity_id: light.hall}, data: {flash: short}, when: %s}]".replace(
            "%s", DAY
        )
    )
    checker = FakeConditions()
    for call in (LIGHT, service("light.turn_on", "light.hall", {"flash": "long"})):
        ask(policy, call, conditions=checker)
    short = service("light.turn_on", "light.hall", {"flash": "short"})
    assert word(ask(policy, short, KITCHEN, checker)) == "caller_not_covered"
    beside = load(
        "allowed_services: [light.turn_on, {service: light.turn_on, when: %s}]".replace(
            "%s", DAY
        )
    )
    assert word(ask(beside, LIGHT, conditions=checker)) == "allow"
    assert checker.asked == []


def test_is_asked_every_time() -> None:
    """Nothing of a condition is kept."""
    policy = load(RULE % DAY)
    checker = FakeConditions()
    assert word(ask(policy, LIGHT, conditions=checker)) == "allow"
    checker.met = False
    assert word(ask(policy, LIGHT, conditions=checker)) == "condition_not_met"
    assert len(checker.asked) == 2
