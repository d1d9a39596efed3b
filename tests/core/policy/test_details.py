"""Small things of the engine that nothing else would notice (found by mutation)."""

import pytest

from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code

from .house import decide, policy_of, service, tool

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
