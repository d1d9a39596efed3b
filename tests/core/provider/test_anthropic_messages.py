"""Histories as they really are: cut, interrupted, by other brains; never refused."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Message,
    SystemBlock,
    ToolResultMessage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.providers.anthropic_messages import (
    build_messages,
    build_system,
    tool_result_block,
)
from custom_components.caesar.providers.anthropic_tools import build_tools
from custom_components.caesar.providers.tool_offer import wire_name
from custom_components.caesar.providers.wire import parse_arguments
from custom_components.caesar.turn import ToolError, ToolOutcome, ToolRequest
from tests.fakes.messages_api import KEY, MODEL
from tests.fakes.messages_rules import refusal

from .rounds import spec

HELLO = UserMessage(text="Hello")
CALL = ToolRequest(id="toolu_1", name="get_state", arguments={"a": 1})
DONE = ToolResultMessage(outcome=ToolOutcome(request_id="toolu_1", tool="get_state"))
THOUGHT = {"type": "thinking", "thinking": "Hm", "signature": "c2ln"}
LOST = (
    '{"code":"interrupted","error":"There is no record of what came of this call."'
    ',"retryable":false}'
)


def text(words: str) -> dict[str, str]:
    """Return a block of text."""
    return {"type": "text", "text": words}


def thought(*blocks: Mapping[str, Any], by: str = MODEL) -> VendorBlock:
    """Return what a provider keeps of an answer with thinking."""
    return VendorBlock(provider="anthropic", data={"model": by, "blocks": blocks})


def result(content: str, *, is_error: bool, call: str = "toolu_1") -> dict[str, Any]:
    """Return a block with a result."""
    return {
        "type": "tool_result",
        "tool_use_id": call,
        "content": content,
        "is_error": is_error,
    }


def accepted(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether the API would take these."""
    body = {"model": MODEL, "max_tokens": 1, "messages": messages}
    headers = {"anthropic-version": "2023-06-01", "x-api-key": KEY}
    return refusal(headers, body, MODEL) is None


def test_result_comes_before_what_was_said_next() -> None:
    """Results lead, whatever the order in which they became known."""
    asked = AssistantMessage(text="Let me see.", requests=(CALL,))
    messages = build_messages((HELLO, asked, UserMessage(text="And?"), DONE))
    assert messages == [
        {"role": "user", "content": [text("Hello")]},
        {
            "role": "assistant",
            "content": [
                text("Let me see."),
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "get_state",
                    "input": {"a": 1},
                },
            ],
        },
        {"role": "user", "content": [result("null", is_error=False), text("And?")]},
    ]


def test_call_without_a_result_is_told_as_lost() -> None:
    """A turn that was cut off doesn't spoil the whole session."""
    messages = build_messages(
        (HELLO, AssistantMessage(requests=(CALL,)), UserMessage(text="And?"))
    )
    assert messages[2]["content"] == [result(LOST, is_error=True), text("And?")]
    last = build_messages((HELLO, AssistantMessage(requests=(CALL,))))
    assert last[2]["content"] == [result(LOST, is_error=True)]


def test_result_without_a_call_is_left_out() -> None:
    """A history that begins in the middle has results of nothing."""
    assert build_messages((DONE, HELLO)) == [
        {"role": "user", "content": [text("Hello")]}
    ]
    assert build_messages((AssistantMessage(text="Hi", requests=(CALL,)), DONE)) == []


def test_nothing_empty_is_sent() -> None:
    """Empty words and empty answers are left out."""
    messages = build_messages(
        (HELLO, AssistantMessage(text="\n"), UserMessage(text=" "), HELLO)
    )
    assert [message["role"] for message in messages] == ["user", "user"]
    assert accepted(messages)


def test_answers_in_a_row_are_one() -> None:
    """Two answers with nothing between them become one message."""
    said = AssistantMessage(text="One."), AssistantMessage(text="Two.")
    assert build_messages((HELLO, *said))[1:] == [
        {"role": "assistant", "content": [text("One."), text("Two.")]}
    ]


def test_malformed_call_stays_readable() -> None:
    """The model sees what it wrote, not an empty object."""
    call = ToolRequest(id="toolu_1", name="get_state", arguments=None, raw='{"a": [')
    (_, answer, _) = build_messages((HELLO, AssistantMessage(requests=(call,)), DONE))
    assert answer["content"][0]["input"] == {"INVALID_JSON": '{"a": ['}


def test_another_brains_ids_are_made_fit() -> None:
    """An id that the API would refuse is the same on the call and on its result."""
    call = ToolRequest(id="builtin:1", name="light.turn_on", arguments={})
    done = ToolResultMessage(outcome=ToolOutcome(request_id="builtin:1", tool="x"))
    messages = build_messages((HELLO, AssistantMessage(requests=(call,)), done))
    block = messages[1]["content"][0]
    assert block["name"] == wire_name("light.turn_on")
    assert messages[2]["content"][0]["tool_use_id"] == block["id"]
    assert accepted(messages)


@pytest.mark.parametrize(
    "vendor",
    [
        VendorBlock(provider="other", data=({"type": "text", "text": "Hi"},)),
        VendorBlock(provider="anthropic", data="no blocks"),
        thought({"type": "text", "text": "Secret"}),
        thought({"type": "thinking"}),
        thought(THOUGHT, text("Hi"), by="claude-of-another-kind"),
    ],
)
def test_kept_blocks_that_do_not_fit_are_ignored(vendor: VendorBlock) -> None:
    """Neither words that were taken out come back, nor another model's thinking."""
    answer = AssistantMessage(text="Hi", vendor=(vendor,))
    assert build_messages((HELLO, answer), MODEL)[1]["content"] == [text("Hi")]


def test_thinking_that_was_switched_off_stays_away() -> None:
    """A model that thinks no more doesn't get back what it once thought."""
    answer = AssistantMessage(text="Hi", vendor=(thought(THOUGHT, text("Hi")),))
    assert build_messages((HELLO, answer))[1]["content"] == [text("Hi")]
    kept = build_messages((HELLO, answer), MODEL)[1]["content"]
    assert kept == [THOUGHT, text("Hi")]


def test_calls_that_were_dropped_stay_dropped() -> None:
    """Of a kept answer only those calls go back that have a result."""
    calls = [{"type": "tool_use", "id": call_id} for call_id in ("toolu_1", "x")]
    answer = AssistantMessage(requests=(CALL,), vendor=(thought(THOUGHT, *calls),))
    blocks = build_messages((HELLO, answer, DONE), MODEL)[1]["content"]
    assert [block["type"] for block in blocks] == ["thinking", "tool_use"]
    assert blocks[0] == THOUGHT


@pytest.mark.parametrize(
    ("data", "content"),
    [
        (None, "null"),
        ("Grüße", '"Grüße"'),
        ({"b": 1, "a": (1, 2)}, '{"a":[1,2],"b":1}'),
        (
            MappingProxyType({"a": MappingProxyType({"b": range(2)})}),
            '{"a":{"b":[0,1]}}',
        ),
        ({"broken": "\ud800"}, '{"broken":"?"}'),
    ],
)
def test_result_data(data: Json, content: str) -> None:
    """Data goes as JSON that is the same each time."""
    outcome = ToolOutcome(request_id="toolu_1", tool="x", data=data)
    assert tool_result_block(outcome.request_id, outcome) == result(
        content, is_error=False
    )


@pytest.mark.parametrize(
    ("error", "content"),
    [
        (
            ToolError(code=Code.NOT_LISTED, message="Not on the allow-list."),
            '{"code":"not_listed","error":"Not on the allow-list.","retryable":false}',
        ),
        (
            ToolError(
                code=Code.RATE_LIMITED, message="Wait.", retryable=True, retry_after=2.5
            ),
            '{"code":"rate_limited","error":"Wait.","retry_after":2.5,"retryable":true}',
        ),
    ],
)
def test_result_error(error: ToolError, content: str) -> None:
    """An error says what, and whether another try makes sense; never the data."""
    outcome = ToolOutcome(request_id="toolu_1", tool="x", data={"a": 1}, error=error)
    assert tool_result_block(outcome.request_id, outcome) == result(
        content, is_error=True
    )


def test_only_what_is_stable_at_the_start_is_cached() -> None:
    """A changing block ends the cached part, also for stable ones after it."""
    blocks = [
        SystemBlock(text="a"),
        SystemBlock(text=" "),
        SystemBlock(text="b"),
        SystemBlock(text="c", stable=False),
        SystemBlock(text="d"),
    ]
    cached = [b["text"] for b in build_system(blocks) if "cache_control" in b]
    assert cached == ["b"]
    assert build_system([SystemBlock(text="c", stable=False)]) == [text("c")]
    assert build_system([]) == []


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ([], "its schema isn't of type object"),
        ({"type": "array"}, "its schema isn't of type object"),
        ({"properties": []}, "its properties aren't an object"),
        (
            {"properties": {"größe": {}}},
            "the model can't use the property name 'größe'",
        ),
        ({"default": float("nan")}, "Out of range float values are not JSON compliant"),
        ({"default": {1, 2}}, "set isn't JSON"),
    ],
)
def test_unusable_schemas(schema: Any, problem: str) -> None:
    """Each kind of schema that the API refuses is told by what is wrong with it."""
    bad, good = spec("bad", x=1), spec("good")
    object.__setattr__(bad, "input_schema", schema)
    tools = build_tools((bad, good), {})
    assert [tool["name"] for tool in tools.wire] == ["good"]
    assert list(tools.dropped) == ["bad"]
    assert tools.dropped["bad"].startswith(problem)


def test_schema_without_what_the_api_refuses() -> None:
    """Alternatives at the top go into words, those below stay, and the type is there."""
    inner = {"properties": {"a": {"anyOf": [{"type": "string"}]}}}
    tool = spec("x", **inner, anyOf=[{"required": ["a"]}])
    (wire,) = build_tools((tool,), {}).wire
    assert wire["input_schema"] == {**inner, "type": "object"}
    assert wire["description"] == 'Does x. JSON Schema: {"anyOf":[{"required":["a"]}]}'
    wide = spec("x", **inner, anyOf=[{"required": [f"a{n}"]} for n in range(50)])
    (wire,) = build_tools((wide,), {}).wire
    assert wire["description"] == "Does x."


def test_two_tools_of_one_name() -> None:
    """A second tool of the same name on the wire is left out, not the turn."""
    dotted = spec("a.b")
    same = spec(wire_name("a.b"))
    tools = build_tools((same, dotted), {})
    assert len(tools.wire) == 1
    assert len(tools.dropped) == 1


@given(name=st.text(max_size=200), other=st.text(max_size=200))
def test_wire_names(name: str, other: str) -> None:
    """Every name becomes one that the API takes, and two names stay two."""
    schema = {"type": "object"}
    body = {
        "model": MODEL,
        "max_tokens": 1,
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"name": wire_name(name), "input_schema": schema}],
    }
    assert refusal({"anthropic-version": "2023-06-01"}, body, MODEL) is None
    assert (wire_name(name) == wire_name(other)) == (name == other)


def test_wire_name_of_a_long_name() -> None:
    """55 characters, an underscore and 8 digits; 64 are left alone."""
    assert wire_name("a" * 64) == "a" * 64
    assert wire_name("a" * 65) == f"{'a' * 55}_635361c4"


_calls = st.builds(
    ToolRequest,
    id=st.sampled_from(["toolu_1", "toolu_2", "builtin:3", ""]),
    name=st.text(max_size=5),
    arguments=st.none() | st.just({}),
)
_messages: st.SearchStrategy[Message] = st.one_of(
    st.builds(UserMessage, text=st.sampled_from(["", " ", "Hello", "\ud800"])),
    st.builds(
        AssistantMessage,
        text=st.sampled_from(["", "\n", "Hi"]),
        requests=st.lists(_calls, max_size=2).map(tuple),
    ),
    st.builds(
        ToolResultMessage,
        outcome=st.builds(
            ToolOutcome,
            request_id=st.sampled_from(["toolu_1", "toolu_2", "builtin:3", ""]),
            tool=st.just("x"),
        ),
    ),
)


@given(history=st.lists(_messages, max_size=8).map(tuple))
def test_any_history_is_accepted(history: tuple[Message, ...]) -> None:
    """Whatever a history looks like, the API takes it once somebody has spoken."""
    messages = build_messages((*history, HELLO))
    assert accepted(messages)
    assert messages[-1]["content"][-1] == text("Hello")


@pytest.mark.parametrize("raw", ["", "{", "[]", "1", '{"a": NaN}', '{"a": Infinity}'])
def test_what_are_no_arguments(raw: str) -> None:
    """Only a JSON object is arguments."""
    assert parse_arguments(raw) is None


def test_arguments_without_a_bottom() -> None:
    """A nesting that no parser follows is malformed, and kills nothing."""
    assert parse_arguments('{"a":' * 200_000) is None
