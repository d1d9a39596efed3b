"""The blocks `bot`, `sentinel` and `impact`, and the founding documents' own."""

from typing import Final

import pytest

from custom_components.caesar.policy.call import ToolCall
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.loader import PolicyError
from custom_components.caesar.policy.reading import IdKind, NamedId
from custom_components.caesar.policy.settings import ApprovalScope, PolicySettings

from .house import facts, home_of, service, tool
from .people import ask, load, word

RECIPE: Final = """
bot:
  context_window: 50
  persona:
    name: "SupportBot"
  # Which connector actions the AI may call.
  tool_policy:
    allow: [
      "connector-github__list_issues",
      "connector-github__get_issue",
      "connector-presearch__search",
    ]
    max_iterations: 5
"""
"""The block of the founding recipe, in the nesting of its TOML."""


def test_the_recipe_loads_word_for_word() -> None:
    """Its block means what it says."""
    policy = load(RECIPE)
    assert policy.settings == PolicySettings(
        context_window=50, persona_name="SupportBot", max_iterations=5
    )
    assert [glob.pattern for glob in policy.scope.allow] == [
        "connector-github__list_issues",
        "connector-github__get_issue",
        "connector-presearch__search",
    ]
    assert policy.lints == ()


def test_without_blocks() -> None:
    """The defaults."""
    settings = load("").settings
    assert settings == PolicySettings()
    assert (
        settings.rate_limit_per_minute,
        settings.circuit_breaker_threshold,
        settings.circuit_breaker_cooldown_s,
        settings.audit_retention_days,
        settings.approval_ttl_s,
        settings.approval_scope,
    ) == (60, 3, 300, 90, 900, ApprovalScope.DESTRUCTIVE)
    assert settings.daily_token_limit is None


def test_every_key() -> None:
    """Each arrives, in seconds where it is a time."""
    settings = load(
        """
bot: {context_window: 20, persona: {name: Owl, tone: dry},
      tool_policy: {max_iterations: 25}}
sentinel:
  daily_token_limit: 200000
  rate_limit_per_minute: 10
  circuit_breaker_threshold: 2
  circuit_breaker_cooldown_secs: 60
  audit_retention_days: 365
  approval_ttl_secs: 30
  approval_scope: mutating
"""
    ).settings
    assert settings == PolicySettings(
        context_window=20,
        persona_name="Owl",
        persona_tone="dry",
        max_iterations=25,
        daily_token_limit=200_000,
        rate_limit_per_minute=10,
        circuit_breaker_threshold=2,
        circuit_breaker_cooldown_s=60,
        audit_retention_days=365,
        approval_ttl_s=30,
        approval_scope=ApprovalScope.MUTATING,
    )
    zero = load("bot: {tool_policy: {max_iterations: 0}}").settings
    assert zero.max_iterations is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bot:", "not nothing"),
        ("bot: {}", "says nothing"),
        ("bot: []", "a list"),
        ("bot: {tool_policy: {}}", "says nothing"),
        ("bot: {persona: Owl}", "a text"),
        ("bot: {persona: {nmae: Owl}}", "Did you mean 'name'?"),
        ("bot: {context_window: 0}", "from 1 to"),
        ('bot: {context_window: "5"}', "a whole number"),
        ("bot: {deny: [a]}", "under 'tool_policy:'"),
        ("bot: {tool_policy: {denny: [a]}}", "Did you mean 'deny'?"),
        ("bot: {tool_policy: {max_iterations: 26}}", "from 0 to 25"),
        ("bot: {tool_policy: {max_iterations: 5.0}}", "a whole number"),
        ("bot: {tool_policy: {writes_with_approval: 1}}", "true or false"),
        ('bot: {tool_policy: {writes_with_approval: "true"}}', "true or false"),
        ("bot: {tool_policy: {writes_with_approval: yes}}", "Quote it"),
        ("bot: {tool_policy: {deny: [a], deny: [b]}}", "twice"),
        ("bot: {tool_policy: {daily_token_limit: 5}}", "under 'sentinel:'"),
        ("sentinel: {daily_token_limit: 0}", "from 1 to"),
        ("sentinel: {daily_token_limit: null}", "not nothing"),
        ("sentinel: {approval_ttl_secs: 29}", "from 30 to 86400"),
        ("sentinel: {approval_ttl: 60}", "Did you mean 'approval_ttl_secs'?"),
        ("sentinel: {approval_scope: all}", "none of destructive, mutating"),
        ("sentinel: {deny: [a]}", "under 'tool_policy:'"),
        ("unlisted: allow\nallowed_services: []", "none of deny, ask"),
        ("unlisted: true\nallowed_services: []", "a text"),
        ("impact: {}", "says nothing"),
        ("impact: {read: [a.b]}", "Did you mean 'read_only'?"),
        ("impact: {reversible: a.b}", "a list"),
        ("impact: {reversible: []}", "empty"),
        ("impact: {reversible: [lock.*]}", "wildcards"),
        ("impact: {reversible: [Lock.lock]}", "not the id"),
        ("impact: {reversible: [5]}", "a text"),
        ("impact: {reversible: [shell_command.x]}", "runs code"),
        ("impact: {read_only: [python_script.x]}", "runs code"),
        ("impact: {reversible: [caesar.approve]}", "can never be allowed"),
        ("impact: {reversible: [homeassistant.stop]}", "can never be allowed"),
        ("impact: {reversible: [a.b], destructive: [a.b]}", "twice"),
        ("impact: {reversible: [a.b, a.b]}", "twice"),
    ],
)
def test_bad_block(text: str, words: str) -> None:
    """Every slip is an error in its line, with advice."""
    with pytest.raises(PolicyError) as caught:
        load(text)
    assert words in str(caught.value.problems[0])
    assert caught.value.problems[0].line == 2


IMPACT: Final = """
impact:
  read_only: [rest_command.ask, frob]
  reversible: [valve.open_valve, script.good_night, cover.open_cover, other]
  destructive: [light.turn_on, calculator]
allowed_services: [rest_command.ask, valve.open_valve, script.good_night,
  cover.open_cover, light.turn_on, light.turn_off]
allowed_tools: [frob, other, calculator]
"""


@pytest.mark.parametrize(
    ("call", "impact", "answer"),
    [
        (service("rest_command.ask"), Impact.READ, "allow"),
        (tool("frob"), Impact.READ, "allow"),
        (tool("other"), Impact.REVERSIBLE, "allow"),
        (tool("calculator"), Impact.DESTRUCTIVE, "ask"),
        (service("light.turn_on", "light.hall"), Impact.DESTRUCTIVE, "ask"),
        (service("light.turn_off", "light.hall"), Impact.REVERSIBLE, "allow"),
        (service("cover.open_cover", "cover.blind"), Impact.REVERSIBLE, "allow"),
        # What it would touch is never lowered.
        (service("cover.open_cover", "cover.garage"), Impact.DESTRUCTIVE, "ask"),
        # Nor what nobody can see through.
        (service("script.good_night"), Impact.DESTRUCTIVE, "ask"),
    ],
)
def test_the_owners_classes(call: ToolCall, impact: Impact, answer: str) -> None:
    """They replace what the name alone tells."""
    decision = ask(IMPACT, call)
    assert (decision.impact, word(decision)) == (impact, answer)


def test_the_owners_class_lowers_a_name() -> None:
    """A valve that he calls reversible is, for its own entities."""
    home = home_of(facts("valve.garden"))
    decision = ask(IMPACT, service("valve.open_valve", "valve.garden"), home=home)
    assert (decision.impact, word(decision)) == (Impact.REVERSIBLE, "allow")


def test_a_class_makes_a_read_of_what_was_hidden() -> None:
    """In a file that lists nothing, reads are free, and what he calls so is a read."""
    policy = load("impact: {read_only: [rest_command.ask]}")
    assert word(ask(policy, service("rest_command.ask"))) == "allow"
    assert word(ask(policy, service("rest_command.do"))) == "not_listed"
    raised = load("impact: {destructive: [weather.get_forecasts]}")
    forecast = service("weather.get_forecasts", "weather.home")
    assert word(ask(raised, forecast)) == "not_listed"


@pytest.mark.parametrize("listed", ["", "allowed_services: []"])
def test_a_raised_read_is_not_free(listed: str) -> None:
    """Not even one that no list needs to name."""
    policy = load(f"impact: {{destructive: [get_state, recall_memory]}}\n{listed}")
    for name in ("get_state", "recall_memory"):
        assert word(ask(policy, tool(name))) == ("ask" if listed else "not_listed")
    assert word(ask(policy, tool("find_entities"))) == "allow"


NAMED: Final = """
allowed_services:
  - light.turn_on
  - service: light.turn_off
    target: {entity_id: [light.a, light.b], area_id: x, floor_id: f, label_id: l,
      device_id: d}
allowed_tools: [{tool: get_state, input: {domain: light}}]
impact: {reversible: [valve.open_valve, frob]}
"""


def test_every_id_is_named_with_its_place() -> None:
    """Services, tools and all ids of targets and inputs, in the order of the file."""
    policy = load(NAMED)
    named = list(policy.ids_named())
    assert [(each.kind.value, each.id, each.line) for each in named] == [
        ("service", "light.turn_on", 4),
        ("service", "light.turn_off", 5),
        ("entity", "light.a", 6),
        ("entity", "light.b", 6),
        ("area", "x", 6),
        ("floor", "f", 6),
        ("label", "l", 6),
        ("device", "d", 7),
        ("tool", "get_state", 8),
        ("domain", "light", 8),
        ("service", "valve.open_valve", 9),
        ("tool", "frob", 9),
    ]
    lines = ["version: 1", *NAMED.splitlines()]
    for each in named:
        assert lines[each.line - 1][each.column - 1 :].startswith(each.id)
    assert (
        NamedId(
            kind=IdKind.ENTITY,
            id="light.b",
            line=6,
            column=35,
            path="allowed_services[2].target.entity_id",
        )
        in named
    )
