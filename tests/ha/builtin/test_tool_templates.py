"""Templates from hostile workers: refused before they are spelt out, always bounded."""

from collections.abc import Mapping
from dataclasses import replace
import time

from hassil import parse_sentence
from hassil.sample import sample_expression
from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.providers.builtin.everyday import EVERYDAY
from custom_components.caesar.providers.builtin.templates import (
    MAX_SPELLINGS,
    MAX_TEMPLATE,
    TemplateError,
    Trouble,
    plain,
    said,
    spell_out,
)
from custom_components.caesar.providers.builtin.tool_sentences import (
    MAX_SENTENCES,
    ToolSentences,
    heard_sentences,
    sentence_problems,
)
from tests.fakes.tools import BUS

from .test_sentences import TABLES


def tool(
    *sentences: str, language: str = "en", q: Mapping[str, Json] | None = None
) -> ToolSpec:
    """Return a tool with an input `q` of this schema, a text by default."""
    of_q: dict[str, Json] = {"type": "string", **(q or {})}
    properties: dict[str, Json] = {"q": of_q, "other": {"type": "string"}}
    return replace(
        BUS,
        input_schema={"type": "object", "properties": properties},
        sentences={language: sentences},
    )


@pytest.mark.parametrize(
    ("template", "spellings"),
    [
        ("read the news", ["read the news"]),
        (
            "(read|tell me) the news [now]",
            [
                "read the news now",
                "read the news",
                "tell me the news now",
                "tell me the news",
            ],
        ),
        ("news about {q} please", ["news about {q} please"]),
        ("licht[er] im Garten?", ["lichter im garten", "licht im garten"]),
        ("what's on|what is on", ["whats on", "what is on"]),
        (
            "[[very] old] good news",
            ["very old good news", "old good news", "good news"],
        ),
    ],
)
def test_what_a_template_stands_for(template: str, spellings: list[str]) -> None:
    """Alternatives and what may be left out, also within a word."""
    assert sorted(map(said, spell_out(template))) == sorted(spellings)


_TEMPLATES = st.recursive(
    st.sampled_from(["read", "the news", "of today", "{q}"]),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(" ".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda row: f"({'|'.join(row)})"),
        inner.map(lambda each: f"[{each}]"),
    ),
    max_leaves=6,
)


@given(_TEMPLATES)
@settings(max_examples=200, deadline=None)
def test_it_means_what_it_means_to_hassil(template: str) -> None:
    """Every spelling is one of hassil's, and the other way round."""
    try:
        ours = set(map(said, spell_out(template)))
    except TemplateError:
        return
    # hassil puts the words of a list in its place; one word stands for all here.
    named = parse_sentence(template.replace("{q}", "quux"))
    theirs = {
        " ".join(map(plain, text.split())).replace("quux", "{q}")
        for text in sample_expression(named.expression)
    }
    assert ours == theirs


@pytest.mark.parametrize(
    ("template", "trouble"),
    [
        ("{q}", Trouble.FEW_WORDS),
        ("search {q}", Trouble.FEW_WORDS),
        ("[please] search {q}", Trouble.FEW_WORDS),
        ("? ! {q} .", Trouble.FEW_WORDS),
        ("", Trouble.FEW_WORDS),
        ("read (the news", Trouble.BRACKETS),
        ("read the] news", Trouble.BRACKETS),
        ("read (the] news", Trouble.BRACKETS),
        ("read the {q", Trouble.BRACKETS),
        ("read the {} news", Trouble.BRACKETS),
        ("read the <news>", Trouble.NOT_OFFERED),
        ("read (the;news)", Trouble.NOT_OFFERED),
        ("read the {q:@x}", Trouble.NOT_OFFERED),
        ("read the {0..1000000000}", Trouble.NOT_OFFERED),
        (r"read the \{q}", Trouble.NOT_OFFERED),
        ("(a|b)" * 20, Trouble.TOO_LARGE),
        ("[a] [b] [c] [d] [e] [f] [g] [h] [i] [j] the news", Trouble.TOO_LARGE),
        ("(" * 50 + "the news" + ")" * 50, Trouble.TOO_LARGE),
        ("x" * (MAX_TEMPLATE + 1), Trouble.TOO_LONG),
        ("tell me {q}{other}", Trouble.GLUED),
        ("tell me {q} {other}", Trouble.GLUED),
        ("tell me x{q}", Trouble.GLUED),
        ("tell me {q}x", Trouble.GLUED),
        ("tell {q} and {q}", Trouble.WILDCARDS),
        ("on {a} and {b} or {c} in {d} now", Trouble.WILDCARDS),
    ],
)
def test_refused_before_it_costs_anything(template: str, trouble: Trouble) -> None:
    """Nothing is expanded that could not be kept."""
    with pytest.raises(TemplateError) as err:
        spell_out(template)
    assert err.value.trouble is trouble


@given(st.text(alphabet="ab {}[]()|<>;\\:q", max_size=MAX_TEMPLATE))
@settings(max_examples=500, deadline=1000)
def test_any_text_is_read_or_refused(template: str) -> None:
    """A worker may write anything: no other exception, never much."""
    try:
        assert len(spell_out(template)) <= MAX_SPELLINGS
    except TemplateError as err:
        assert err.trouble in Trouble  # noqa: PT017 only some texts are refused


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("turn on {q}", "sentence_everyday"),
        ("turn {q} light on", "sentence_everyday"),
        ("unlock the {q}", "sentence_everyday"),
        ("unlock the front door", "sentence_everyday"),
        ("what is {q}", "sentence_everyday"),
        ("(tell me the news|turn off {q})", "sentence_everyday"),
        ("tell me about {nothing}", "sentence_property"),
        ("{q}", "sentence_few_words"),
    ],
)
def test_what_would_hear_the_house_is_not_heard(sentence: str, key: str) -> None:
    """One way to say a template is enough to refuse it."""
    [problem] = sentence_problems(tool(sentence), "en-GB")
    assert (problem.sentence, problem.key) == (sentence, key)
    assert heard_sentences(tool(sentence), "en") == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object"},
        {"type": ["string", "null"]},
        {"type": "boolean"},
        {"anyOf": [{"type": "string"}]},
        {"format": "uri"},
        {"pattern": "(?=a)b"},
        {"pattern": "a" * 5000},
        {"pattern": "(a{1,99}){1,99}"},
    ],
)
def test_what_a_sentence_can_not_fill(schema: dict[str, Json]) -> None:
    """A schema that isn't understood in full fills nothing."""
    [problem] = sentence_problems(tool("tell me about {q}", q=schema), "en")
    assert problem.key == "sentence_property_type"
    assert problem.values == {"property": "q"}


def test_what_a_tool_needs_must_be_said() -> None:
    """Else every call would be refused for its input."""
    spec = replace(BUS, sentences={"en": ("when leaves the bus",)})
    [problem] = sentence_problems(spec, "en")
    assert (problem.key, problem.values) == ("sentence_required", {"property": "line"})


def test_too_many_sentences() -> None:
    """None of them is heard then."""
    many = tool(*(f"tell me tale {number}" for number in range(MAX_SENTENCES + 1)))
    [problem] = sentence_problems(many, "en")
    assert (problem.sentence, problem.key) == ("", "sentence_too_many")
    assert heard_sentences(many, "en") == ()


@pytest.mark.parametrize("language", ["en", "de"])
def test_everyday_sentences_are_those_of_the_tables(language: str) -> None:
    """What the brain understands is what no tool may hear, but for calendars."""
    understood = {
        said.rstrip("?!.")
        for said, asked in TABLES[language]
        if asked and "calendar.get_events" not in asked
    }
    assert understood <= set(EVERYDAY[language])


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+b", "(a|a)*b", "(.*)*b", "(a*)*(a*)*b", "([a-z ]+)*!", "(a?){100}b"],
)
def test_a_pattern_never_hangs(pattern: str) -> None:
    """Such a one takes Python's own engine longer than the universe is old."""
    spec = tool("tell me about {q} now or {other} then", q={"pattern": pattern})
    began = time.perf_counter()
    text = f"tell me about {'a ' * 40} now or {'a ' * 9} then"
    assert ToolSentences().find([spec], text, "en") is None
    assert time.perf_counter() - began < 5


def test_wildcards_never_hang() -> None:
    """Nor do many ways to put many wildcards of many tools."""
    properties = {name: {"type": "string", "pattern": "x"} for name in "abc"}
    greedy = [
        replace(
            BUS,
            name=f"tool_{number}",
            input_schema={"type": "object", "properties": properties},
            sentences={"en": ("(z|y) {a} (z|y) {b} (z|y) {c} (z|y)",) * 30},
        )
        for number in range(20)
    ]
    began = time.perf_counter()
    assert ToolSentences().find(greedy, "z y " * 30, "en") is None
    assert time.perf_counter() - began < 5


def test_a_language_without_everyday_sentences() -> None:
    """Home Assistant's own come first there too; two fixed words are asked for."""
    french = tool("dis moi {q}", "dis {q}", language="fr")
    assert heard_sentences(french, "fr-CH") == ("dis moi {q}",)
    found = ToolSentences().find([french], "Dis-moi, l'heure", "fr")
    assert found is None
    found = ToolSentences().find([french], "dis moi l'heure", "fr")
    assert found is not None
    assert found.arguments == {"q": "l'heure"}


@pytest.mark.parametrize(
    ("language", "schema", "words", "value"),
    [
        ("en", {"type": "integer"}, "7", 7),
        ("en", {"type": "integer", "minimum": 8}, "7", None),
        ("en", {"type": "number"}, "3.5", 3.5),
        ("en", {"type": "number"}, "3,5", None),
        ("de", {"type": "number"}, "3,5", 3.5),
        ("de", {"type": "number"}, "-3", -3.0),
        ("en", {"type": "number"}, "1e999", None),
        ("en", {"type": "number"}, "nan", None),
        ("en", {"type": "integer"}, "9" * 40, None),
        ("en", {"enum": ["North", "South"]}, "north", "North"),
        ("en", {"enum": ["North"]}, "west", None),
        ("en", {"type": "integer", "enum": [1, 2]}, "2", 2),
        ("en", {"enum": [True]}, "true", None),
        ("en", {"maxLength": 3}, "abcd", None),
        ("en", {"minLength": 3}, "ab", None),
        ("en", {"pattern": "^[a-c]+$"}, "abc", "abc"),
        ("en", {"pattern": "[a-c]+"}, "abcd", None),
    ],
)
def test_values(
    language: str, schema: dict[str, Json], words: str, value: Json
) -> None:
    """The words are read as the schema's type, in the way of the language."""
    spec = tool("tell me about {q}", language=language, q=schema)
    found = ToolSentences().find([spec], f"Tell me about {words}.", language)
    assert (found.arguments["q"] if found else None) == value
