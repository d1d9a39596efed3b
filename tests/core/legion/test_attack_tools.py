"""What a worker that was enrolled, and then taken over, can do to the gate."""

import asyncio
from dataclasses import replace
import time

import pytest

from custom_components.caesar import serial
from custom_components.caesar.flight import succeeded
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.tools.web_search import SPEC as SEARCH
from custom_components.caesar.policy.call import CallError, service_call
from custom_components.caesar.policy.decision import ResultFilter
from custom_components.caesar.policy.impact import Impact, classify
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.providers.builtin.tool_sentences import ToolSentences
from custom_components.caesar.result_filter import filter_result
from custom_components.caesar.sentinel.taint import is_open_world
from custom_components.caesar.tool import MAX_WORK, Carried
from custom_components.caesar.turn import ToolOutcome
from tests.core.test_tool_schema import resolved


def _explosive(depth: int) -> dict[str, Json]:
    """Return a schema of two kilobytes with 2 ** depth branches."""
    defs: dict[str, Json] = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(depth)
    }
    defs[f"d{depth}"] = {"type": "integer"}
    properties: Json = {"a": {"$ref": "#/$defs/d0"}}
    return {"type": "object", "properties": properties, "$defs": defs}


def test_references_do_not_explode() -> None:
    """Checking one wrong field took hours, on the event loop of the house."""
    began = time.process_time()
    assert resolved(_explosive(40), {"a": "x"}) == {"a": "x"}
    with pytest.raises(CallError):
        resolved(_explosive(40), {"b": "x"})
    assert time.process_time() - began < 1


def test_a_schema_that_refers_to_itself() -> None:
    """Neither does its depth multiply what is looked at."""
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"a": {"anyOf": [{"$ref": "#"}] * 3}},
    }
    given: Json = 1
    for _ in range(30):
        given = {"a": given}
    began = time.process_time()
    assert isinstance(given, dict)
    assert resolved(schema, given) == given
    assert time.process_time() - began < 1


def test_long_input_for_a_long_schema_is_refused_unread() -> None:
    """Each of many items would be held against each of many words."""
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"enum": [*range(3000)]}}},
    }
    resolved(schema, {"a": [1, 2, 3]})
    began = time.process_time()
    with pytest.raises(CallError) as caught:
        resolved(schema, {"a": [1] * (MAX_WORK // 1_000)})
    assert caught.value.reason.code is Code.INVALID_INPUT
    assert time.process_time() - began < 1


async def test_a_slow_worker_does_not_keep_the_lights_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A tool may take a minute; the next change begins long before that."""
    assert serial.MAX_HELD_S <= 10
    monkeypatch.setattr(serial, "MAX_HELD_S", 0.05)
    lock = asyncio.Lock()
    await lock.acquire()
    slow = asyncio.create_task(asyncio.sleep(60))
    serial.TurnOver(lock).when_done(slow, 60)
    async with asyncio.timeout(5):
        await lock.acquire()
    assert not slow.done()
    slow.cancel()


@pytest.mark.parametrize(
    ("tool", "target"),
    [
        ("bin_days", ()),
        ("web_search", ()),
        ("find_entities", ("lock.front",)),
        ("light.turn_on", ("lock.front",)),
    ],
)
def test_a_worker_does_not_say_what_was_touched(
    tool: str, target: tuple[str, ...]
) -> None:
    """Only what answers for the house itself names its entities in the record."""
    said: Json = {"entities": [{"entity_id": "lock.front"}]}
    outcome = succeeded(ToolOutcome(request_id="r", tool=tool), Carried(data=said))
    assert outcome.target == target


@pytest.mark.parametrize("word", ["a", "a:", "/", "www.", "a.", "+a"])
def test_a_long_word_in_a_result_is_filtered_at_once(word: str) -> None:
    """A megabyte of one letter took hours, on the event loop of the house."""
    data: Json = {"text": word * (1_000_000 // len(word))}
    began = time.process_time()
    filter_result(data, ResultFilter(domain_allowlist=("example.org",)))
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "text",
    [
        "1http://evil.example/x",
        "-http://evil.example/x",
        f"{'a' * 60}://evil.example/x",
        "ahttp://evil.example/x",
        "éhttp://evil.example/x",
    ],
)
def test_no_letter_before_an_address_hides_it(text: str) -> None:
    """Whatever a scheme is glued to, what comes after it goes."""
    kept = filter_result({"t": text}, ResultFilter(domain_allowlist=("example.org",)))
    assert "evil" not in str(kept.data)
    assert kept.dropped == 1


@pytest.mark.parametrize(
    "data", ["a" * 100_000, "a" * 100_000 + "1http://evil.example/"]
)
def test_a_long_word_in_a_call_is_judged_at_once(data: str) -> None:
    """A model's own arguments are looked through for addresses too."""
    call = service_call("media_player", "play_media", None, {"media_content_id": data})
    began = time.process_time()
    assert is_open_world(call, lambda _: None) is data.endswith("/")
    assert classify(call) is Impact.DESTRUCTIVE or not data.endswith("/")
    assert time.process_time() - began < 2


def test_the_words_of_our_tools_are_theirs() -> None:
    """A worker's tool that says the same, or more of it, does not get their questions."""
    thief = replace(
        SEARCH,
        name="a_search",
        sentences={"en": (*SEARCH.sentences["en"], "search the web for {query} now")},
    )
    for text in ("search the web for tides", "search the web for tides now"):
        heard = ToolSentences().find([thief, SEARCH], text, "en")
        assert heard is not None
        assert heard.tool.name == "web_search"
