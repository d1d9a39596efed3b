"""The loader: what it reads, and that no slip of the pen ever passes."""

from typing import Final

import pytest

from custom_components.caesar.policy.loader import MAX_RULES, ProblemCode, load_policy
from custom_components.caesar.policy.modes import Mode

from .house import SEED, decide, policy_of, problems_of as _problems, service, tool


def test_founding_example_loads_word_for_word() -> None:
    """ADR-0028's example means what its text says."""
    policy = load_policy(SEED)
    assert policy.counts == {"allowed_services": 2, "allowed_tools": 2}
    assert policy.lints == ()
    assert policy.may_grant("calculator")
    assert policy.may_grant("web_search")


def test_revision_is_the_hash_of_the_text() -> None:
    """The revision is the SHA-256 of the text."""
    assert load_policy("").revision == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}", "null"])
def test_empty_file_allows_reading_only(text: str) -> None:
    """A file without anything is the default mode, and says so."""
    policy = load_policy(text)
    assert policy.mode is Mode.DEFAULT
    assert policy.lints[0].message == "The file is empty: only reading is allowed."


def test_version_alone_is_the_default_mode() -> None:
    """Without either list, reading is allowed and nothing else."""
    policy = load_policy("version: 1")
    assert (policy.mode, policy.lints) == (Mode.DEFAULT, ())


def test_every_key_is_read() -> None:
    """All keys of this version arrive in the rule, with name and line."""
    policy = policy_of(
        """\
allowed_services:
  - service: light.turn_off
    name: evening
    approval: always
    target:
      entity_id: light.kitchen
      device_id: [dev_hall]
      area_id: kitchen
      floor_id: [ground]
      label_id: [safe, night-time]
    data:
      brightness_pct: {min: 1, max: 60.5}
      effect: [rainbow, 5, true]
      flash: short
      note: {pattern: "[a-z]+", max_length: 8, one_of: [ab, cd]}
      "*": true
  - light.turn_off
allowed_tools:
  - {tool: get_state, input: {domain: light, area_id: [kitchen]}, approval: never}
"""
    )
    first, second = policy.services["light.turn_off"]
    assert (first.ref.name, first.ref.line) == ("evening", 3)
    assert (second.ref.name, second.ref.line) == ("light.turn_off#2", 18)
    assert first.target is not None
    assert first.target.as_json() == {
        "entity_id": ["light.kitchen"],
        "device_id": ["dev_hall"],
        "area_id": ["kitchen"],
        "floor_id": ["ground"],
        "label_id": ["safe", "night-time"],
    }
    assert first.data is not None
    assert first.data.others
    assert set(first.data.fields) == {"brightness_pct", "effect", "flash", "note"}
    assert policy.tools["get_state"][0].ref.name == "get_state#1"


BAD: Final[dict[str, tuple[str, int, int, ProblemCode, str]]] = {
    "no version": ("allowed_services: []", 1, 1, ProblemCode.MISSING_KEY, "version"),
    "version true": ("version: true", 1, 10, ProblemCode.WRONG_TYPE, "true or false"),
    "version text": ('version: "1"', 1, 10, ProblemCode.WRONG_TYPE, "a text"),
    "version float": ("version: 1.0", 1, 10, ProblemCode.WRONG_TYPE, "a number"),
    "version 2": ("version: 2", 1, 10, ProblemCode.BAD_VALUE, "Version 2"),
    "version nothing": ("version:", 1, 9, ProblemCode.EMPTY, "not nothing"),
    "root list": ("- light.turn_on", 1, 1, ProblemCode.WRONG_TYPE, "a list"),
    "root text": ("light.turn_on", 1, 1, ProblemCode.WRONG_TYPE, "a text"),
    "typo at the top": (
        "version: 1\nallowed_tool: []",
        2,
        1,
        ProblemCode.UNKNOWN_KEY,
        "Did you mean 'allowed_tools'?",
    ),
    "unlisted without a list": (
        "version: 1\nunlisted: ask",
        2,
        1,
        ProblemCode.BAD_VALUE,
        "Nothing is listed",
    ),
    "entry's key at the top": (
        "version: 1\napprovers: [adult]",
        2,
        1,
        ProblemCode.UNKNOWN_KEY,
        "belongs into an entry",
    ),
    "globs at the top": (
        "version: 1\ndeny: [lock__*]",
        2,
        1,
        ProblemCode.UNKNOWN_KEY,
        "under 'tool_policy:'",
    ),
    "list is a text": (
        "version: 1\nallowed_services: light.turn_on",
        2,
        19,
        ProblemCode.WRONG_TYPE,
        "a list",
    ),
    "list is nothing": (
        "version: 1\nallowed_services:",
        2,
        18,
        ProblemCode.EMPTY,
        "write []",
    ),
    "key twice": (
        "version: 1\nallowed_services: []\nallowed_services: [light.turn_on]",
        3,
        1,
        ProblemCode.DUPLICATE,
        "line 2",
    ),
    "second document": (
        "version: 1\n---\nversion: 1",
        2,
        1,
        ProblemCode.SYNTAX,
        "second one",
    ),
    "not yaml": ("version: ]", 1, 10, ProblemCode.SYNTAX, "not valid YAML"),
    "control character": ("version: 1\n# \x00", 1, 1, ProblemCode.SYNTAX, "characters"),
    "broken text": ("version: 1 # \ud800", 1, 1, ProblemCode.SYNTAX, "UTF-8"),
    "anchor": ("version: &v 1", 1, 10, ProblemCode.NOT_SUPPORTED, "Anchors"),
    "tag": ("version: !secret x", 1, 10, ProblemCode.NOT_SUPPORTED, "Tags"),
    "tag on list": (
        "version: 1\nallowed_services: !!set {}",
        2,
        19,
        ProblemCode.NOT_SUPPORTED,
        "Tags",
    ),
    "merge": ("<<: {version: 1}", 1, 1, ProblemCode.NOT_SUPPORTED, "Merging"),
    "key is a list": ("? [a]\n: 1", 1, 3, ProblemCode.WRONG_TYPE, "must be a word"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file(name: str) -> None:
    """Each fault is named with its line, its column and a hint."""
    text, line, column, code, words = BAD[name]
    first = _problems(text)[0]
    assert (first.line, first.column, first.code) == (line, column, code)
    assert words in str(first)


def test_all_problems_are_told_at_once_in_order() -> None:
    """A file is not corrected one fault at a time."""
    problems = _problems(
        "version: 2\nallowed_servces: []\nallowed_tools: [get_sate, {tool: 1}]"
    )
    assert [problem.line for problem in problems] == [1, 2, 3, 3]


def test_two_rules_of_one_name() -> None:
    """The trail names rules, so a name belongs to one of them."""
    text = "version: 1\nallowed_services:\n"
    text += "  - {service: light.turn_on, name: a}\n" * 2
    first = _problems(text)[0]
    assert (first.line, first.code) == (4, ProblemCode.DUPLICATE)


@pytest.mark.parametrize(
    "bounds", ["target: {area_id: a}", "data: {x: 1}", "approval: always"]
)
def test_lonely_block_beside_bounds(bounds: str) -> None:
    """What a doubled line leaves behind is refused; a mere word is the owner's will."""
    bounded = f"  - {{service: light.turn_on, {bounds}}}\n"
    start = "version: 1\nallowed_services:\n"
    first = _problems(f"{start}  - service: light.turn_on\n{bounded}")[0]
    assert (first.line, first.code) == (3, ProblemCode.BAD_VALUE)
    assert "line 4" in first.message
    policy = load_policy(f"{start}  - light.turn_on\n{bounded}")
    assert [lint.line for lint in policy.lints] == [4]
    assert load_policy(f"{start}  - service: light.turn_on\n").lints == ()


def test_limits() -> None:
    """Files that are too large are refused before they cost anything."""
    assert _problems("#" * (2 * 1024 * 1024 + 1))[0].code is ProblemCode.TOO_LARGE
    many = "version: 1\nallowed_tools: [" + "a," * (MAX_RULES + 1) + "]"
    assert _problems(many)[0].code is ProblemCode.TOO_LARGE
    assert _problems("[" * 5_000)[0].code is ProblemCode.TOO_LARGE
    assert _problems("{a: " * 5_000)[0].code is ProblemCode.TOO_LARGE
    assert len(_problems("version: 1\nallowed_tools: [" + "A," * 500 + "]")) == 50


def test_bomb_is_refused_where_it_begins() -> None:
    """Aliases are never followed."""
    bomb = "a: &a [x]\n" + "".join(
        f"{name}: &{name} [{f'*{before}, ' * 9}]\n"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert _problems(bomb)[0].code is ProblemCode.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("allowed_services: [caesar.approve]", 2, "can never be allowed"),
        (
            "allowed_services: [{service: light.turn_on,"
            " target: {entity_id: [light.a, group.b, switch.c]}}]",
            2,
            "does nothing to switch.c",
        ),
        (
            "allowed_services:\n  - lock.lock\n"
            "  - {service: lock.lock, approval: always}",
            4,
            "changes nothing",
        ),
        (
            "allowed_tools: [{tool: get_state, input: {domian: [light]}}]",
            2,
            "Did you mean 'domain'?",
        ),
        (
            "allowed_tools: [{tool: list_areas, input: {area_id: [kitchen]}}]",
            2,
            "allows nothing",
        ),
    ],
)
def test_lint(text: str, line: int, words: str) -> None:
    """What is safe but surely not meant is said, with its line."""
    (lint,) = policy_of(text).lints
    assert lint.line == line
    assert words in lint.message


def test_rule_that_nobody_can_read_grants_nothing() -> None:
    """An input block with an unknown key is never taken for 'any input'."""
    policy = policy_of("allowed_tools: [{tool: calculator, input: {x: 1}}]")
    assert not policy.may_grant("calculator")
    decision = decide(policy, tool("calculator", x=1))
    assert decision.reason.code.value == "input_not_allowed"
    assert decision.reason.values == {"tool": "calculator", "key": "x"}


def test_locked_service_always_asks() -> None:
    """What runs code asks even where it is listed."""
    decision = decide("allowed_services: [shell_command.x]", service("shell_command.x"))
    assert decision.verdict.value == "ask"
