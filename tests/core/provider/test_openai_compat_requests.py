"""What servers of the Chat Completions API are asked, and what they refuse."""

import json
import logging
from typing import Any

from aiohttp import web
import httpx
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    ErrorKind,
    ProviderError,
    ToolChoice,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.providers.openai_compat import OpenAICompatSettings
from custom_components.caesar.turn import ToolOutcome, ToolRequest
from tests.fakes.chat_completions_api import KEY, MODEL
from tests.fakes.messages_script import Answer, Failure, Text

from .chat import TOOLS, failed
from .contract import ChatServer
from .rounds import request, run, spec, text_of


async def test_tool_results_go_back(chat: ChatServer, http: httpx.AsyncClient) -> None:
    """A second round holds the calls and what came of them, one of them unreadable."""
    good = ToolRequest(id="call_1", name="list_areas", arguments={})
    bad = ToolRequest(id="call_2", name="get_state", arguments=None, raw='{"a')
    chat.answers(Answer(blocks=[Text(text="Two areas.")]))
    await run(
        chat.provider(http),
        request(
            UserMessage(text="Which areas are there?"),
            AssistantMessage(text=" ", requests=(good, bad)),
            ToolResultMessage(
                outcome=ToolOutcome(
                    request_id="call_1", tool="list_areas", data={"count": 2}
                )
            ),
            tools=TOOLS,
            tool_choice=ToolChoice.NONE,
        ),
    )
    (body,) = chat.api.rounds
    assert body["tool_choice"] == "none"
    _, _, answer, first, second = body["messages"]
    assert answer["content"] is None
    assert [one["function"]["arguments"] for one in answer["tool_calls"]] == [
        "{}",
        '{"INVALID_JSON":"{\\"a"}',
    ]
    assert first == {"role": "tool", "tool_call_id": "call_1", "content": '{"count":2}'}
    assert second["tool_call_id"] == "call_2"
    assert json.loads(second["content"])["code"] == "interrupted"


@pytest.mark.parametrize(
    ("param", "instead"),
    [
        ("temperature", {}),
        ("max_tokens", {"max_completion_tokens": 1024 + 4096}),
        ("stream_options", {}),
        ("tool_choice", {}),
    ],
)
@pytest.mark.parametrize("told", ["param", "message", "detail"])
async def test_refused_parameter_is_left_out_once(
    chat: ChatServer,
    http: httpx.AsyncClient,
    param: str,
    instead: dict[str, Any],
    told: str,
) -> None:
    """One more try without it, however the server names it; and it is remembered."""
    ways: dict[str, dict[str, Any]] = {
        "param": {"param": param},
        "message": {"message": f"Extra inputs: {param}"},
        "detail": {
            "message": None,
            "detail": [{"loc": ["body", param], "msg": "Extra inputs"}],
        },
    }
    refused = Failure(status=400, type="invalid_request_error", details=ways[told])
    words = Answer(blocks=[Text(text="Yes.")])
    chat.answers(refused, words, words, refused)
    provider = chat.provider(http)
    assert text_of(await run(provider, request(tools=TOOLS))) == "Yes."
    assert text_of(await run(provider, request(tools=TOOLS))) == "Yes."
    first, *later = chat.api.rounds
    assert param in first
    assert all(param not in sent for sent in later)
    assert all(sent.items() >= instead.items() for sent in later)
    # What isn't sent any more can't be left out again.
    if param != "max_tokens":
        with pytest.raises(ProviderError):
            await run(provider, request(tools=TOOLS))
        assert len(chat.api.rounds) == 4


async def test_one_more_try_for_each(chat: ChatServer, http: httpx.AsyncClient) -> None:
    """Each refusal costs one more try; what was learnt helps the next round."""
    chat.api.refuses = {"temperature", "stream_options"}
    provider = chat.provider(http)
    chat.answers(*[Answer(blocks=[Text(text="Yes.")])] * 2)
    for _ in range(2):
        assert text_of(await run(provider)) == "Yes."
    assert len(chat.api.rounds) == 4


async def test_a_server_that_takes_neither_limit(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """The two names of one limit aren't tried in turns for ever."""
    chat.api.refuses = {"max_tokens", "max_completion_tokens"}
    assert (await failed(chat, http)).kind is ErrorKind.REJECTED
    assert len(chat.api.rounds) == 2


async def test_no_tools_where_no_choice_can_be_sent(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """A model that may not call sees no tools if it can't be told otherwise."""
    chat.api.refuses = {"tool_choice"}
    chat.answers(*[Answer(blocks=[Text(text="Yes.")])] * 2)
    await run(chat.provider(http), request(tools=TOOLS, tool_choice=ToolChoice.NONE))
    assert "tools" not in chat.api.rounds[-1]


async def test_more_tools_than_a_server_takes(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """The first that are offered stay; the rest are named in the log."""
    chat.answers(Answer(blocks=[Text(text="Hi")]))
    tools = tuple(spec(f"tool_{999 - n}") for n in range(200))
    await run(chat.provider(http), request(tools=tools))
    names = chat.tools(chat.api.rounds[0])
    assert names == sorted(one.name for one in tools[:128])


@pytest.mark.parametrize("key", ["", "sk test", "sk-tést", "sk-test\nx: y"])
async def test_keys_that_no_header_can_carry(
    chat: ChatServer, http: httpx.AsyncClient, key: str
) -> None:
    """A mistyped key is a wrong key, and is never sent."""
    assert (await failed(chat, http, api_key=key)).kind is ErrorKind.AUTH
    assert chat.api.requests == []


async def test_nothing_of_the_environment_is_sent(
    chat: ChatServer, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server of one's own gets neither a key nor the names of OpenAI's accounts."""
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"):
        monkeypatch.setenv(f"OPENAI_{name}", "sk-not-for-you")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    chat.api.key = None
    chat.answers(Answer(blocks=[Text(text="Hi")]))
    provider = chat.provider(http, api_key=None)
    await provider.check()
    await run(provider)
    assert len(chat.api.requests) == 2
    for sent in chat.api.requests:
        assert "authorization" not in sent.headers
        assert "sk-not-for-you" not in str(sent.headers)


async def test_models(chat: ChatServer, http: httpx.AsyncClient) -> None:
    """The list of models is sorted, and needs the key."""
    chat.api.models = ["b-model", "a-model"]
    assert await chat.provider(http).models() == ("a-model", "b-model", MODEL)
    with pytest.raises(ProviderError) as raised:
        await chat.provider(http, api_key="sk-wrong").check()
    assert raised.value.kind is ErrorKind.AUTH


def test_the_key_is_shown_nowhere() -> None:
    """Neither the settings' text nor the traits hold it."""
    assert KEY not in repr(OpenAICompatSettings(api_key=KEY))


async def test_refusals_are_in_the_log(
    chat: ChatServer, http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    """The words for a person send them there."""
    chat.answers(Failure(status=400, message="context is too small"))
    with caplog.at_level(logging.WARNING):
        await failed(chat, http)
    assert "context is too small" in caplog.text


@pytest.mark.parametrize(
    ("failure", "kind", "param"),
    [
        (
            Failure(status=429, details={"code": "insufficient_quota"}),
            ErrorKind.QUOTA,
            None,
        ),
        (
            Failure(status=429, message="You exceeded your current quota, please"),
            ErrorKind.QUOTA,
            None,
        ),
        (Failure(status=403, message="Input was flagged"), ErrorKind.REJECTED, None),
        (
            Failure(status=404, details={"code": "model_not_found"}),
            ErrorKind.REJECTED,
            "model",
        ),
        (Failure(status=503, message="Loading model"), ErrorKind.OVERLOADED, None),
        (Failure(status=529), ErrorKind.OVERLOADED, None),
        (
            Failure(status=500, message="tools param requires --jinja flag"),
            ErrorKind.REJECTED,
            None,
        ),
        (Failure(status=418), ErrorKind.UNAVAILABLE, None),
    ],
    ids=lambda value: f"{value.status}" if isinstance(value, Failure) else None,
)
async def test_errors_of_these_servers(
    chat: ChatServer,
    http: httpx.AsyncClient,
    failure: Failure,
    kind: ErrorKind,
    param: str | None,
) -> None:
    """An empty account is no rush, and a moderated question no wrong key."""
    chat.answers(failure)
    error = await failed(chat, http)
    assert (error.kind, error.param) == (kind, param)


async def test_pause(chat: ChatServer, http: httpx.AsyncClient) -> None:
    """How long a server asks to wait is told."""
    chat.answers(Failure(status=429, headers={"retry-after": "17"}))
    assert (await failed(chat, http)).retry_after == 17


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("server_error", ErrorKind.UNAVAILABLE),
        ("insufficient_quota", ErrorKind.QUOTA),
        ("rate_limit_exceeded", ErrorKind.RATE),
        ("never_seen", ErrorKind.UNAVAILABLE),
    ],
)
async def test_error_in_the_middle(
    chat: ChatServer, http: httpx.AsyncClient, error: str, kind: ErrorKind
) -> None:
    """An error event ends the round with its own kind."""
    chat.answers(Answer(blocks=[Text(text="Well then")], error_after=2, error=error))
    assert (await failed(chat, http)).kind is kind


async def test_a_redirect_takes_the_key_nowhere(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """Neither a round nor the list of models follows to another address."""

    async def move(asked: web.Request) -> web.Response:
        raise web.HTTPTemporaryRedirect(f"{chat.api.url}/{asked.match_info['rest']}")

    app = web.Application()
    app.router.add_route("*", "/v1/{rest:.*}", move)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    assert (await failed(chat, http, url=url)).kind is ErrorKind.UNAVAILABLE
    with pytest.raises(ProviderError):
        await chat.provider(http, url=url).check()
    await runner.cleanup()
    assert chat.api.requests == []
