"""What a refusal says: which rule, which entities, and whether the tool is shown."""

import pytest

from custom_components.caesar.policy.call import Target, ToolCall
from custom_components.caesar.policy.decision import RuleRef, Verdict
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.matchers import Granted
from custom_components.caesar.policy.reason import Code, Reason

from .house import decide, demo_house, facts, home_of, policy_of, service, tool
from .people import KID, ask
from .test_inside import HOUSE

LIGHTS = "allowed_services: [light.turn_on]"
PATTERN = "bot: {tool_policy: {allow: ['*']}}"
GENERIC = "homeassistant.turn_on"
DENY = 'bot: {tool_policy: {deny: ["%s"]}}\n'


def test_every_decision_is_of_a_revision() -> None:
    """Granted or not, of a service or of a tool."""
    policy = policy_of(f"{LIGHTS}\nallowed_tools: [calculator]")
    for call in (
        service("light.turn_on", "light.hall"),
        service("lock.unlock", "lock.shed"),
        tool("calculator"),
        tool("mail_send"),
        tool("caesar.approve"),
    ):
        assert decide(policy, call).policy_rev == policy.revision


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (
            service("light.turn_on", {"area_id": ["cellar", "attic"]}),
            Reason(
                code=Code.TARGET_NOT_COVERED,
                values={"service": "light.turn_on", "entities": "cellar, attic"},
            ),
        ),
        (
            service("light.turn_on"),
            Reason(code=Code.INVALID_INPUT, values={"key": "target", "value": ""}),
        ),
        (
            service("light.turn_on", "all"),
            Reason(
                code=Code.CAPABILITY_DENIED,
                values={"why": "all", "entity": "all", "service": "light.turn_on"},
            ),
        ),
    ],
)
def test_what_has_no_target_is_shown_all_the_same(
    call: ToolCall, reason: Reason
) -> None:
    """Whether a rule is about the service or a pattern: another call is granted."""
    for text in (LIGHTS, PATTERN):
        decision = decide(text, call)
        assert decision.verdict is Verdict.DENY
        assert decision.reason == reason
        assert decision.visible is True


def test_a_call_without_a_target_names_the_rule_that_would_grant_it() -> None:
    """The rule is right, the call is not."""
    decision = decide(LIGHTS, service("light.turn_on"))
    assert decision.rule == RuleRef(name="light.turn_on#1", line=2)


def test_what_is_not_listed_is_not_shown() -> None:
    """However it is called; and the refusal says where it belongs."""
    for target in ("light.hall", "all"):
        decision = decide("allowed_services: []", service("light.turn_on", target))
        assert decision.visible is False
    listed = decide("allowed_services: []", service("light.turn_on", "light.hall"))
    assert dict(listed.reason.values) == {
        "tool": "light.turn_on",
        "block": "allowed_services",
    }


def test_what_never_is_says_so() -> None:
    """By its own name, cut where it is long, and by what a script would do."""
    own = decide("", service("caesar.approve"))
    assert (own.impact, own.visible) == (Impact.NEVER, False)
    assert dict(own.reason.values) == {"tool": "caesar.approve", "why": "never"}
    long = decide("", tool(f"caesar.{'x' * 200}"))
    assert long.reason.values["tool"] == f"caesar.{'x' * 121}"
    inside = decide(
        "allowed_services: [script.turn_on]",
        service("script.turn_on", "script.approves"),
        HOUSE,
    )
    assert inside.impact is Impact.NEVER
    assert dict(inside.reason.values) == {"tool": "script.turn_on", "why": "never"}


def test_what_is_asked_about_everything_names_the_service() -> None:
    """Where no rule is about it."""
    decision = decide(
        "allowed_services: []\nunlisted: ask", service("light.turn_on", "light.hall")
    )
    assert decision.verdict is Verdict.ASK
    assert dict(decision.reason.values) == {
        "tool": "light.turn_on",
        "entities": "light.hall",
    }


@pytest.mark.parametrize(
    ("pattern", "entity_ids", "tool_"),
    [
        ("lock.*", ["scene.welcome"], "lock.lock"),
        ("lock.*", ["scene.welcome", "light.hall"], "lock.lock"),
        ("lock.*", ["lock.front", "light.hall"], "lock.turn_on"),
        ("light.*", ["lock.front", "light.hall"], "light.turn_on"),
        ("lock.lock", ["lock.front", "light.hall"], "lock.lock"),
        ("cover.open_cover", ["cover.blind", "light.hall"], "cover.open_cover"),
    ],
)
def test_a_pattern_forbids_what_a_switch_stands_for_and_is_named(
    pattern: str, entity_ids: list[str], tool_: str
) -> None:
    """All that is behind it, of whatever kinds, each by its own service."""
    policy = policy_of(
        f"{DENY % pattern}allowed_services:\n  - {GENERIC}\n"
        "  - light.turn_on\n  - lock.lock\n  - cover.open_cover\n"
    )
    decision = decide(policy, service(GENERIC, {"entity_id": [*entity_ids]}), HOUSE)
    assert decision.reason.code is Code.POLICY_DENIED
    assert dict(decision.reason.values) == {"tool": tool_, "why": "deny"}
    assert decision.rule == RuleRef(name=f"bot.tool_policy.deny[1] {pattern}", line=2)


def test_a_field_that_no_rule_knows_is_named_and_cut() -> None:
    """It is a model's word, of any length."""
    decision = decide(
        "allowed_services: [{service: light.turn_on, data: {brightness: 3}}]",
        service("light.turn_on", "light.hall", {"x" * 100: 1}),
    )
    assert dict(decision.reason.values) == {"service": "light.turn_on", "key": "x" * 64}


def test_a_group_is_refused_for_what_is_in_it() -> None:
    """What the rule lacks is named, not what only stands for it."""
    decision = decide(
        "allowed_services:\n"
        "  - {service: light.turn_on, target: {entity_id: [light.kitchen]}}",
        service("light.turn_on", "light.downstairs"),
    )
    assert decision.reason.values["entities"] == "light.counter, light.hall"


def test_what_can_not_be_seen_through_is_named_itself() -> None:
    """With what is known of it; two that stand for each other are named both."""
    nothing = Granted.of(Target(), "light", demo_house())
    group = frozenset({"light.downstairs"})
    assert nothing.outside(["light.downstairs"], group, demo_house()) == (
        "light.downstairs",
        "light.kitchen",
        "light.counter",
        "light.hall",
    )
    mirrors = home_of(
        facts("light.a", members=("light.b",)), facts("light.b", members=("light.a",))
    )
    assert nothing.outside(["light.a"], frozenset(), mirrors) == ("light.a", "light.b")


def test_a_refused_tool_is_named_with_whom_its_rule_is_for() -> None:
    """And with the condition that does not hold."""
    people = "allowed_tools: [{tool: calculator, for: {user: [u_adult]}}]"
    decision = ask(people, tool("calculator"), KID)
    assert decision.reason.code is Code.CALLER_NOT_COVERED
    assert dict(decision.reason.values) == {"tool": "calculator"}


def test_nobody_in_particular_is_an_automation_without_conditions() -> None:
    """`evaluate_bare` grants what is for automations; no condition of a rule holds."""
    call = service("light.turn_on", "light.hall")
    bare = "allowed_services: [{service: light.turn_on, %s}]"
    assert decide(bare % "for: {origin: automation}", call).verdict is Verdict.ALLOW
    when = bare % "when: [{condition: state, entity_id: light.hall, state: 'on'}]"
    refused = decide(when, call)
    assert refused.reason.code is Code.CONDITION_NOT_MET
    assert refused.reason.values["problem"].startswith("unknown condition ")


def test_a_generic_switch_is_refused_by_its_own_rule() -> None:
    """The one that came closest, wherever in the file it stands."""
    mine = "target: {entity_id: [light.hall]}, for: {user: [u_adult]}"
    near = f"  - {{service: {GENERIC}, {mine}}}\n"
    far = f"  - {GENERIC}\n"
    for rules, name in ((near + far, 1), (far + near, 2)):
        call = service(GENERIC, "light.hall")
        decision = ask(f"allowed_services:\n{rules}", call, KID)
        assert decision.rule is not None
        assert decision.rule.name == f"{GENERIC}#{name}"
        assert decision.reason.code is Code.CALLER_NOT_COVERED


def test_a_generic_switch_that_is_outside_leaves_the_others_their_word() -> None:
    """A rule that names the entity grants it, after a bare one that could not."""
    decision = decide(
        "allowed_services:\n"
        f"  - {GENERIC}\n"
        f"  - {{service: {GENERIC}, target: {{entity_id: [light.hall]}}}}\n",
        service(GENERIC, "light.hall"),
    )
    assert decision.verdict is Verdict.ALLOW
    assert decision.rule == RuleRef(name=f"{GENERIC}#2", line=4)


def test_of_generic_switches_that_ask_as_much_the_first_is_named() -> None:
    """And one that asks less still decides, though it stands after both."""
    own = "  - {service: light.turn_on, approval: always}\n"
    bare = f"  - {GENERIC}\n"
    named = f"  - {{service: {GENERIC}, target: {{entity_id: [light.hall]}}}}\n"
    call = service(GENERIC, "light.hall")
    asked = decide(f"allowed_services:\n{own}{bare}{bare}", call)
    assert (asked.verdict, asked.rule) == (
        Verdict.ASK,
        RuleRef(name=f"{GENERIC}#1", line=4),
    )
    free = decide(f"allowed_services:\n{own}{bare}{bare}{named}", call)
    assert (free.verdict, free.rule) == (
        Verdict.ALLOW,
        RuleRef(name=f"{GENERIC}#3", line=6),
    )


def test_of_rules_that_ask_more_the_later_is_passed_over() -> None:
    """Not all that follows it: the third grants what the first only asks about."""
    rules = (
        "allowed_services:\n"
        "  - {service: light.turn_on, approval: always, for: {user: [u_kid]}}\n"
        "  - {service: light.turn_on, approval: always, for: {user: [u_kid, u_boy]}}\n"
        "  - {service: light.turn_on, for: {user: [u_kid]}}\n"
    )
    call = service("light.turn_on", "light.hall")
    decision = ask(rules, call, KID)
    assert (decision.verdict, decision.rule) == (
        Verdict.ALLOW,
        RuleRef(name="light.turn_on#3", line=5),
    )
    first_two = rules.rsplit("  - ", 1)[0]
    decision = ask(first_two, call, KID)
    assert (decision.verdict, decision.rule) == (
        Verdict.ASK,
        RuleRef(name="light.turn_on#1", line=3),
    )


def test_which_tools_a_rule_could_be_added_for() -> None:
    """Those without one that nothing forbids, in a file that lists rules."""
    text = "allowed_services: []\nallowed_tools: [web_search]\n"
    policy = policy_of(text)
    assert policy.may_list("bus_times")
    assert not policy.may_list("web_search")
    assert not policy.may_list("caesar.approve")
    denied = policy_of(f"{text}{DENY % 'bus_*'}")
    assert not denied.may_list("bus_times")
    assert denied.may_list("bin_days")
    # Who forbids services forbids no tool by it.
    assert policy_of(f"{text}{DENY % 'call_service'}").may_list("bus_times")
    for without_rules in ("", PATTERN, DENY % "lock.*"):
        assert not policy_of(without_rules).may_list("bus_times")
