"""The fake Chat Completions API refuses what real servers refuse, and runs by itself."""

from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.fakes.chat_completions_api import MODEL, FakeChatApi, main
from tests.fakes.chat_completions_script import ChatRules
from tests.fakes.messages_script import Answer, Failure, Steps, Text, ToolUse

from .contract import ChatServer
from .programs import program

SCRIPT = """
rules:
  - when: light
    rounds:
      - - tool: light__turn_on
          input: {entity_id: light.a}
      - It is on.
  - when: break
    rounds:
      - fail: {status: 503, message: Loading model}
default: Pardon?
"""
SAYS = {"role": "user", "content": "Hello"}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_state", "arguments": "{}"},
}


def tool(name: str = "get_state", **schema: Any) -> dict[str, Any]:
    """Return a tool as it is sent."""
    parameters = {"type": "object", "properties": {}, **schema}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


async def post(api: FakeChatApi, http: httpx.AsyncClient, **body: Any) -> Any:
    """Send a round and return the response."""
    good = {"model": MODEL, "stream": True, "messages": [SAYS]}
    headers = {"authorization": f"Bearer {api.key}"}
    return await http.post(
        f"{api.url}/chat/completions", json=good | body, headers=headers
    )


@pytest.mark.parametrize(
    "change",
    [
        {"model": "gpt-nope"},
        {"stream": False},
        {"n": 2},
        {"max_tokens": 1, "max_completion_tokens": 1},
        {"tool_choice": "auto"},
        {"tools": []},
        {"tools": [tool(f"t{n}") for n in range(129)]},
        {"tools": [tool("a.b")]},
        {"tools": [tool(), tool()]},
        {"tools": [tool(type="array")]},
        {"tools": [tool(anyOf=[{}])]},
        {"tools": [tool(properties={"a": {"type": "array"}})]},
        {"tools": [tool(properties={"a": {"pattern": "x"}})]},
        {"tools": [tool(properties={"a": {"items": {"maxLength": 9999}}})]},
        {"tools": [tool(properties={"a": {"anyOf": [True]}})]},
        {"tools": [tool(properties={"a": {"$ref": "#/$defs/b"}})]},
        {"tools": [tool(additionalProperties={"type": "x"})]},
        {"messages": []},
        {"messages": [SAYS, SAYS]},
        {"messages": [SAYS, {"role": "system", "content": "x"}]},
        {"messages": [{"role": "assistant", "content": "x"}, SAYS]},
        {"messages": [{"role": "user", "content": " "}]},
        {"messages": [{"role": "user", "content": None}]},
        {"messages": [SAYS, {"role": "tool", "tool_call_id": "a", "content": "x"}]},
        {"messages": [SAYS, {"role": "assistant", "tool_calls": [CALL]}]},
        {"messages": [SAYS, {"role": "assistant", "tool_calls": [CALL]}, SAYS]},
        {
            "messages": [
                SAYS,
                {"role": "assistant", "tool_calls": [{**CALL, "id": "x" * 41}]},
                {"role": "tool", "tool_call_id": "x" * 41, "content": "x"},
            ]
        },
    ],
)
async def test_it_refuses_what_real_ones_refuse(
    chat: ChatServer, http: httpx.AsyncClient, change: dict[str, Any]
) -> None:
    """A request that would fail in life fails in tests; the plain one doesn't."""
    chat.answers(Answer(), Answer())
    assert (await post(chat.api, http)).status_code == 200
    refused = await post(chat.api, http, **change)
    assert refused.status_code in (400, 404)
    assert set(refused.json()["error"]) == {"message", "type", "param", "code"}


async def test_wire_format(chat: ChatServer, http: httpx.AsyncClient) -> None:
    """Chunks, one a line, the usage only for who asks, and the end."""
    chat.answers(*[Answer(blocks=[Text(text="Hi all")])] * 2)
    for asked in (True, False):
        sent = await post(chat.api, http, stream_options={"include_usage": asked})
        assert sent.headers["content-type"] == "text/event-stream"
        *events, done, empty = sent.text.split("\n\n")
        assert (done, empty) == ("data: [DONE]", "")
        assert all(one.startswith('data: {"id": "chatcmpl-') for one in events)
        assert ('"usage"' in sent.text) is asked


def test_rules_follow_the_words_not_the_results() -> None:
    """What a tool said is never taken for a person's words."""
    rules = ChatRules(yaml.safe_load(SCRIPT))
    talk: list[dict[str, Any]] = [
        {"role": "system", "content": "light"},
        {"role": "user", "content": "The light, please"},
    ]
    first = rules.next({"messages": talk})
    assert isinstance(first, Answer)
    assert isinstance(first.blocks[0], ToolUse)
    talk += [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "break"},
    ]
    second = rules.next({"messages": talk})
    assert isinstance(second, Answer)
    assert second.blocks == [Text(text="It is on.")]
    third = rules.next({"messages": [{"role": "user", "content": "break"}]})
    assert third == Failure(status=503, message="Loading model")


async def test_steps_run_out(chat: ChatServer, http: httpx.AsyncClient) -> None:
    """Asked once too often, the script says so."""
    chat.api.script = Steps()
    assert (await post(chat.api, http)).status_code == 500


def test_bad_script_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A script with a mistake is refused before anything is served."""
    path = tmp_path / "script.yaml"
    path.write_text("rulez: []", encoding="utf-8")
    assert main(["--script", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("how", ["input closes", "terminate"])
def test_as_a_program(socket_enabled: None, tmp_path: Path, how: str) -> None:
    """It prints its address first, serves, and ends when told."""
    path = tmp_path / "script.yaml"
    path.write_text(SCRIPT, encoding="utf-8")
    with program("tests.fakes.chat_completions_api", path, how) as url:
        listed = httpx.get(f"{url}/models", verify=False)
        assert listed.json()["data"][0]["id"] == MODEL
