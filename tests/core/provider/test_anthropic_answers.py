"""What the model says: text, calls, thinking, reasons to stop."""

import asyncio
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any

import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolResultMessage,
    Usage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.providers.anthropic_stream import StreamReader
from custom_components.caesar.providers.thinking import Think
from custom_components.caesar.turn import ToolOutcome, ToolRequest
from tests.fakes.messages_api import MODEL, FakeMessagesApi
from tests.fakes.messages_script import Answer, Block, Failure, Other, Text, ToolUse

from .rounds import MakeProvider, answers, fail, request, run, spec


async def test_text_comes_in_pieces(api: FakeMessagesApi, make: MakeProvider) -> None:
    """Each piece is passed on as it arrives; the end holds the tokens."""
    answers(
        api,
        Answer(
            blocks=[Text(text="Good evening, all.")],
            usage={
                "input_tokens": 7,
                "output_tokens": 11,
                "cache_read_input_tokens": 2048,
                "cache_creation_input_tokens": 33,
            },
        ),
    )
    assert await run(make()) == [
        TextDelta(text="Good "),
        TextDelta(text="evening, "),
        TextDelta(text="all."),
        Completed(
            stop=StopReason.END,
            usage=Usage(
                input_tokens=7,
                output_tokens=11,
                cache_read_tokens=2048,
                cache_write_tokens=33,
            ),
            model=MODEL,
        ),
    ]


async def test_text_is_passed_on_before_the_answer_ends(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """The first words are there while the model still writes."""
    gate = asyncio.Event()
    # Start, ping, block and the first word have been sent.
    answers(api, Answer(blocks=[Text(text="Good evening")], gate=gate, gate_at=4))
    async with aclosing(make().stream(request())) as events:
        assert await anext(events) == TextDelta(text="Good ")
        gate.set()
        assert [event async for event in events][0] == TextDelta(text="evening")


async def test_calls_come_whole_and_in_order(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """Two calls at once keep their order; their arguments are whole."""
    answers(
        api,
        Answer(
            blocks=[
                Text(text="One moment."),
                ToolUse(id="toolu_a", name="get_state", input={"entity_id": ["x.y"]}),
                ToolUse(id="toolu_b", name="list_areas", raw=""),
            ]
        ),
    )
    tools = (spec("get_state"), spec("list_areas"))
    *_, first, second, end = await run(make(), request(tools=tools))
    assert first == ToolRequest(
        id="toolu_a",
        name="get_state",
        arguments={"entity_id": ["x.y"]},
        raw='{"entity_id": ["x.y"]}',
    )
    assert second == ToolRequest(id="toolu_b", name="list_areas", arguments={})
    assert isinstance(end, Completed)
    assert end.stop is StopReason.TOOL_USE


@pytest.mark.parametrize(
    "raw",
    [
        '{"entity_id": [',
        '["lock.front_door"]',
        '"lock.front_door"',
        '{"level": NaN}',
    ],
)
async def test_malformed_arguments_are_none(
    api: FakeMessagesApi, make: MakeProvider, raw: str
) -> None:
    """What is no JSON object is never taken for an empty one."""
    answers(api, Answer(blocks=[ToolUse(name="get_state", raw=raw)]))
    events = await run(make(), request(tools=(spec("get_state"),)))
    (call,) = [event for event in events if isinstance(event, ToolRequest)]
    assert call.arguments is None
    assert call.raw == raw


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", StopReason.END),
        ("stop_sequence", StopReason.END),
        ("tool_use", StopReason.TOOL_USE),
        ("max_tokens", StopReason.MAX_TOKENS),
        ("model_context_window_exceeded", StopReason.MAX_TOKENS),
        ("pause_turn", StopReason.MAX_TOKENS),
        ("refusal", StopReason.REFUSAL),
    ],
)
async def test_stop_reasons(
    api: FakeMessagesApi, make: MakeProvider, reason: str, stop: StopReason
) -> None:
    """Each reason to stop has its own meaning."""
    answers(api, Answer(blocks=[Text(text="Well")], stop=reason))
    *_, end = await run(make())
    assert isinstance(end, Completed)
    assert end.stop is stop


async def test_unknown_stop_reason_is_an_error(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """A reason that nobody knows isn't taken for a success."""
    answers(api, Answer(blocks=[Text(text="Well")], stop="quantum"))
    assert (await fail(make())).kind is ErrorKind.REJECTED


@pytest.mark.parametrize(
    "block",
    [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        {"type": "web_fetch_tool_result", "tool_use_id": "s1", "content": {}},
        {"type": "code_execution_tool_result", "tool_use_id": "s1", "content": {}},
        {"type": "mcp_tool_use", "id": "m1", "name": "x", "server_name": "y"},
        {"type": "mcp_tool_result", "tool_use_id": "m1", "content": []},
        {"type": "container_upload", "file_id": "f1"},
        {"type": "something_new"},
        {
            "type": "tool_use",
            "id": "t1",
            "name": "get_state",
            "input": {},
            "caller": {"type": "code_execution_20250825", "tool_id": "s1"},
        },
    ],
)
async def test_tools_at_the_vendor_end_the_turn(
    api: FakeMessagesApi, make: MakeProvider, block: dict[str, Any]
) -> None:
    """What passed no gate fails the round, with no call given out after it."""
    answers(api, Answer(blocks=[Other(block=block), ToolUse(name="get_state")]))
    seen: list[ProviderEvent] = []
    assert (await fail(make(), seen)).kind is ErrorKind.REJECTED
    assert seen == []


THINKING: list[Block] = [
    Other(
        block={"type": "thinking", "thinking": "", "signature": ""},
        deltas=[
            {"type": "thinking_delta", "thinking": "The light "},
            {"type": "thinking_delta", "thinking": "is meant."},
            {"type": "signature_delta", "signature": "c2ln"},
        ],
    ),
    Other(block={"type": "redacted_thinking", "data": "ZW5j"}),
    ToolUse(id="toolu_1", name="get_state"),
    Other(
        block={"type": "thinking", "thinking": "", "signature": ""},
        deltas=[{"type": "signature_delta", "signature": "Mg=="}],
    ),
    ToolUse(id="toolu_2", name="get_state"),
]


async def test_thinking_goes_back_untouched(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """Thinking between calls returns signed, whole and in its place."""
    answers(api, Answer(blocks=THINKING), Answer(blocks=[Text(text="It is on.")]))
    provider = make(think=Think.LOW)
    tools = (spec("get_state"),)
    events = await run(provider, request(tools=tools))
    assert events[:2] == [
        ThinkingDelta(text="The light "),
        ThinkingDelta(text="is meant."),
    ]
    calls = tuple(event for event in events if isinstance(event, ToolRequest))
    vendor = tuple(event for event in events if isinstance(event, VendorBlock))
    await run(
        provider,
        request(
            UserMessage(text="Is it on?"),
            AssistantMessage(requests=calls, vendor=vendor),
            *(
                ToolResultMessage(
                    outcome=ToolOutcome(request_id=call.id, tool="get_state")
                )
                for call in calls
            ),
            tools=tools,
        ),
    )
    call = {"type": "tool_use", "name": "get_state", "input": {}}
    assert api.rounds[1]["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "The light is meant.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZW5j"},
        {**call, "id": "toolu_1"},
        {"type": "thinking", "thinking": "", "signature": "Mg=="},
        {**call, "id": "toolu_2"},
    ]


async def test_model_that_must_think(api: FakeMessagesApi, make: MakeProvider) -> None:
    """A model that refuses to have its thinking off is asked again, and once only."""
    refused = Failure(
        status=400,
        type="invalid_request_error",
        message='"thinking.type.disabled" is not supported for this model.',
    )
    answers(api, refused, Answer(), Answer(), refused)
    provider = make()
    await run(provider)
    await run(provider)
    assert (await fail(provider)).param == "thinking.type.disabled"
    assert [body["thinking"]["type"] for body in api.rounds] == [
        "disabled",
        "adaptive",
        "adaptive",
        "adaptive",
    ]


async def test_pieces_without_a_meaning_are_passed_over(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """Citations, empty pieces and text that is there at once spoil nothing."""
    block = Other(
        block={"type": "text", "text": "Well. "},
        deltas=[
            {"type": "text_delta", "text": ""},
            {"type": "citations_delta", "citation": {"type": "char_location"}},
            {"type": "text_delta", "text": "Good."},
        ],
    )
    whole = Other(
        block={"type": "tool_use", "id": "a", "name": "x", "input": {"at": 1}}
    )
    answers(api, Answer(blocks=[block, whole], stop="tool_use"))
    first, second, call, _ = await run(make(), request(system=()))
    assert (first, second) == (TextDelta(text="Well. "), TextDelta(text="Good."))
    assert call == ToolRequest(id="a", name="x", arguments={"at": 1})
    assert "system" not in api.rounds[0]


def test_piece_without_its_block() -> None:
    """A stream that lost a block's beginning is a broken one."""
    reader = StreamReader({}, "claude")
    delta = SimpleNamespace(type="text_delta", text="Hi")
    event = SimpleNamespace(type="content_block_delta", index=3, delta=delta)
    with pytest.raises(ProviderError) as raised:
        list(reader.feed(event))
    assert raised.value.kind is ErrorKind.CUT
    assert list(reader.feed(SimpleNamespace(type="something_new"))) == []
