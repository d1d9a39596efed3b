"""The fake Ollama itself: the wire format, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest

from tests.fakes.messages_script import Answer, Other, Rules, Steps, Text, ToolUse
from tests.fakes.ollama_api import FakeOllama, main
from tests.fakes.ollama_rules import Model, refusal

from .programs import program

USER = {"role": "user", "content": "Unlock the front door"}


async def chat(server: FakeOllama, **body: Any) -> tuple[int, list[Any]]:
    """Return the status and the lines of an answer."""
    body = {"model": server.model.name, "messages": [USER], **body}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/api/chat", json=body) as response,
    ):
        text = await response.text()
        return response.status, [json.loads(line) for line in text.splitlines()]


async def test_wire_format(server: FakeOllama) -> None:
    """Text, thinking and calls come line by line; the last line counts the tokens."""
    server.script = Steps(
        Answer(
            blocks=[
                Other(block={"thinking": "Hm."}),
                Text(text="One moment."),
                ToolUse(name="lock__unlock", input={"entity_id": "lock.door"}, id="c1"),
            ]
        )
    )
    status, lines = await chat(server)
    assert status == 200
    assert [line["done"] for line in lines] == [False, False, False, False, True]
    thinking, one, moment, call, last = lines
    assert thinking["message"]["thinking"] == "Hm."
    assert one["message"] == {"role": "assistant", "content": "One "}
    assert moment["message"]["content"] == "moment."
    assert call["message"]["tool_calls"] == [
        {
            "id": "c1",
            "function": {
                "index": 0,
                "name": "lock__unlock",
                "arguments": {"entity_id": "lock.door"},
            },
        }
    ]
    assert (last["done_reason"], last["prompt_eval_count"]) == ("stop", 10)


async def test_script_files(server: FakeOllama) -> None:
    """A script goes on after the results of its calls."""
    rounds: list[Any] = [[{"tool": "lock__unlock"}], ["It is open."]]
    server.script = Rules({"rules": [{"when": "unlock", "rounds": rounds}]})
    _, (call, _) = await chat(server)
    messages = [USER, call["message"], {"role": "tool", "content": "{}"}]
    _, lines = await chat(server, messages=messages)
    said = "".join(line["message"]["content"] for line in lines)
    assert said == "It is open."


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ({"model": "gemma"}, 404, 'model "gemma" not found'),
        ({"model": ""}, 400, "model is required"),
        ({"think": "hard"}, 400, "invalid think value"),
        ({"keep_alive": "soon"}, 400, "invalid duration"),
        ({"options": {"num_ctx": "8192"}}, 400, "must be of type integer"),
        ({"messages": [{"role": "user", "content": None}]}, 400, "messages.content"),
        ({"tools": [{"function": {"name": 1}}]}, 400, "function.name"),
    ],
)
async def test_refusals(
    server: FakeOllama, body: dict[str, Any], status: int, error: str
) -> None:
    """It says no to what the real server says no to."""
    got, (answer,) = await chat(server, **body)
    assert got == status
    assert error in answer["error"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": 1},
        {"required": "x"},
        {"properties": []},
        {"properties": {"x": True}},
        {"properties": {"x": {"type": 1}}},
        {"properties": {"x": {"type": [1]}}},
        {"properties": {"x": {"description": {}}}},
        {"properties": {"x": {"enum": {}}}},
    ],
)
def test_tools_that_are_refused(parameters: dict[str, Any]) -> None:
    """A property of the wrong type fails the whole request."""
    body = {"model": "qwen3:8b", "tools": [{"function": {"parameters": parameters}}]}
    refused = refusal(body, Model())
    assert refused is not None
    assert refused.status == 400


def test_what_a_model_cannot_do() -> None:
    """Tools and thinking are refused where the model has no template for them."""
    body: dict[str, Any] = {"model": "qwen3:8b", "tools": [{}], "think": True}
    no_tools = refusal(body, Model(tools=False))
    no_thinking = refusal(body, Model(thinking=False))
    assert no_tools is not None
    assert no_thinking is not None
    assert "does not support tools" in no_tools.message
    assert "does not support thinking" in no_thinking.message
    assert refusal(body, Model()) is None


def test_a_script_with_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before anything is served."""
    path = tmp_path / "script.yaml"
    path.write_text("rule: []", encoding="utf-8")
    assert main(["--script", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("how", ["input closes", "terminate"])
def test_as_a_program(socket_enabled: None, tmp_path: Path, how: str) -> None:
    """It prints its address first, serves, and ends when told."""
    path = tmp_path / "script.yaml"
    path.write_text("default: Hello", encoding="utf-8")
    with program("tests.fakes.ollama_api", path, how) as url:
        listed = httpx.get(f"{url}/api/tags", verify=False)
        assert [model["name"] for model in listed.json()["models"]] == ["qwen3:8b"]
