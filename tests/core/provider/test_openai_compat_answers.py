"""Calls and answers as servers of the Chat Completions API send them."""

from typing import Any

import httpx
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    ErrorKind,
    ProviderEvent,
    StopReason,
    Usage,
    UserMessage,
)
from custom_components.caesar.turn import ToolRequest
from tests.fakes.chat_completions_api import MODEL
from tests.fakes.messages_script import Answer, Text

from .chat import TOOLS, call, failed, pieces
from .contract import ChatServer
from .rounds import calls_of, request, run


@pytest.mark.parametrize(
    ("deltas", "wanted"),
    [
        # Whole calls, all at index 0 (Ollama's and Gemini's compatible servers).
        (
            [
                call(0, id="a", name="get_state", arguments='{"n":1}'),
                call(0, id="b", name="list_areas", arguments="{}"),
            ],
            [("get_state", {"n": 1}), ("list_areas", {})],
        ),
        # No index at all.
        (
            [
                call(None, id="a", name="get_state", arguments='{"n":'),
                call(None, arguments="1}"),
                call(None, name="get_state", arguments='{"n":2}'),
            ],
            [("get_state", {"n": 1}), ("get_state", {"n": 2})],
        ),
        # Pieces of two calls in turns, the name said again, the id only later.
        (
            [
                call(0, name="get_state"),
                call(1, id="b", name="list_areas"),
                call(0, id="a", name="get_state", arguments='{"n":'),
                call(1, arguments="{"),
                call(0, arguments="1}"),
                call(1, arguments="}"),
            ],
            [("get_state", {"n": 1}), ("list_areas", {})],
        ),
        # Arguments as an object, no id.
        ([call(0, name="get_state", arguments={"n": 1})], [("get_state", {"n": 1})]),
        # No arguments, as nothing and as blanks.
        ([call(0, id="a", name="get_state")], [("get_state", {})]),
        ([call(0, id="a", name="get_state", arguments=" ")], [("get_state", {})]),
        # Malformed ones are never taken for none.
        ([call(0, name="get_state", arguments='{"n":')], [("get_state", None)]),
        ([call(0, name="get_state", arguments='["a"]')], [("get_state", None)]),
        ([call(0, name="get_state", arguments='{"n":NaN}')], [("get_state", None)]),
    ],
)
async def test_calls_of_all_servers(
    chat: ChatServer, http: httpx.AsyncClient, deltas: Any, wanted: Any
) -> None:
    """However a server splits its calls, each comes whole, with an id of its own."""
    chat.answers(Answer(blocks=pieces(*deltas), stop="stop"))
    events = await run(chat.provider(http), request(tools=TOOLS))
    calls = calls_of(events)
    assert [(one.name, one.arguments) for one in calls] == wanted
    assert len({one.id for one in calls} | {""}) == len(wanted) + 1
    assert isinstance(events[-1], Completed)
    assert events[-1].stop is StopReason.TOOL_USE


async def test_ids_are_never_given_twice(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """An id that an earlier call has, or the one before, is replaced."""
    used = ToolRequest(id="call_0", name="get_state", arguments={})
    chat.answers(
        Answer(
            blocks=pieces(
                call(0, id="call_0", name="get_state"),
                call(1, id="call_x", name="get_state"),
                call(2, id="call_x", name="list_areas"),
            )
        )
    )
    round_ = request(
        UserMessage(text="?"), AssistantMessage(requests=(used,)), tools=TOOLS
    )
    ids = [one.id for one in calls_of(await run(chat.provider(http), round_))]
    assert ids[1] == "call_x"
    assert len({*ids, "call_0"}) == 4


async def test_call_cut_by_the_length_has_no_arguments(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """A call whose arguments never came isn't one without arguments."""
    chat.answers(Answer(blocks=pieces(call(0, name="get_state")), stop="length"))
    events = await run(chat.provider(http), request(tools=TOOLS))
    assert [one.arguments for one in calls_of(events)] == [None]
    assert isinstance(events[-1], Completed)
    assert events[-1].stop is StopReason.MAX_TOKENS


async def test_endless_arguments(chat: ChatServer, http: httpx.AsyncClient) -> None:
    """Arguments that come as objects count as those that come as text."""
    piece = call(0, name="get_state", arguments={"x": "x" * 20_000})
    chat.answers(Answer(blocks=pieces(*[piece] * 15)))
    assert str(await failed(chat, http, tools=True)) == "The answer is endless"


async def test_filtered_answer_calls_nothing(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """Neither a filter's end nor a refusal lets a call through."""
    refusal = {"refusal": "I can't."}
    made = call(0, name="get_state", arguments="{}")
    chat.answers(
        Answer(blocks=pieces(made), stop="content_filter"),
        Answer(blocks=pieces(made, refusal), stop="tool_calls"),
    )
    for _ in range(2):
        events = await run(chat.provider(http), request(tools=TOOLS))
        assert [type(one) for one in events] == [Completed]
        assert isinstance(events[0], Completed)
        assert events[0].stop is StopReason.REFUSAL


@pytest.mark.parametrize(
    "delta",
    [
        {"audio": {"id": "a"}},
        {"images": [{"image_url": {"url": "https://a.test/x.png"}}]},
        {"function_call": {"name": "get_state", "arguments": "{}"}},
        call(0, name="x", type="custom"),
    ],
)
async def test_what_nobody_asked_for(
    chat: ChatServer, http: httpx.AsyncClient, delta: dict[str, Any]
) -> None:
    """Sound, pictures and foreign kinds of calls fail the round."""
    chat.answers(Answer(blocks=pieces(delta)))
    assert (await failed(chat, http, tools=True)).kind is ErrorKind.REJECTED


@pytest.mark.parametrize(
    "delta",
    [
        "text",
        {"content": ["a"]},
        {"content": 3},
        {"tool_calls": {"0": {}}},
        {"tool_calls": ["get_state"]},
        {"tool_calls": [{"index": 0, "function": "get_state"}]},
        call(0, name=["get_state"]),
        call(0, arguments="{}"),
        call(0, name="get_state", arguments=["a"]),
        {
            "tool_calls": [
                *call(0, name="a")["tool_calls"],
                *call(0, name="b")["tool_calls"],
            ]
        },
        {"content": "x" * 1_000_001},
    ],
)
async def test_answers_in_no_known_shape(
    chat: ChatServer, http: httpx.AsyncClient, delta: Any
) -> None:
    """What can't be read fails the round, with no call given out."""
    chat.answers(Answer(blocks=pieces(delta), stop="stop"))
    seen: list[ProviderEvent] = []
    error = await failed(chat, http, tools=True, seen=seen)
    assert error.kind is ErrorKind.CUT
    assert calls_of(seen) == []


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [
        (
            {
                "prompt_tokens": 100,
                "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 64},
            },
            Usage(input_tokens=36, output_tokens=7, cache_read_tokens=64),
        ),
        (
            {
                "prompt_tokens": -5,
                "completion_tokens": "many",
                "prompt_tokens_details": {"cached_tokens": 9},
            },
            Usage(),
        ),
        ({"prompt_tokens_details": None}, Usage(input_tokens=10, output_tokens=5)),
    ],
)
async def test_usage(
    chat: ChatServer, http: httpx.AsyncClient, usage: Any, wanted: Usage
) -> None:
    """Cached tokens are counted once; no server can make a count go down."""
    chat.answers(Answer(blocks=[Text(text="Hi")], usage=usage))
    *_, end = await run(chat.provider(http))
    assert end == Completed(stop=StopReason.END, usage=wanted, model=MODEL)
