"""The loader: every slip of the pen inside an entry is found where it stands."""

from typing import Final

import pytest

from custom_components.caesar.policy.loader import ProblemCode

from .house import problems_of as _problems

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
        "Known keys: service, target, data, approval, name, for, when,",
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
        ("{tool: x, pin: front}", ProblemCode.BAD_VALUE, "no PIN called 'front'"),
        ("{tool: x, max_entities: 3}", ProblemCode.BAD_VALUE, "makes no sense"),
        ("{tool: get_state, input: {domain: 5}}", ProblemCode.WRONG_TYPE, "number"),
        ("{tool: get_state, input: {domain: []}}", ProblemCode.EMPTY, "empty"),
    ],
)
def test_bad_tool_entry(entry: str, code: ProblemCode, words: str) -> None:
    """Faults in the list of tools are found likewise."""
    first = _problems(f"version: 1\nallowed_tools: [{entry}]")[0]
    assert (first.line, first.code) == (2, code)
    assert words in str(first)
