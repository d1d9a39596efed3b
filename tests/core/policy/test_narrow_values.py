"""A rule for a refusal: tools, files without lists, and any value there is."""

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import GenericToolCall
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.edit import UneditableText
from custom_components.caesar.policy.loader import PolicyError
from custom_components.caesar.policy.narrow import (
    Grant,
    NoRule,
    NoRuleError,
    add_rule,
    why_no_rule,
)

from .refusals import ADULT, LIGHT, NOTHING, call_of, decide, load, rule_for, with_rule


def test_tools() -> None:
    """With the very input; a read of the house with the very ids."""
    text = "version: 1\nallowed_tools:\n  - tool: get_state\n    input: {domain: [a]}\n"
    read = GenericToolCall(tool="get_state", input={"entity_id": ["light.hall"]})
    rule = rule_for(read, text=text)
    assert rule.entry["input"] == {"entity_id": ["light.hall"]}
    policy = with_rule(rule, text)
    assert decide(policy, read, ADULT).verdict is Verdict.ALLOW
    other = GenericToolCall(tool="get_state", input={"entity_id": ["light.kitchen"]})
    assert decide(policy, other, ADULT).verdict is Verdict.DENY

    asked = GenericToolCall(tool="web_search", input={"query": "tea", "limit": 3})
    policy = with_rule(rule_for(asked))
    assert decide(policy, asked, ADULT).verdict is Verdict.ALLOW
    coffee = GenericToolCall(tool="web_search", input={"query": "coffee", "limit": 3})
    assert decide(policy, coffee, ADULT).verdict is Verdict.DENY
    frob = GenericToolCall(tool="frob")
    assert rule_for(frob).any_data


def test_a_file_without_lists_keeps_its_reading() -> None:
    """The first rule of all takes nothing away and gives nothing else."""
    text = "# mine\nversion: 1\n"
    rule = rule_for(LIGHT, text=text)
    edit = add_rule(text, load(text), rule, "from a refusal")
    assert edit.text.startswith(text)
    policy = load(edit.text)
    for name in ("weather.get_forecasts", "calendar.get_events"):
        assert decide(policy, call_of(name), ADULT).verdict is Verdict.ALLOW
    for name in ("web_search", "recall_memory", "get_state"):
        tool = GenericToolCall(tool=name)
        assert decide(policy, tool, ADULT).verdict is Verdict.ALLOW
    other = call_of("light.turn_on", "light.hall")
    assert decide(policy, other, ADULT).verdict is Verdict.DENY


def test_a_file_of_patterns_gets_no_list() -> None:
    """All else that the patterns allow would be gone."""
    text = 'version: 1\nbot:\n  tool_policy:\n    allow: ["switch__*"]\n'
    with pytest.raises(UneditableText):
        add_rule(text, load(text), rule_for(LIGHT), "x")


@settings(max_examples=150, deadline=None)
@given(
    value=st.one_of(
        st.text(min_size=1, max_size=20),
        st.integers(-(10**12), 10**12),
        st.booleans(),
        st.floats(allow_nan=False, allow_infinity=False, width=32),
    ),
    key=st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
)
def test_any_value_means_itself(value: Json, key: str) -> None:
    """However odd a model's value is: the rule allows it, and no other line changes.

    Or there is no rule: what the file can't hold is never made into something wider.
    """
    call = call_of("media_player.play_media", "media_player.tv", **{key: value})
    try:
        rule = rule_for(call, grant=Grant.ASK)
    except NoRuleError:
        return
    edit = add_rule(NOTHING, load(NOTHING), rule, "from a refusal")
    try:
        policy = load(edit.text)
    except PolicyError:
        return
    assert policy.counts["allowed_services"] == 1
    lines = edit.text.splitlines(keepends=True)
    assert lines[0] == "version: 1\n"
    assert lines[-1] == "allowed_tools: []\n"
    after = decide(policy, call, ADULT)
    # Templates are refused whatever a rule says.
    assert after.verdict is Verdict.ASK or why_no_rule(after) is NoRule.NO_CALL
    other = call_of("media_player.play_media", "media_player.tv", **{key: "other!"})
    if value != "other!":
        assert decide(policy, other, ADULT).verdict is Verdict.DENY
