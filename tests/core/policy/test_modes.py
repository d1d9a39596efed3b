"""Modes and patterns: what the file says of a tool before any rule is asked."""

from typing import Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.policy.globs import Glob, denies, fits, names_of
from custom_components.caesar.policy.loader import PolicyError
from custom_components.caesar.policy.modes import Mode
from custom_components.caesar.policy.reading import IdKind
from custom_components.caesar.policy.wording import model_text

from .house import service, tool
from .people import ask, load, word

LIGHT: Final = service("light.turn_on", "light.kitchen")
LOCK: Final = service("lock.unlock", "lock.shed")


@pytest.mark.parametrize(
    ("pattern", "name", "answer"),
    [
        ("light__*", "light__turn_on", True),
        ("light__*", "light__", True),
        ("light__*", "my_light__turn_on", False),
        ("light.*", "light.turn_on", True),
        ("*__execute", "switch__execute", True),
        ("*__execute", "switch__execute_all", False),
        ("*__delete_*", "todo__delete_list", True),
        ("connector-github__read_*", "connector-github__read_file", True),
        ("a__*_b", "a__x_y_b", True),
        ("a__*_b", "a__xb", False),
        ("a*b*c", "abbbc", True),
        ("a*b*c", "abbbcd", False),
        ("l?ck", "lock", True),
        ("l?ck", "lck", False),
        ("?", "", False),
        ("*", "", True),
        ("**", "x", True),
        ("lock", "lock", True),
        ("lock", "locks", False),
        ("lock", "Lock", False),
        ("x.y", "xzy", False),
        ("*a", "a*a", True),
    ],
)
def test_fits(pattern: str, name: str, answer: bool) -> None:
    """A pattern fits a whole name, small and capital letters told apart."""
    assert fits(pattern, name) is answer


def _slowly(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return _slowly(pattern[1:], name) or bool(name and _slowly(pattern, name[1:]))
    same = bool(name) and pattern[0] in ("?", name[0])
    return same and _slowly(pattern[1:], name[1:])


@settings(max_examples=300, deadline=None)
@given(st.text("ab*?", max_size=7), st.text("ab", max_size=7))
def test_fits_as_the_plain_definition(pattern: str, name: str) -> None:
    """The quick way gives what the definition does."""
    assert fits(pattern, name) is _slowly(pattern, name)


def test_fits_costs_no_more_than_both_lengths() -> None:
    """A pattern made to backtrack takes no time."""
    assert not fits("*a" * 60 + "b", "a" * 5_000)


def test_names() -> None:
    """All that a tool is called."""
    assert names_of("light.turn_on", is_service=True) == (
        "light.turn_on",
        "light__turn_on",
    )
    assert names_of("script.a.b", is_service=True)[1] == "script__a.b"
    assert names_of("calculator", is_service=False) == (
        "calculator",
        "legion__calculator",
    )
    assert names_of("get_state", is_service=False) == ("get_state",)


@pytest.mark.parametrize(
    ("pattern", "denied"),
    [
        ("light.turn_on", {"light"}),
        ("light__turn_on", {"light"}),
        ("light__*", {"light"}),
        ("*.turn_on", {"light"}),
        ("lock*", {"lock"}),
        ("call_service", {"light", "lock"}),
        ("calculator", {"calculator"}),
        ("legion__*", {"calculator"}),
        ("get_*", {"get_state"}),
        ("*", {"light", "lock", "calculator", "get_state"}),
        ("nothing__*", set()),
    ],
)
def test_deny_wins(pattern: str, denied: set[str]) -> None:
    """Whatever name it is written under, and whatever rules say."""
    calls = {
        "light": LIGHT,
        "lock": LOCK,
        "calculator": tool("calculator"),
        "get_state": tool("get_state"),
    }
    policies = {
        "list": "allowed_services: [light.turn_on, {service: lock.unlock,"
        " approval: never}]\nallowed_tools: [calculator, get_state]\nunlisted: ask",
        "explicit": None,
        "asking": "",
    }
    for mode, text in policies.items():
        inner = f'deny: ["{pattern}"]'
        if mode == "explicit":
            inner += ', allow: ["*"]'
        if mode == "asking":
            inner += ", writes_with_approval: true"
        policy = load(f"bot: {{tool_policy: {{{inner}}}}}\n{text or ''}")
        decisions = {name: ask(policy, call) for name, call in calls.items()}
        got = {name for name, each in decisions.items() if word(each) not in OK}
        assert got == denied, mode
        for name in denied:
            reason = decisions[name].reason
            assert (reason.code.value, reason.values["why"]) == (
                "policy_denied",
                "deny",
            )
            assert not decisions[name].visible
            # The owner is told which pattern it was, the model is not.
            rule = decisions[name].rule
            assert rule is not None
            assert rule.name == f"bot.tool_policy.deny[1] {pattern}"
            assert rule.line == 2
            assert "deny" not in model_text(reason)


OK: Final = ("allow", "ask")


def test_deny_holds_for_what_a_generic_switch_stands_for() -> None:
    """`homeassistant.turn_off` unlocks a lock, so who forbids that forbids this."""
    for pattern in ("lock__*", "lock.unlock", "lock__turn_off"):
        policy = load(
            f'bot: {{tool_policy: {{deny: ["{pattern}"]}}}}\n'
            "allowed_services: [{service: homeassistant.turn_off,"
            " target: {entity_id: [lock.shed, light.hall]}}, light.turn_off,"
            " {service: homeassistant.turn_off, target: {entity_id:"
            " group.everything}}]"
        )
        for ids in (["lock.shed"], ["light.hall", "lock.shed"], ["group.everything"]):
            call = service("homeassistant.turn_off", {"entity_id": ids})
            assert word(ask(policy, call)) == "policy_denied"
        hall = service("homeassistant.turn_off", "light.hall")
        assert word(ask(policy, hall)) == "allow"


def test_allow_meets_the_list() -> None:
    """With both, a call needs a pattern and a rule (X4)."""
    policy = load(
        'bot: {tool_policy: {allow: ["light__turn_*", legion__calculator]}}\n'
        "allowed_services: [light.turn_on, lock.unlock]\n"
        "allowed_tools: [calculator, frob]"
    )
    assert policy.mode is Mode.LIST
    answers = {
        "light": (LIGHT, "allow", True),
        "no rule": (service("light.turn_off", "light.kitchen"), "not_listed", False),
        "no pattern": (LOCK, "not_listed", False),
        "tool": (tool("calculator"), "allow", True),
        "tool without pattern": (tool("frob"), "not_listed", False),
        "read without pattern": (tool("get_state"), "not_listed", False),
    }
    for name, (call, answer, shown) in answers.items():
        decision = ask(policy, call)
        assert (word(decision), decision.visible) == (answer, shown), name


def test_a_generic_switch_needs_the_patterns_of_what_it_stands_for() -> None:
    """No `homeassistant__*` lets through what `allow` leaves out."""
    rules = "allowed_services: [homeassistant.turn_off, light.turn_off, fan.turn_off]"
    call = service("homeassistant.turn_off", "light.hall")
    for allowed, answer in (("light__*", "allow"), ("fan__*", "target_not_covered")):
        allow = f'["homeassistant__*", "{allowed}"]'
        policy = load(f"bot: {{tool_policy: {{allow: {allow}}}}}\n{rules}")
        assert word(ask(policy, call)) == answer


def test_patterns_alone_grant_by_class() -> None:
    """What can be undone is free, the rest is asked about."""
    policy = load('bot: {tool_policy: {allow: ["*"], writes_with_approval: true}}')
    assert policy.mode is Mode.EXPLICIT
    assert word(ask(policy, LIGHT)) == "allow"
    assert word(ask(policy, LOCK)) == "ask"
    assert word(ask(policy, service("shell_command.x"))) == "ask"
    assert word(ask(policy, tool("frob"))) == "ask"
    assert word(ask(policy, tool("get_state"))) == "allow"
    assert word(ask(policy, service("homeassistant.restart"))) == "policy_denied"
    garage = service("cover.open_cover", "cover.garage")
    assert word(ask(policy, garage)) == "ask"
    nothing = service("light.turn_on", {"area_id": "cellar"})
    assert word(ask(policy, nothing)) == "target_not_covered"
    scoped = load(
        'bot: {tool_policy: {allow: ["*"]}}\nsentinel: {approval_scope: mutating}'
    )
    assert word(ask(scoped, LIGHT)) == "ask"


def test_a_pattern_for_call_service_allows_no_service() -> None:
    """It names no service at all."""
    policy = load("bot: {tool_policy: {allow: [call_service]}}")
    assert word(ask(policy, LIGHT)) == "not_listed"


def test_writes_with_approval_does_not_widen_a_list() -> None:
    """It says so, too (X6)."""
    policy = load(
        "bot: {tool_policy: {writes_with_approval: true}}\nallowed_services: []"
    )
    assert word(ask(policy, LIGHT)) == "not_listed"
    (lint,) = policy.lints
    assert (lint.line, "unlisted: ask" in lint.message) == (2, True)
    asking = load("bot: {tool_policy: {writes_with_approval: true}}")
    assert asking.lints == ()


def test_unlisted_asks_about_what_nothing_is_said_of() -> None:
    """And leaves what is listed to its rules."""
    policy = load(
        "unlisted: ask\nallowed_services: [{service: light.turn_on,"
        " target: {area_id: hall}}]"
    )
    assert word(ask(policy, LIGHT)) == "target_not_covered"
    off = service("light.turn_off", "light.kitchen")
    assert word(ask(policy, off)) == "ask"
    assert word(ask(policy, service("weather.get_forecasts", "weather.home"))) == (
        "allow"
    )
    deny = load("unlisted: deny\nallowed_services: []")
    assert word(ask(deny, off)) == "not_listed"


@pytest.mark.parametrize(
    ("policy", "yes", "no"),
    [
        (
            "bot: {tool_policy: {writes_with_approval: true, deny: ['lock__*']}}",
            ["light.turn_on", "call_service", "frob", "get_state"],
            ["lock.unlock", "lock__unlock", "caesar.approve"],
        ),
        (
            "bot: {tool_policy: {deny: [call_service, get_state]}}",
            ["find_entities"],
            ["call_service", "weather.get_forecasts", "get_state"],
        ),
        (
            "bot: {tool_policy: {allow: ['light__*', get_state]}}",
            ["light.turn_on", "light__turn_on", "call_service", "get_state"],
            ["lock.unlock", "find_entities", "recall_memory"],
        ),
        (
            "unlisted: ask\nallowed_services: []",
            ["light.turn_on", "call_service", "frob", "get_state"],
            ["caesar.approve"],
        ),
        (
            "bot: {tool_policy: {deny: ['light__*']}}\nallowed_services: [light.turn_on]",
            ["get_state", "recall_memory"],
            ["light.turn_on", "call_service"],
        ),
        (
            "impact: {read_only: [light.turn_on], destructive: [weather.get_forecasts]}",
            ["light.turn_on"],
            ["weather.get_forecasts", "light.turn_off"],
        ),
    ],
)
def test_may_grant(policy: str, yes: list[str], no: list[str]) -> None:
    """What is offered goes by the same order as the decision."""
    loaded = load(policy)
    assert [name for name in yes if not loaded.may_grant(name)] == []
    assert [name for name in no if loaded.may_grant(name)] == []


def test_odd_names_are_not_kept_for_ever() -> None:
    """A model may invent any number of names."""
    policy = load("bot: {tool_policy: {deny: [x]}}")
    for number in range(3_000):
        ask(policy, tool(f"t{number}"))
    assert len(policy.scope._kept) <= 1_024


def test_patterns_are_named_with_their_place() -> None:
    """So that one that fits nothing is reported: a misspelt one would deny less."""
    policy = load("bot: {tool_policy: {deny: [lcok__x], allow: [light__y]}}")
    named = {(each.kind, each.id, each.line, each.path) for each in policy.ids_named()}
    assert named == {
        (IdKind.DENY_GLOB, "lcok__x", 2, "bot.tool_policy.deny[1]"),
        (IdKind.ALLOW_GLOB, "light__y", 2, "bot.tool_policy.allow[1]"),
    }


@pytest.mark.parametrize(
    ("globs", "words"),
    [
        ("lock__*", "a list"),
        ("{a: b}", "a list"),
        ("", "not nothing"),
        ("[Lock__x]", "small letters"),
        ('["lock x"]', "small letters"),
        ('["[lock]"]', "small letters"),
        ('[""]', "empty"),
        ("[5]", "a text"),
        ("[[a]]", "a text"),
        (f"[{'a' * 129}]", "not a pattern"),
        (f"[{', '.join(['a'] * 201)}]", "more than 200"),
    ],
)
@pytest.mark.parametrize("key", ["allow", "deny"])
def test_bad_globs(key: str, globs: str, words: str) -> None:
    """A pattern that can't fit any name is an error."""
    with pytest.raises(PolicyError) as caught:
        load(f"bot:\n  tool_policy:\n    {key}: {globs}")
    first = caught.value.problems[0]
    assert words in str(first)
    assert (first.line, first.path.startswith(f"bot.tool_policy.{key}")) == (4, True)


def test_denies_tells_the_first() -> None:
    """Of several patterns the first one is named."""
    globs = [Glob(pattern=p, path=p, line=n) for n, p in enumerate(("a*", "*b"), 1)]
    found = denies(globs, "ab", is_service=False)
    assert found is not None
    assert found.line == 1
