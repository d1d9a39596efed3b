"""The sentences of the tools that come with CAESAR, said in the demo house."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.tools.calculator import SPEC as CALCULATOR
from custom_components.caesar.legion.tools.calendar_read import SPEC as CALENDAR
from custom_components.caesar.legion.tools.recall_memory import SPEC as LATELY
from custom_components.caesar.legion.tools.semantic_recall import SPEC as RECALL
from custom_components.caesar.legion.tools.web_search import SPEC as SEARCH
from custom_components.caesar.providers.builtin.tool_sentences import sentence_problems

from .talk import Talk

BUNDLED: Final = (CALCULATOR, CALENDAR, LATELY, RECALL, SEARCH)


@pytest.mark.parametrize("spec", BUNDLED, ids=lambda spec: spec.name)
@pytest.mark.parametrize("language", ["en", "de"])
def test_they_keep_to_the_rules(spec: ToolSpec, language: str) -> None:
    """No sentence of ours is one that a worker's could not be."""
    assert spec.sentences[language]
    assert sentence_problems(spec, language) == ()


@pytest.mark.parametrize(
    ("language", "said", "tool", "given"),
    [
        (
            "en",
            "what is 17 percent of 249",
            "calculator",
            {"expression": "17 percent of 249"},
        ),
        ("en", "What is 17% of 249?", "calculator", {"expression": "17% of 249"}),
        ("en", "how much is 2+2", "calculator", {"expression": "2+2"}),
        ("en", "what's 3 times 4?", "calculator", {"expression": "3 times 4"}),
        (
            "de",
            "Was ist 17 Prozent von 249?",
            "calculator",
            {"expression": "17 Prozent von 249"},
        ),
        ("de", "Wie viel ist 3 mal 4", "calculator", {"expression": "3 mal 4"}),
        ("de", "Wie viel sind 3,5 plus 1", "calculator", {"expression": "3,5 plus 1"}),
        (
            "en",
            "search the web for the boiling point of ethanol",
            "web_search",
            {"query": "the boiling point of ethanol"},
        ),
        (
            "de",
            "suche im Internet nach dem Siedepunkt von Ethanol",
            "web_search",
            {"query": "dem Siedepunkt von Ethanol"},
        ),
        ("en", "what is on my calendar on friday?", "calendar_read", {"day": "friday"}),
        (
            "de",
            "Was steht am Freitag in meinem Kalender?",
            "calendar_read",
            {"day": "Freitag"},
        ),
        (
            "de",
            "Steht am Freitag etwas in meinem Kalender?",
            "calendar_read",
            {"day": "Freitag"},
        ),
        ("de", "Hab ich am Freitag was vor?", "calendar_read", {"day": "Freitag"}),
        ("en", "do I have anything on friday", "calendar_read", {"day": "friday"}),
        (
            "en",
            "is there anything on my calendar friday",
            "calendar_read",
            {"day": "friday"},
        ),
        (
            "en",
            "what did I ask you about the boiler?",
            "semantic_recall",
            {"query": "the boiler"},
        ),
        (
            "en",
            "What did we talk about the heating",
            "semantic_recall",
            {"query": "the heating"},
        ),
        (
            "de",
            "Was habe ich dich zur Heizung gefragt?",
            "semantic_recall",
            {"query": "Heizung"},
        ),
        (
            "de",
            "Was hast du mir über den Boiler gesagt?",
            "semantic_recall",
            {"query": "den Boiler"},
        ),
        ("en", "what did you do for me lately?", "recall_memory", {}),
        ("de", "Was habe ich dich zuletzt gefragt?", "recall_memory", {}),
    ],
)
async def test_they_are_asked(
    talk: Talk, language: str, said: str, tool: str, given: Mapping[str, Any]
) -> None:
    """Each question reaches its tool with the words as they were said."""
    talk.tools.change(*BUNDLED)
    now = await talk.plan(said, language)
    assert [(each.name, each.arguments) for each in now.requests] == [(tool, given)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "what is on my calendar tomorrow"),
        ("de", "Was steht morgen in meinem Kalender?"),
    ],
)
async def test_calendars_of_home_assistant_come_too(
    talk: Talk, language: str, said: str
) -> None:
    """A question that CAESAR hears itself asks both, under the everyday policy."""
    talk.tools.change(*BUNDLED)
    now = await talk.plan(said, language)
    assert [each.name for each in now.requests] == ["call_service", "calendar_read"]
