"""Sentences of workers' tools, said to the built-in brain in the demo house."""

from dataclasses import replace
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.brain.provider import StopReason
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.tools.calendar_read import SPEC as CALENDAR
from custom_components.caesar.legion.tools.web_search import SPEC as SEARCH
from custom_components.caesar.policy.loader import load_policy
from tests.fakes.tools import BUS

from .conftest import EVERYDAY
from .talk import Talk
from .test_sentences import TABLES, line_of

SAUNA = replace(
    BUS,
    name="sauna",
    input_schema={
        "type": "object",
        "properties": {"q": {"type": "string"}},
        "additionalProperties": False,
    },
)


def hostile(*sentences: str, language: str = "en") -> ToolSpec:
    """Return a tool that would like to hear these."""
    return replace(SAUNA, sentences={language: sentences})


@pytest.mark.parametrize(
    ("language", "said", "tool", "arguments"),
    [
        ("en", "When does bus 7 leave?", "bus_times", {"line": 7}),
        (
            "en",
            "when will the bus 12 leave from Market Square",
            "bus_times",
            {"line": 12, "stop": "Market Square"},
        ),
        ("en-GB", "please, the next bus 3", "bus_times", {"line": 3}),
        (
            "de",
            "Wann fährt der Bus 7 ab Markt?",
            "bus_times",
            {"line": 7, "stop": "Markt"},
        ),
        (
            "en",
            "search the web for the boiling point of ethanol",
            "web_search",
            {"query": "the boiling point of ethanol"},
        ),
        (
            "de",
            "Suche im Internet nach dem Siedepunkt von Ethanol.",
            "web_search",
            {"query": "dem Siedepunkt von Ethanol"},
        ),
        ("en", "what is on my calendar on friday", "calendar_read", {"day": "friday"}),
        (
            "de",
            "Was steht im Kalender am Freitag?",
            "calendar_read",
            {"day": "Freitag"},
        ),
    ],
)
async def test_a_tool_is_asked_by_its_sentence(
    talk: Talk, language: str, said: str, tool: str, arguments: dict[str, Any]
) -> None:
    """The wildcards become the tool's input, typed as its schema says."""
    talk.tools.change(BUS, CALENDAR, SEARCH)
    now = await talk.plan(said, language)
    assert [(r.name, r.arguments) for r in now.requests] == [(tool, arguments)]


@pytest.mark.parametrize(
    "said",
    [
        "when does bus seven leave",
        "when does bus 100 leave",
        "when does bus 7.5 leave",
        "when does bus 7 leave from <script>",
        "when does bus leave",
        "does bus 7 leave",
        "when does bus 7 leave" + " soon" * 60,
    ],
)
async def test_what_does_not_fit_the_schema_is_not_heard(talk: Talk, said: str) -> None:
    """Type, bounds and pattern decide; the next brain may understand it."""
    talk.tools.change(BUS)
    assert (await talk.plan(said, "en")).stop is StopReason.NOT_UNDERSTOOD


async def test_tools_come_and_go(talk: Talk) -> None:
    """What is heard follows the registry from one turn to the next."""
    said = "when does bus 7 leave"
    assert (await talk.plan(said, "en")).stop is StopReason.NOT_UNDERSTOOD
    talk.tools.change(BUS)
    assert (await talk.plan(said, "en")).stop is StopReason.TOOL_USE
    talk.tools.change(replace(BUS, sentences={"en": ("is bus {line} late today",)}))
    assert (await talk.plan(said, "en")).stop is StopReason.NOT_UNDERSTOOD
    assert (await talk.plan("is bus 7 late today", "en")).stop is StopReason.TOOL_USE
    talk.tools.change()
    now = await talk.plan("is bus 7 late today", "en")
    assert now.stop is StopReason.NOT_UNDERSTOOD


@pytest.mark.parametrize("language", ["en", "de"])
async def test_no_tool_takes_a_sentence_of_the_house(
    hass: HomeAssistant, talk: Talk, language: str
) -> None:
    """With greedy tools and ours, each everyday sentence asks for what it did before."""
    greedy = hostile(
        "{q}",
        "turn on {q}",
        "turn on the {q}",
        "unlock the {q} door",
        "what is {q}",
        "schalte das {q} ein",
        "mach das {q} aus",
        language=language,
    )
    talk.tools.change(greedy, BUS, CALENDAR, SEARCH)
    talk.policy = load_policy("version: 1\nallowed_tools: []\n")
    wrong = []
    for said, wanted in TABLES[language]:
        now = await talk.plan(said, language)
        asked = "; ".join(map(line_of, now.requests))
        if asked != wanted and not asked.startswith("web_search"):
            wrong.append(f"{said}\n  {asked}\n  {wanted}")
    assert not wrong, "\n".join(wrong)


async def test_a_tool_has_nothing_of_what_is_not_shared(talk: Talk) -> None:
    """The refusal of a thing that isn't shared with Assist stays the gate's."""
    talk.tools.change(hostile("unlock the cellar {q}", "unlock cellar {q}"))
    [request] = (await talk.plan("unlock the cellar door", "en")).requests
    assert line_of(request) == "lock.unlock lock.cellar_door"


async def test_the_most_fixed_words_win(talk: Talk) -> None:
    """Two tools that hear a sentence: the one that says more of it has it."""
    vague = hostile("when does {q} leave", "when does the {q} leave")
    talk.tools.change(vague, BUS)
    [request] = (await talk.plan("when does the bus 7 leave", "en")).requests
    assert request.name == "bus_times"
    [request] = (await talk.plan("when does the ferry leave", "en")).requests
    assert request.name == "sauna"


async def test_an_unlisted_tool_says_what_to_add(talk: Talk) -> None:
    """Adding a tool is a worker and a policy line: the first call tells the line."""
    talk.tools.change(BUS)
    turn = talk.turn("en")
    assert BUS in talk.gate.offered(turn)
    heard = await talk.say("when does bus 7 leave", "en", is_admin=True)
    assert "bus_times" in heard.text
    assert "allowed_tools" in heard.text
    assert not talk.tools.calls
    text = await talk.hass.async_add_executor_job(EVERYDAY.read_text)
    talk.policy = load_policy(
        text.replace("allowed_tools:\n", "allowed_tools:\n  - bus_times\n")
    )
    talk.tools.answers["bus_times"] = {"say": "Bus 7 leaves at 10:04."}
    heard = await talk.say("when does bus 7 leave", "en")
    assert heard.text == "Bus 7 leaves at 10:04."
    assert heard.outcomes[0].facts == {"worker": "fake", "task_id": "task-1"}
