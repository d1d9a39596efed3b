"""The loader: what it reads, and that no slip of the pen ever passes."""

from typing import Final

import pytest

from custom_components.caesar.policy.engine import Mode
from custom_components.caesar.policy.loader import (
    MAX_RULES,
    PolicyError,
    Problem,
    ProblemCode,
    load_policy,
)

from .house import SEED, decide, policy_of, service, tool


def _problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(PolicyError) as caught:
        load_policy(text)
    return caught.value.problems


def test_founding_example_loads_word_for_word() -> None:
    """ADR-0028's example means what its text says."""
    policy = load_policy(SEED)
    assert policy.counts == {"allowed_services": 2, "allowed_tools": 2}
    assert [lint.line for lint in policy.lints] == [11]
    assert "web_search" in policy.lints[0].message
    assert policy.may_grant("calculator")
    assert not policy.may_grant("web_search")


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
    "later key at the top": (
        "version: 1\nunlisted: ask",
        2,
        1,
        ProblemCode.NOT_SUPPORTED,
        "not supported by this version",
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


BAD_ENTRIES: Final[dict[str, tuple[str, ProblemCode, str]]] = {
    "targets": (
        "{service: light.turn_on, targets: {entity_id: light.a}}",
        ProblemCode.UNKNOWN_KEY,
        "Did you mean 'target'?",
    ),
    "no service": ("{target: {area_id: a}}", ProblemCode.MISSING_KEY, "'service'"),
    "misplaced id": (
        "{service: light.turn_on, entity_id: light.a}",
        ProblemCode.UNKNOWN_KEY,
        "under 'target:'",
    ),
    "unlike anything": (
        "{service: light.turn_on, zzzz: 1}",
        ProblemCode.UNKNOWN_KEY,
        "Known keys: service, target, data, approval, name.",
    ),
    "later key": (
        "{service: light.turn_on, for: {user: [anna]}}",
        ProblemCode.NOT_SUPPORTED,
        "'for' is not supported by this version",
    ),
    "entity_ids": (
        "{service: light.turn_on, target: {entity_ids: [light.a]}}",
        ProblemCode.UNKNOWN_KEY,
        "Did you mean 'entity_id'?",
    ),
    "entity null": (
        "{service: light.turn_on, target: {entity_id: null}}",
        ProblemCode.EMPTY,
        "not nothing",
    ),
    "entity empty": (
        "{service: light.turn_on, target: {entity_id: []}}",
        ProblemCode.EMPTY,
        "leave the key out",
    ),
    "entity blank": (
        '{service: light.turn_on, target: {entity_id: " "}}',
        ProblemCode.EMPTY,
        "empty",
    ),
    "target empty": (
        "{service: light.turn_on, target: {}}",
        ProblemCode.EMPTY,
        "leave 'target' out",
    ),
    "target null": ("{service: light.turn_on, target: }", ProblemCode.EMPTY, "block"),
    "target list": (
        "{service: light.turn_on, target: [light.a]}",
        ProblemCode.WRONG_TYPE,
        "a block",
    ),
    "entity all": (
        "{service: light.turn_on, target: {entity_id: all}}",
        ProblemCode.BAD_VALUE,
        "'all' is not the id of one entity",
    ),
    "entity wildcard": (
        "{service: light.turn_on, target: {entity_id: light.*}}",
        ProblemCode.BAD_VALUE,
        "one entity",
    ),
    "comma list": (
        '{service: light.turn_on, target: {entity_id: "light.a, light.b"}}',
        ProblemCode.BAD_VALUE,
        "[first, second]",
    ),
    "area by name": (
        "{service: light.turn_on, target: {area_id: Living Room}}",
        ProblemCode.BAD_VALUE,
        "like living_room",
    ),
    "area number": (
        "{service: light.turn_on, target: {area_id: 5}}",
        ProblemCode.WRONG_TYPE,
        "a text",
    ),
    "data empty": (
        "{service: light.turn_on, data: {}}",
        ProblemCode.EMPTY,
        "leave 'data' out",
    ),
    "data text": (
        "{service: light.turn_on, data: x}",
        ProblemCode.WRONG_TYPE,
        "a text",
    ),
    "data null": (
        "{service: light.turn_on, data: {x: }}",
        ProblemCode.EMPTY,
        "not nothing",
    ),
    "data empty list": (
        "{service: light.turn_on, data: {x: []}}",
        ProblemCode.EMPTY,
        "empty",
    ),
    "data nested list": (
        "{service: light.turn_on, data: {x: [[1]]}}",
        ProblemCode.WRONG_TYPE,
        "a list",
    ),
    "data empty bounds": (
        "{service: light.turn_on, data: {x: {}}}",
        ProblemCode.EMPTY,
        "bounds nothing",
    ),
    "data target": (
        "{service: light.turn_on, data: {entity_id: light.a}}",
        ProblemCode.BAD_VALUE,
        "under 'target:'",
    ),
    "data star false": (
        '{service: light.turn_on, data: {"*": false}}',
        ProblemCode.WRONG_TYPE,
        "the word true",
    ),
    "data star text": (
        '{service: light.turn_on, data: {"*": "true"}}',
        ProblemCode.WRONG_TYPE,
        "the word true",
    ),
    "data star list": (
        '{service: light.turn_on, data: {"*": [true]}}',
        ProblemCode.WRONG_TYPE,
        "a list",
    ),
    "bounds typo": (
        "{service: light.turn_on, data: {x: {mn: 1}}}",
        ProblemCode.UNKNOWN_KEY,
        "Did you mean 'min'?",
    ),
    "bounds crossed": (
        "{service: light.turn_on, data: {x: {min: 3, max: 2}}}",
        ProblemCode.BAD_VALUE,
        "least",
    ),
    "bounds text": (
        '{service: light.turn_on, data: {x: {min: "3"}}}',
        ProblemCode.WRONG_TYPE,
        "a number",
    ),
    "bounds bool": (
        "{service: light.turn_on, data: {x: {max: true}}}",
        ProblemCode.WRONG_TYPE,
        "a number",
    ),
    "bounds contradict": (
        "{service: light.turn_on, data: {x: {min: 3, pattern: a}}}",
        ProblemCode.BAD_VALUE,
        "nothing could ever fit",
    ),
    "length zero": (
        "{service: light.turn_on, data: {x: {max_length: 0}}}",
        ProblemCode.WRONG_TYPE,
        "above 0",
    ),
    "pattern number": (
        "{service: light.turn_on, data: {x: {pattern: 3}}}",
        ProblemCode.WRONG_TYPE,
        "a text",
    ),
    "pattern looks ahead": (
        '{service: light.turn_on, data: {x: {pattern: "(?=a)a"}}}',
        ProblemCode.BAD_VALUE,
        "pattern can't be used",
    ),
    "bound beside its field": (
        "{service: light.turn_on, data: {x: {min: 1}, max: 5}}",
        ProblemCode.BAD_VALUE,
        "belongs to the field",
    ),
    "approval slipped into data": (
        "{service: light.turn_on, data: {x: 1, approval: always}}",
        ProblemCode.BAD_VALUE,
        "belongs to the entry",
    ),
    "later key slipped into data": (
        "{service: light.turn_on, data: {x: 1, when: []}}",
        ProblemCode.BAD_VALUE,
        "belongs to the entry",
    ),
    "unquoted off": (
        "{service: climate.set_hvac_mode, data: {hvac_mode: [heat, off]}}",
        ProblemCode.QUOTE_IT,
        'Quote it: "off"',
    ),
    "base 60": (
        "{service: light.turn_on, data: {x: 10:30}}",
        ProblemCode.QUOTE_IT,
        "another number",
    ),
    "octal": (
        "{service: light.turn_on, data: {x: 010}}",
        ProblemCode.QUOTE_IT,
        "another number",
    ),
    "date": (
        "{service: light.turn_on, data: {x: 2026-01-01}}",
        ProblemCode.QUOTE_IT,
        "a date",
    ),
    "not a number": (
        "{service: light.turn_on, data: {x: .nan}}",
        ProblemCode.QUOTE_IT,
        "another number",
    ),
    "equals": (
        "{service: light.turn_on, data: {x: =}}",
        ProblemCode.QUOTE_IT,
        "something else",
    ),
    "approval typo": (
        "{service: light.turn_on, approval: alway}",
        ProblemCode.BAD_VALUE,
        "Did you mean 'always'?",
    ),
    "approval no": (
        "{service: light.turn_on, approval: no}",
        ProblemCode.QUOTE_IT,
        '"no"',
    ),
    "approval true": (
        "{service: light.turn_on, approval: true}",
        ProblemCode.WRONG_TYPE,
        "true or false",
    ),
    "never for code": (
        "{service: shell_command.x, approval: never}",
        ProblemCode.BAD_VALUE,
        "always asks",
    ),
    "name of two lines": (
        '{service: light.turn_on, name: "a\\nb"}',
        ProblemCode.BAD_VALUE,
        "one line",
    ),
    "name is a list": (
        "{service: light.turn_on, name: [a]}",
        ProblemCode.WRONG_TYPE,
        "a list",
    ),
    "wildcard": ("light.*", ProblemCode.BAD_VALUE, "Wildcards"),
    "sugar": ("light__turn_on", ProblemCode.BAD_VALUE, "Did you mean 'light.turn_on'?"),
    "no dot": ("light", ProblemCode.BAD_VALUE, "like light.turn_on"),
    "entry is a list": ("[light.turn_on]", ProblemCode.WRONG_TYPE, "a list"),
    "entry is a number": ("5", ProblemCode.WRONG_TYPE, "a number"),
}


@pytest.mark.parametrize("name", BAD_ENTRIES)
def test_bad_service_entry(name: str) -> None:
    """Each fault in an entry is found, in its line, and named by its path."""
    entry, code, words = BAD_ENTRIES[name]
    text = f"version: 1\nallowed_services:\n  - light.toggle\n  - {entry}\n"
    first = _problems(text)[0]
    assert (first.line, first.code) == (4, code)
    assert words in str(first)
    assert code is ProblemCode.QUOTE_IT or "allowed_services[2]" in first.path


@pytest.mark.parametrize(
    ("entry", "code", "words"),
    [
        ("get_sate", ProblemCode.BAD_VALUE, "Did you mean 'get_state'?"),
        ("light.turn_on", ProblemCode.BAD_VALUE, "'allowed_services'"),
        ("call_service", ProblemCode.BAD_VALUE, "'allowed_services'"),
        ("Web-Search", ProblemCode.BAD_VALUE, "like web_search"),
        ("{tool: 5}", ProblemCode.WRONG_TYPE, "a number"),
        ("{input: {a: b}}", ProblemCode.MISSING_KEY, "'tool'"),
        ("{tool: x, inputs: {a: b}}", ProblemCode.UNKNOWN_KEY, "'input'"),
        ("{tool: x, input: {}}", ProblemCode.EMPTY, "leave 'input' out"),
        ("{tool: x, input: [a]}", ProblemCode.WRONG_TYPE, "a list"),
        ("{tool: x, input: }", ProblemCode.EMPTY, "not nothing"),
        ("{tool: x, pin: front}", ProblemCode.NOT_SUPPORTED, "'pin'"),
        ("{tool: get_state, input: {domain: 5}}", ProblemCode.WRONG_TYPE, "number"),
        ("{tool: get_state, input: {domain: []}}", ProblemCode.EMPTY, "empty"),
    ],
)
def test_bad_tool_entry(entry: str, code: ProblemCode, words: str) -> None:
    """Faults in the list of tools are found likewise."""
    first = _problems(f"version: 1\nallowed_tools: [{entry}]")[0]
    assert (first.line, first.code) == (2, code)
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
    policy = policy_of("allowed_tools: [{tool: frob, input: {x: 1}}]")
    assert not policy.may_grant("frob")
    decision = decide(policy, tool("frob", x=1))
    assert decision.reason.code.value == "input_not_allowed"
    assert decision.reason.values == {"tool": "frob", "key": "x"}


def test_locked_service_always_asks() -> None:
    """What runs code asks even where it is listed."""
    decision = decide("allowed_services: [shell_command.x]", service("shell_command.x"))
    assert decision.verdict.value == "ask"
