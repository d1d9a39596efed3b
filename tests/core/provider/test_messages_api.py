"""The fake Messages API itself: script files, the program, requests without a stream."""

from pathlib import Path
from typing import Any

import anthropic
import httpx
import pytest

from tests.fakes.clock import FakeClock
from tests.fakes.messages_api import KEY, MODEL, FakeMessagesApi, main
from tests.fakes.messages_script import Body, Failure, Rules, Steps
from tests.fakes.messages_thinking import (
    ADAPTIVE,
    ALWAYS,
    WITH_BUDGET,
    Abilities,
    problems as thinking_problems,
)

from .programs import program

SCRIPT = """
rules:
  - when: unlock .* door
    rounds:
      - - text: Let me see.
        - tool: lock__unlock
          input: {entity_id: lock.front_door}
        - {tool: get_state, raw: '{"a": ['}
      - It is done.
  - when: break
    rounds:
      - fail: {status: 529, type: overloaded_error}
      - - block: {type: thinking, thinking: "", signature: ""}
          deltas: [{type: signature_delta, signature: c2ln}]
default: I can't help.
"""


def user(*blocks: Any) -> dict[str, Any]:
    """Return a message of the user."""
    return {"role": "user", "content": list(blocks)}


def say(words: str) -> dict[str, Any]:
    """Return words of the user."""
    return user({"type": "text", "text": words})


def words(message: anthropic.types.Message) -> Any:
    """Return the words that an answer begins with."""
    return message.content[0].model_dump()["text"]


@pytest.fixture
async def api(socket_enabled: None, tmp_path: Path) -> Any:
    """Run the fake with a script file."""
    path = tmp_path / "script.yaml"
    path.write_text(SCRIPT, encoding="utf-8")
    async with FakeMessagesApi(Rules.from_file(path)) as server:
        yield server


@pytest.fixture
async def client(api: FakeMessagesApi) -> Any:
    """Return the SDK, talking to it."""
    async with (
        httpx.AsyncClient(verify=False) as http,
        anthropic.AsyncAnthropic(
            api_key=KEY, base_url=api.url, http_client=http, max_retries=0
        ) as sdk,
    ):
        yield sdk


async def test_rounds_follow_the_users_words(
    client: anthropic.AsyncAnthropic,
) -> None:
    """The first words choose the rule, each answer moves it on by one round."""
    history: list[Any] = [say("Please unlock the front door")]
    first = await client.messages.create(model=MODEL, max_tokens=9, messages=history)
    assert [block.type for block in first.content] == ["text", "tool_use", "tool_use"]
    assert first.stop_reason == "tool_use"
    calls = [block for block in first.content if block.type == "tool_use"]
    assert calls[0].input == {"entity_id": "lock.front_door"}
    history += [
        {"role": "assistant", "content": first.content},
        user(
            *(
                {"type": "tool_result", "tool_use_id": call.id, "content": "no"}
                for call in calls
            )
        ),
    ]
    second = await client.messages.create(model=MODEL, max_tokens=9, messages=history)
    assert words(second) == "It is done."
    assert second.stop_reason == "end_turn"
    history += [{"role": "assistant", "content": second.content}, say("Thanks")]
    third = await client.messages.create(model=MODEL, max_tokens=9, messages=history)
    assert words(third) == "I can't help."


async def test_failures_and_blocks_of_a_script(
    client: anthropic.AsyncAnthropic,
) -> None:
    """A round may fail; a block may be anything; after the last round it is done."""
    ask: Any = [say("Break")]
    with pytest.raises(anthropic.APIStatusError) as raised:
        await client.messages.create(model=MODEL, max_tokens=9, messages=ask)
    assert raised.value.status_code == 529
    answers: Any = [say("Break"), {"role": "assistant", "content": "Hm"}]
    async with client.messages.stream(
        model=MODEL, max_tokens=9, messages=answers
    ) as stream:
        message = await stream.get_final_message()
    assert message.content[0].model_dump()["signature"] == "c2ln"
    answers.append({"role": "assistant", "content": "Hm"})
    last = await client.messages.create(model=MODEL, max_tokens=9, messages=answers)
    assert words(last) == "Done."


async def test_count_and_models(client: anthropic.AsyncAnthropic) -> None:
    """Tokens are counted and the one model is listed."""
    ask: Any = [say("Hello")]
    count = await client.messages.count_tokens(model=MODEL, messages=ask)
    assert count.input_tokens > 0
    assert [model.id async for model in client.models.list()] == [MODEL]


async def test_steps_run_out(
    api: FakeMessagesApi, client: anthropic.AsyncAnthropic
) -> None:
    """A test that asks more often than it meant to fails."""
    api.script = Steps(Failure(status=402, details={"a": 1}))
    ask: Any = [say("Hello")]
    for status in (402, 500):
        with pytest.raises(anthropic.APIStatusError) as raised:
            await client.messages.create(model=MODEL, max_tokens=9, messages=ask)
        assert raised.value.status_code == status


@pytest.mark.parametrize(
    "change",
    [
        {"model": "claude-nope"},
        {"max_tokens": 0},
        {"messages": []},
        {"messages": [{"role": "assistant", "content": "Hi"}]},
        {"messages": [{"role": "user", "content": " "}]},
        {"messages": [{"role": "user", "content": []}]},
        {"system": [{"type": "text", "text": ""}]},
        {"tool_choice": {"type": "auto"}},
        {"extra_body": {"made_up": 1}},
        {"tools": [{"name": "a.b", "input_schema": {"type": "object"}}]},
        {"tools": [{"name": "a", "input_schema": {"type": "array"}}]},
        {"tools": [{"name": "a", "input_schema": {"type": "object", "anyOf": []}}]},
        {
            "tools": [
                {
                    "name": "a",
                    "input_schema": {"type": "object", "properties": {"ü": {}}},
                }
            ]
        },
        {"tools": [{"name": "a", "input_schema": {"type": "object"}}] * 2},
        {
            "system": [
                {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
            ]
            * 5
        },
        {
            "messages": [
                say("x"),
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_use", "id": "a", "name": "b", "input": {}}
                    ],
                },
                say("y"),
            ]
        },
        {
            "messages": [
                user({"type": "tool_result", "tool_use_id": "a", "content": "x"})
            ]
        },
    ],
)
async def test_it_refuses_what_the_real_one_refuses(
    client: anthropic.AsyncAnthropic, change: dict[str, Any]
) -> None:
    """A request that would fail in life fails in tests."""
    good: dict[str, Any] = {
        "model": MODEL,
        "max_tokens": 9,
        "messages": [say("Hello")],
    }
    await client.messages.create(**good)
    with pytest.raises((anthropic.BadRequestError, anthropic.NotFoundError)):
        await client.messages.create(**good | change)


@pytest.mark.parametrize(
    "script",
    [
        "[]",
        "rulez: []",
        "rules: [{when: x}]",
        "rules: [{when: x, rounds: [5]}]",
        "rules: [{when: x, rounds: [[{tool: a, output: 1}]]}]",
        "rules: [{when: x, rounds: [[5]]}]",
        "rules: [{when: '(', rounds: []}]",
        "rules: [",
    ],
)
def test_bad_script_files(
    script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script with a mistake is refused before anything is served."""
    path = tmp_path / "script.yaml"
    path.write_text(script, encoding="utf-8")
    assert main(["--script", str(path)]) == 2
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("how", ["input closes", "terminate"])
def test_as_a_program(socket_enabled: None, tmp_path: Path, how: str) -> None:
    """It prints its address first, serves, and ends when told."""
    path = tmp_path / "script.yaml"
    path.write_text(SCRIPT, encoding="utf-8")
    with program("tests.fakes.messages_api", path, how) as url:
        listed = httpx.get(f"{url}/v1/models", headers={"x-api-key": KEY}, verify=False)
        assert listed.json()["data"][0]["id"] == MODEL


def test_clock() -> None:
    """The clock stands still until it is moved, and never runs backwards."""
    clock = FakeClock(5.0)
    clock.advance(1.5)
    assert clock() == 6.5
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)


CALLED: list[Body] = [
    {"role": "user", "content": "Is it on?"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]},
]
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
SHORT = {"cache_control": {"type": "ephemeral"}}
BUDGET = {"type": "enabled", "budget_tokens": 1024}


@pytest.mark.parametrize(
    ("can", "fields", "refused"),
    [
        (WITH_BUDGET, {"thinking": {"type": "adaptive"}}, "not supported on this"),
        (ADAPTIVE, {"thinking": BUDGET}, "thinking.type.enabled"),
        (ALWAYS, {"thinking": {"type": "disabled"}}, "thinking.type.disabled"),
        (WITH_BUDGET, {"output_config": {"effort": "low"}}, "effort parameter"),
        (ADAPTIVE, {"output_config": {"effort": "huge"}}, "output_config.effort"),
        (WITH_BUDGET, {"thinking": {**BUDGET, "budget_tokens": 9}}, "at least 1024"),
        (WITH_BUDGET, {"thinking": BUDGET, "max_tokens": 1024}, "must be greater"),
        (WITH_BUDGET, {"thinking": BUDGET, "messages": CALLED}, "Expected `thinking`"),
        (ADAPTIVE, {"tools": [SHORT], "system": [HOUR]}, "must not come after"),
        (
            ADAPTIVE,
            {"messages": [{"content": [{"type": "thinking", **SHORT}]}]},
            "can't be marked",
        ),
    ],
)
def test_what_is_refused_of_thinking(
    can: Abilities, fields: Body, refused: str
) -> None:
    """Each in the API's words; without it the same request is taken."""
    fine: Body = {"max_tokens": 2048, "messages": [], "tools": [HOUR, SHORT]}
    assert list(thinking_problems(fine, Abilities())) == []
    found = list(thinking_problems({**fine, **fields}, can))
    assert any(refused in each for each in found)
