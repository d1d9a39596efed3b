"""What is sent: the first round, results, tools, checks."""

import asyncio
import logging

import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    ErrorKind,
    ProviderError,
    ToolChoice,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.providers.anthropic import AnthropicSettings
from custom_components.caesar.turn import ToolOutcome, ToolRequest
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Answer, Failure, Text, ToolUse

from .rounds import MakeProvider, answers, fail, request, run, spec


async def test_tool_results_go_back(api: FakeMessagesApi, make: MakeProvider) -> None:
    """A second round holds the call, its outcome and no new tools."""
    call = ToolRequest(id="toolu_1", name="list_areas", arguments={})
    answers(api, Answer(blocks=[Text(text="Two areas.")]))
    await run(
        make(),
        request(
            UserMessage(text="Which areas are there?"),
            AssistantMessage(text=" ", requests=(call,)),
            ToolResultMessage(
                outcome=ToolOutcome(
                    request_id="toolu_1", tool="list_areas", data={"count": 2}
                )
            ),
            tools=(spec("list_areas"),),
            tool_choice=ToolChoice.NONE,
        ),
    )
    (body,) = api.rounds
    assert body["tool_choice"] == {"type": "none"}
    assert body["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "list_areas", "input": {}}
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_1",
                    "content": '{"count":2}',
                    "is_error": False,
                }
            ],
        },
    ]


async def test_long_and_dotted_names_come_back_as_they_were(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """The API sees a short name, the gate the full one."""
    dotted, long = "light.turn_on", "a" * 70
    answers(
        api,
        Answer(
            blocks=[
                ToolUse(name="light_turn_on_97d6a2c2"),
                ToolUse(name="made_up"),
            ]
        ),
    )
    events = await run(make(), request(tools=(spec(dotted), spec(long))))
    assert [e.name for e in events if isinstance(e, ToolRequest)] == [
        dotted,
        "made_up",
    ]
    names = [tool["name"] for tool in api.rounds[0]["tools"]]
    assert names == [f"{'a' * 55}_{names[0][-8:]}", "light_turn_on_97d6a2c2"]


async def test_five_hundred_tools(api: FakeMessagesApi, make: MakeProvider) -> None:
    """As many tools as a big house could bring are taken."""
    answers(api, Answer(blocks=[Text(text="Hello.")]))
    tools = tuple(spec(f"service.number_{n}") for n in range(500))
    await run(make(), request(tools=tools))
    sent = api.rounds[0]["tools"]
    assert len(sent) == 500
    assert [n for n, tool in enumerate(sent) if "cache_control" in tool] == [499]


async def test_bad_tool_is_left_out(
    api: FakeMessagesApi, make: MakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    """A tool that the API would refuse costs one line in the log, not the turn."""
    answers(api, Answer(), Answer())
    tools = (spec("good"), spec("bad", type="array"))
    provider = make()
    with caplog.at_level(logging.WARNING):
        await run(provider, request(tools=tools))
        await run(provider, request(tools=tools))
    assert [[t["name"] for t in body["tools"]] for body in api.rounds] == [["good"]] * 2
    lines = [r.message for r in caplog.records if "bad" in r.message]
    assert lines == ["The tool bad isn't offered: its schema isn't of type object"]


@pytest.mark.parametrize("key", ["", "sk test", "sk-tést", "sk-test\nx: y"])
async def test_keys_that_no_header_can_carry(
    api: FakeMessagesApi, make: MakeProvider, key: str
) -> None:
    """A mistyped key is a wrong key, and is never sent."""
    provider = make(api_key=key)
    assert (await fail(provider)).kind is ErrorKind.AUTH
    with pytest.raises(ProviderError) as raised:
        await provider.check()
    assert raised.value.kind is ErrorKind.AUTH
    assert api.requests == []


@pytest.mark.parametrize(
    ("key", "check", "kind"),
    [
        (KEY, None, None),
        ("sk-wrong", None, ErrorKind.AUTH),
        (KEY, Failure(status=529, type="overloaded_error"), ErrorKind.OVERLOADED),
        (KEY, Failure(status=402, type="billing_error"), ErrorKind.QUOTA),
    ],
)
async def test_check(
    api: FakeMessagesApi,
    make: MakeProvider,
    key: str,
    check: Failure | None,
    kind: ErrorKind | None,
) -> None:
    """The check costs no tokens and tells a wrong key from a sick server."""
    api.check = check
    provider = make(api_key=key)
    if kind is None:
        await provider.check()
    else:
        with pytest.raises(ProviderError) as raised:
            await provider.check()
        assert raised.value.kind is kind
    assert [sent.path for sent in api.requests] == ["/v1/models"]


async def test_check_times_out(make: MakeProvider) -> None:
    """A server that accepts and says nothing is told by the clock."""
    writers: list[asyncio.StreamWriter] = []

    def keep(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)

    silent = await asyncio.start_server(keep, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    provider = make(base_url=f"http://127.0.0.1:{port}", silence_s=0.05)
    with pytest.raises(ProviderError) as raised:
        await provider.check()
    writers[0].close()
    silent.close()
    assert raised.value.kind is ErrorKind.TIMEOUT


async def test_what_it_says_of_itself(make: MakeProvider) -> None:
    """Name and traits go into the trail; the key is shown nowhere."""
    provider = make(model="claude-opus-5")
    assert provider.name == "anthropic"
    assert provider.traits.extra == {"model": "claude-opus-5"}
    assert not provider.traits.local
    assert KEY not in repr(AnthropicSettings(api_key=KEY))
