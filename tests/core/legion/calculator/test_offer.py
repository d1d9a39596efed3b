"""What the calculator says of itself, and what its sentences hear."""

import re
import time

import probatio
import pytest

from custom_components.caesar.legion.spec_json import spec_as_json, spec_from_json
from custom_components.caesar.legion.tools.calculator.offer import (
    EXPRESSION_PATTERN,
    SPEC,
)
from custom_components.caesar.providers.builtin.tool_sentences import (
    ToolSentences,
    sentence_problems,
)
from tests.core.legion.calculator.test_hostile import HOSTILE

VALID = probatio.from_json_schema(dict(SPEC.input_schema))


def _heard(text: str, language: str) -> dict[str, object] | None:
    found = ToolSentences().find([SPEC], text, language)
    return None if found is None else dict(found.arguments)


def test_it_is_closed_and_harmless() -> None:
    """The only bundled tool whose result is trusted: it comes from its input alone."""
    told = SPEC.annotations
    assert (told.read_only, told.idempotent) == (True, True)
    assert not any(
        (told.destructive, told.open_world, told.private_data, told.untrusted_result)
    )


def test_its_specification_crosses_the_wire() -> None:
    """Within the limits that every worker must keep."""
    assert spec_from_json(spec_as_json(SPEC)) == SPEC


@pytest.mark.parametrize("language", ["en", "de"])
def test_all_its_sentences_are_heard(language: str) -> None:
    """None is refused for few words, or for one that people say every day."""
    assert sentence_problems(SPEC, language) == ()


@pytest.mark.parametrize(
    ("text", "language", "arguments"),
    [
        ("What is 17 percent of 249?", "en", {"expression": "17 percent of 249"}),
        ("how much is 3.5 times 2", "en", {"expression": "3.5 times 2"}),
        ("what is two plus two", "en", {"expression": "two plus two"}),
        ("What is the square root of 2?", "en", {"expression": "the square root of 2"}),
        ("what does 2 plus 2 make", "en", {"expression": "2 plus 2"}),
        ("please calculate (3+4)*2", "en", {"expression": "(3+4)*2"}),
        (
            "what is 5 miles in kilometres",
            "en",
            {"expression": "5 miles in kilometres"},
        ),
        ("what is a mile in km", "en", {"expression": "a mile in km"}),
        ("convert 20 °C to °F", "en", {"expression": "20 °C", "unit": "°F"}),
        ("how many feet in 3 miles", "en", {"expression": "3 miles", "unit": "feet"}),
        ("Was ist 17 Prozent von 249?", "de", {"expression": "17 Prozent von 249"}),
        ("wie viel ist 3,5 mal 2", "de", {"expression": "3,5 mal 2"}),
        ("Was sind 5 Meilen in Kilometern?", "de", None),
        ("was ist die Wurzel aus 2", "de", {"expression": "die Wurzel aus 2"}),
        ("rechne 3 mal 4 aus", "de", {"expression": "3 mal 4"}),
        ("rechne 5 Meilen in km um", "de", {"expression": "5 Meilen", "unit": "km"}),
        ("wie viele Meter hat 1 Meile", "de", {"expression": "1 Meile"}),
        (
            "was ist fünfundzwanzig hoch 2",
            "de",
            {"expression": "fünfundzwanzig hoch 2"},
        ),
    ],
)
def test_arithmetic_is_heard(
    text: str, language: str, arguments: dict[str, object] | None
) -> None:
    """With the words that belong to it, and no others."""
    heard = _heard(text, language)
    assert heard is not None
    assert arguments is None or arguments.items() <= heard.items()
    assert VALID(heard) == heard


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("what is the temperature in the kitchen", "en"),
        ("what is the time", "en"),
        ("what is on", "en"),
        ("what is a byte", "en"),
        ("what is 5 pm in Tokyo", "en"),
        ("what is the weather in Berlin", "en"),
        ("how many lights are on", "en"),
        ("how many people are in the kitchen", "en"),
        ("how much is the fish", "en"),
        ("was ist an", "de"),
        ("was ist eine Kalorie", "de"),
        ("was ist 17 Uhr in Tokio", "de"),
        ("was ist die Temperatur in der Küche", "de"),
        ("wie viele Lampen sind an", "de"),
        ("was ist auf der Einkaufsliste", "de"),
    ],
)
def test_ordinary_talk_is_not_heard(text: str, language: str) -> None:
    """A house is asked many things that begin like this."""
    assert _heard(text, language) is None


@pytest.mark.parametrize(
    "text",
    [
        *HOSTILE,
        "1 " * 128,
        "minus " * 42 + "!",
        "ein" * 85 + "!",
        "1 kilkil" * 28 + "!",
        "zehn" * 63 + "!",
        "a " + "in" * 126,
        "(" * 255 + "!",
        "1" + " a" * 127,
    ],
)
def test_the_pattern_is_quick_in_any_engine(text: str) -> None:
    """Python's, which backtracks, is the worst case."""
    began = time.process_time()
    re.search(EXPRESSION_PATTERN, text[:256])
    assert time.process_time() - began < 0.05


def test_the_pattern_uses_what_all_engines_know() -> None:
    """Grammars made from schemas (llama.cpp) and ECMA 262 have no more than this."""
    text = str(spec_as_json(SPEC))
    assert not re.search(r"\(\?|\\\\[dwsb]", text)
