"""Small things of the engine that nothing else would notice (found by mutation)."""

import pytest

from custom_components.caesar.policy.decision import ApprovalTerms, Verdict
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code

from .house import decide, facts, home_of, policy_of, service, tool
from .people import ask, word

HOSTS = "input: {domain_allowlist: [en.wikipedia.org]}"


@pytest.mark.parametrize("name", ["caesar.approve", "hassio.host_reboot"])
def test_what_never_is_stays_so_as_a_tool(name: str) -> None:
    """It says so itself, and is not refused by accident."""
    decision = decide(f"allowed_tools: [{{tool: '{name[:6]}x'}}]", tool(name))
    assert decision.verdict is Verdict.DENY
    assert decision.impact is Impact.NEVER
    assert dict(decision.reason.values) == {"tool": name, "why": "never"}


def test_a_refused_tool_names_the_rule_that_came_closest() -> None:
    """Also when a later one is further off."""
    policy = policy_of(
        "allowed_tools:\n"
        f"  - {{tool: web_search, name: first, {HOSTS}}}\n"
        "  - {tool: web_search, name: second, input: {limit: 5}}\n"
    )
    far = decide(policy, tool("web_search", domain="evil.example", limit=9))
    assert far.rule is not None
    assert (far.rule.name, far.reason.code) == ("first", Code.DOMAIN_NOT_ALLOWED)


def test_an_asked_tool_is_named_in_the_question() -> None:
    """By a rule, and by what is asked of all that is not listed."""
    by_rule = decide(
        "allowed_tools: [{tool: calendar_read, approval: always}]",
        tool("calendar_read"),
    )
    unlisted = decide("allowed_tools: []\nunlisted: ask", tool("mail_send"))
    for decision, name in ((by_rule, "calendar_read"), (unlisted, "mail_send")):
        assert decision.verdict is Verdict.ASK
        assert decision.reason.values["tool"] == name
        assert decision.approval is not None
        assert decision.visible


def test_an_unlisted_tool_says_where_it_belongs() -> None:
    """So that the owner knows the block."""
    decision = decide("allowed_tools: []", tool("mail_send"))
    assert dict(decision.reason.values) == {
        "tool": "mail_send",
        "block": "allowed_tools",
    }


def test_a_generic_switch_counts_what_it_reaches() -> None:
    """Not more than the rule lets through unasked is not asked about."""
    policy = policy_of(
        "allowed_services:\n"
        "  - {service: homeassistant.turn_on, max_entities: 1}\n"
        "  - light.turn_on\n"
    )
    one = service("homeassistant.turn_on", "light.kitchen")
    two = service(
        "homeassistant.turn_on", {"entity_id": ["light.kitchen", "light.hall"]}
    )
    assert decide(policy, one).verdict is Verdict.ALLOW
    assert decide(policy, two).reason.code is Code.TOO_MANY_ENTITIES


def test_nobody_in_particular_is_no_chat() -> None:
    """`evaluate_bare` asks for somebody without any right of his own."""
    policy = "allowed_services: [{service: light.turn_on, for: {origin: chat}}]"
    assert decide(policy, service("light.turn_on", "light.hall")).reason.code is (
        Code.CALLER_NOT_COVERED
    )


def test_a_generic_switch_keeps_its_own_approvers() -> None:
    """No answer could serve two rules that name different people."""
    text = (
        "allowed_services:\n"
        "  - {service: homeassistant.turn_on, approval: always, approvers: [u_adult]}\n"
        "  - {service: light.turn_on, approval: always, approvers: [u_boy]}\n"
    )
    call = service("homeassistant.turn_on", "light.hall")
    assert word(ask(text, call)) == "target_not_covered"
    agreed = ask(text.replace("u_boy", "u_adult"), call)
    assert agreed.approval == ApprovalTerms(approvers=("u_adult",))


@pytest.mark.parametrize("own", ["", ", tainted: allow"])
@pytest.mark.parametrize("generic", ["", ", tainted: allow"])
def test_a_generic_switch_is_trusted_by_both_or_not(generic: str, own: str) -> None:
    """Untrusted text needs the word of the switch and of what it stands for."""
    policy = policy_of(
        "allowed_services:\n"
        f"  - {{service: homeassistant.turn_on{generic}, approval: never}}\n"
        f"  - {{service: light.turn_on{own}, approval: never}}\n"
    )
    decision = decide(policy, service("homeassistant.turn_on", "light.hall"))
    assert decision.verdict is Verdict.ALLOW
    assert decision.taint_allowed is bool(generic and own)


def test_a_generic_switch_names_all_that_is_outside() -> None:
    """And the rule that nearly granted it."""
    policy = policy_of("allowed_services: [homeassistant.turn_on, light.turn_on]")
    call = service(
        "homeassistant.turn_on", {"entity_id": ["lock.shed", "switch.kettle"]}
    )
    decision = decide(policy, call)
    assert dict(decision.reason.values) == {
        "service": "homeassistant.turn_on",
        "entities": "lock.shed, switch.kettle",
    }
    assert decision.rule is not None
    assert decision.rule.name == "homeassistant.turn_on#1"


def test_a_group_without_members_is_nothing_that_can_be_switched() -> None:
    """There is no service of its own that a rule could be about."""
    home = home_of(facts("group.empty"), facts("light.hall"))
    policy = policy_of("allowed_services: [homeassistant.turn_on, light.turn_on]")
    call = service("homeassistant.turn_on", "group.empty")
    assert decide(policy, call, home).reason.code is Code.TARGET_NOT_COVERED


def test_a_bare_rule_means_groups_too() -> None:
    """Home Assistant opens them; anything else of another kind it ignores."""
    home = home_of(
        facts("group.lights", members=("light.hall",)),
        facts("light.hall"),
        facts("switch.kettle"),
    )
    policy = policy_of("allowed_services: [light.turn_on]")
    assert decide(policy, service("light.turn_on", "group.lights"), home).verdict is (
        Verdict.ALLOW
    )
    other = decide(policy, service("light.turn_on", "switch.kettle"), home)
    assert other.reason.code is Code.TARGET_NOT_COVERED


def test_of_two_as_close_the_first_is_named() -> None:
    """As they stand in the file."""
    decision = decide(
        "allowed_services:\n"
        "  - {service: light.turn_on, name: a, for: {origin: chat}}\n"
        "  - {service: light.turn_on, name: b, for: {origin: voice}}\n",
        service("light.turn_on", "light.hall"),
    )
    assert decision.rule is not None
    assert decision.rule.name == "a"
    assert dict(decision.reason.values) == {"tool": "light.turn_on"}


def test_a_question_names_its_entities() -> None:
    """The first five, in words."""
    policy = policy_of("allowed_services: [{service: light.turn_on, approval: always}]")
    call = service("light.turn_on", {"entity_id": ["light.hall", "light.kitchen"]})
    assert dict(decide(policy, call).reason.values) == {
        "tool": "light.turn_on",
        "entities": "light.hall, light.kitchen",
    }


def test_without_a_rule_nothing_is_granted_with_terms() -> None:
    """What is free has none; what is asked about is every admin's."""
    free = decide("", tool("get_state", entity_id=["light.hall"]))
    assert (free.verdict, free.approval) == (Verdict.ALLOW, None)
    assert free.reason.code is Code.ALLOWED
    asked = decide("allowed_tools: []\nunlisted: ask", tool("mail_send"))
    assert asked.approval == ApprovalTerms()
    assert asked.reason.code is Code.APPROVAL_NEEDED
