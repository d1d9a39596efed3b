"""What is sent to Ollama: the first request, tools, the conversation, the settings."""

import json
from types import ModuleType
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
import ollama
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    ErrorKind,
    Message,
    ProviderError,
    SystemBlock,
    ToolChoice,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.providers.ollama import OllamaSettings, build_client
from custom_components.caesar.providers.ollama_messages import build_messages
from custom_components.caesar.providers.ollama_tools import build_tools
from custom_components.caesar.turn import ToolError, ToolOutcome, ToolRequest
from tests.fakes.messages_script import Answer, Failure, Steps, Text
from tests.fakes.ollama_api import FakeOllama
from tests.fakes.ollama_rules import Model, refusal

from .conftest import MakeOllama
from .rounds import request, run, spec


async def test_settings_are_sent(server: FakeOllama, make_ollama: MakeOllama) -> None:
    """What the server should decide isn't sent at all."""
    server.script = Steps(*[Answer(blocks=[Text(text="Hello.")])] * 2)
    await run(make_ollama(keep_alive=90, num_ctx=16384, think="low"))
    left = make_ollama(num_ctx=None, think=None, keep_alive=0)
    await run(left, request(max_tokens=77))
    first, second = server.rounds
    assert (first["keep_alive"], first["think"]) == (90, "low")
    # Thinking has room of its own.
    assert first["options"] == {"num_predict": 1024 + 1024, "num_ctx": 16384}
    assert second["options"] == {"num_predict": 77 + 4096}
    assert "think" not in second
    assert second["keep_alive"] == 0


async def test_no_key_but_ours_is_sent(
    server: FakeOllama, make_ollama: MakeOllama, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key in the environment is somebody else's."""
    monkeypatch.setenv("OLLAMA_API_KEY", "another")
    server.script = Steps(*[Answer(blocks=[Text(text="Hello.")])] * 2)
    await run(make_ollama())
    await run(make_ollama(api_key="ours"))
    keys = [sent.headers.get("authorization") for sent in server.requests]
    assert keys == [None, "Bearer ours"]
    assert "ours" not in repr(OllamaSettings(model="m", api_key="ours"))


@pytest.mark.parametrize(
    ("changes", "kind", "param"),
    [
        ({"url": "http://[::1"}, ErrorKind.REJECTED, "url"),
        ({"url": "http://house:port"}, ErrorKind.REJECTED, "url"),
        ({"api_key": "ä"}, ErrorKind.AUTH, None),
        ({"api_key": "two words"}, ErrorKind.AUTH, None),
    ],
)
def test_what_could_never_work(
    changes: dict[str, Any], kind: ErrorKind, param: str | None
) -> None:
    """A bad address or key is refused before anything is sent."""
    with pytest.raises(ProviderError) as raised:
        build_client(ollama, OllamaSettings(model="m", **changes), False)
    assert (raised.value.kind, raised.value.param) == (kind, param)


async def test_redirects_are_not_followed(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A server can't send the conversation somewhere else."""
    server.script = Steps(
        Failure(status=307, headers={"location": f"{server.url}/api/chat"}),
        Answer(blocks=[Text(text="Hello.")]),
    )
    with pytest.raises(ProviderError) as raised:
        await run(make_ollama())
    assert raised.value.kind is ErrorKind.REJECTED
    assert len(server.requests) == 1


async def test_no_tools_when_none_may_be_called(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """The last round has no tools, and isn't told that there never were any."""
    server.script = Steps(Answer(blocks=[Text(text="Done.")]))
    round_ = request(tools=(spec("get_state"),), tool_choice=ToolChoice.NONE)
    await run(make_ollama(), round_)
    (sent,) = server.rounds
    assert not sent["tools"]
    assert sent["messages"][0] == {"role": "system", "content": "You are CAESAR."}


async def test_tool_results_go_back(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A second round holds the call, its outcome and the same tools."""
    tools = (spec("list_areas"),)
    call = ToolRequest(id="call_1", name="list_areas", arguments={"floor": "first"})
    server.script = Steps(*[Answer(blocks=[Text(text="Two areas.")])] * 2)
    provider = make_ollama()
    await run(provider, request(tools=tools))
    messages: tuple[Message, ...] = (
        UserMessage(text="Which areas?"),
        AssistantMessage(requests=(call,)),
        outcome("call_1", data=["bath", "hall"]),
    )
    await run(provider, request(*messages, tools=tools))
    first, second = server.rounds
    assert second["tools"] == first["tools"]
    assert second["messages"][1:] == [
        {"role": "user", "content": "Which areas?"},
        {
            "role": "assistant",
            "tool_calls": [
                {"function": {"name": "list_areas", "arguments": {"floor": "first"}}}
            ],
        },
        {"role": "tool", "content": '["bath","hall"]', "tool_name": "list_areas"},
    ]


def outcome(call_id: str, **changes: Any) -> ToolResultMessage:
    """Return what came of a call."""
    return ToolResultMessage(
        outcome=ToolOutcome(request_id=call_id, tool="get_state", **changes)
    )


def test_outcomes_follow_their_calls_in_order() -> None:
    """The wire has no ids: the place of an outcome says whose it is."""
    calls = (
        ToolRequest(id="a", name="get_state", arguments={"entity_id": "x.y"}),
        ToolRequest(id="b", name="light.turn_on", arguments=None, raw='{"x":'),
        ToolRequest(id="c", name="get_state", arguments={}),
    )
    error = ToolError(code=Code.POLICY_DENIED, message="Not allowed.")
    messages: list[Message] = [
        UserMessage(text="Go on"),
        AssistantMessage(text="One moment.", requests=calls),
        outcome("b", error=error),
        outcome("nobody", data="lost"),
        outcome("a", data={"state": "on"}),
        UserMessage(text="And?"),
    ]
    wire = build_messages((), messages)
    assert [message["role"] for message in wire] == [
        *("user", "assistant", "tool", "tool", "tool", "user")
    ]
    assert [call["function"]["arguments"] for call in wire[1]["tool_calls"]] == [
        *({"entity_id": "x.y"}, {"INVALID_JSON": '{"x":'}, {})
    ]
    assert wire[2] == {
        "role": "tool",
        "content": '{"state":"on"}',
        "tool_name": "get_state",
    }
    assert json.loads(wire[3]["content"])["code"] == "policy_denied"
    assert wire[3]["tool_name"] == wire[1]["tool_calls"][1]["function"]["name"]
    assert json.loads(wire[4]["content"])["code"] == "interrupted"


def test_what_says_nothing_is_left_out() -> None:
    """Empty words and outcomes without a call make no message."""
    messages = (
        UserMessage(text=" "),
        AssistantMessage(text=""),
        outcome("a", data=1),
        UserMessage(text="Hello \ud800"),
    )
    assert build_messages((SystemBlock(text=" "),), messages) == [
        {"role": "user", "content": "Hello ?"}
    ]


def test_what_a_property_cannot_hold_is_described() -> None:
    """Bounds, defaults and nested fields reach the model as words."""
    schema = {
        "type": "object",
        "title": "Brightness",
        "properties": {
            "level": {
                "type": "integer",
                "title": "Level",
                "description": "In percent.",
                "minimum": 0,
                "maximum": 100,
            },
            "data": {"type": "object", "properties": {"x": {"type": "string"}}},
            "names": {"type": ["array", "null"], "items": {"type": "string"}},
            "mode": {"enum": ["a", "b"]},
            "any": True,
        },
        "required": ["level"],
        "oneOf": [{"required": ["level"]}],
    }
    (tool,) = build_tools((spec("set", **schema),)).wire
    assert tool["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "level": {
                "type": "integer",
                "description": 'In percent. JSON Schema: {"maximum":100,"minimum":0}',
            },
            "data": {
                "type": "object",
                "description": 'JSON Schema: {"properties":{"x":{"type":"string"}}}',
            },
            "names": {"type": ["array", "null"], "items": {"type": "string"}},
            "mode": {"enum": ["a", "b"]},
            "any": {},
        },
        "required": ["level"],
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array"},
        {"type": "object", "properties": ["x"]},
        {"type": "object", "properties": {"x": 3}},
        {"type": "object", "properties": {"x": False}},
        {"type": "object", "properties": {"x": {"type": 3}}},
        {"type": "object", "properties": {"x": {"type": []}}},
        {"type": "object", "properties": {"x": {"minimum": float("nan")}}},
        {"type": "object", "default": object()},
    ],
)
async def test_one_bad_tool_is_dropped(
    server: FakeOllama,
    make_ollama: MakeOllama,
    schema: dict[str, Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is named in the log, once; the others are offered."""
    server.script = Steps(*[Answer(blocks=[Text(text="Hello.")])] * 2)
    good, bad = spec("get_state"), spec("bad", **schema)
    provider = make_ollama()
    await run(provider, request(tools=(bad, good)))
    await run(provider, request(tools=(good, bad)))
    for sent in server.rounds:
        assert [tool["function"]["name"] for tool in sent["tools"]] == ["get_state"]
    assert caplog.text.count("The tool bad isn't offered") == 1


async def test_a_tool_that_a_stricter_sdk_refuses(
    server: FakeOllama, make_ollama: MakeOllama, caplog: pytest.LogCaptureFixture
) -> None:
    """The SDK is core's choice: what a later one doesn't take is dropped as well."""

    class Tool(ollama.Tool):
        @classmethod
        def model_validate(cls, obj: Any, **more: Any) -> Any:
            if obj["function"]["name"] == "bad":
                raise ValueError("no such\ntool")
            return ollama.Tool.model_validate(obj, **more)

    stricter = ModuleType("ollama")
    stricter.__dict__.update({**vars(ollama), "Tool": Tool})
    server.script = Steps(Answer(blocks=[Text(text="Hello.")]))
    provider = make_ollama(sdk=stricter)
    await run(provider, request(tools=(spec("bad"), spec("get_state"))))
    (sent,) = server.rounds
    assert [tool["function"]["name"] for tool in sent["tools"]] == ["get_state"]
    assert "The tool bad isn't offered: no such tool" in caplog.text


def test_two_names_stay_two() -> None:
    """Names are made fit to send; the same one twice is sent once."""
    tools = build_tools((spec("light.turn_on"), spec("light_turn_on"), spec("a")) * 2)
    assert len(tools.wire) == 3
    assert sorted(tools.names.values()) == ["a", "light.turn_on", "light_turn_on"]
    assert set(tools.dropped) == {"a", "light.turn_on", "light_turn_on"}


keys = st.sampled_from(
    ["type", "description", "enum", "items", "properties", "required", "$ref", "anyOf"]
) | st.text(max_size=4)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner),
    max_leaves=6,
)
kinds = st.sampled_from(["string", "integer", "object", "array", ["string", "null"]])
schemas = st.fixed_dictionaries(
    {"type": st.sampled_from(["object", "array"]) | json_values},
    optional={
        "properties": st.dictionaries(
            st.text(max_size=8),
            st.fixed_dictionaries({"type": kinds}, optional={"enum": json_values})
            | json_values,
            max_size=4,
        ),
        "required": st.lists(st.text(max_size=4)) | json_values,
        "$defs": json_values,
    },
)


@settings(
    max_examples=500,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(name=st.text(max_size=80), schema=schemas | json_values)
def test_odd_tools(name: str, schema: Any) -> None:
    """Whatever a tool is, it is dropped with a reason or is one that Ollama takes."""
    odd = ToolSpec(name=name, title="", description=name, input_schema=schema)
    tools = build_tools((odd, spec("zz_good")))
    assert "zz_good" in tools.names.values()
    assert (name in tools.names.values()) != (name in tools.dropped)
    ready = [ollama.Tool.model_validate(wire) for wire in tools.wire]
    sent = [json.loads(tool.model_dump_json(exclude_none=True)) for tool in ready]
    assert refusal({"model": "qwen3:8b", "tools": sent}, Model()) is None
