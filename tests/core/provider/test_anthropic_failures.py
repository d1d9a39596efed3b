"""What goes wrong: errors, cuts, silence, cancelled turns."""

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime

from aiohttp import web
from aiohttp.test_utils import TestServer
import anthropic
import httpx
import pytest

from custom_components.caesar.brain.provider import (
    Completed,
    ErrorKind,
    ProviderEvent,
    TextDelta,
)
from custom_components.caesar.providers.anthropic import (
    AnthropicProvider,
    AnthropicSettings,
    build_client,
)
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Answer, Block, Failure, Text, ToolUse

from .rounds import MakeProvider, answers, fail, request, run


@pytest.mark.parametrize("events", range(8))
@pytest.mark.parametrize("abrupt", [False, True])
async def test_cut_stream(
    api: FakeMessagesApi, make: MakeProvider, events: int, abrupt: bool
) -> None:
    """Cut anywhere, cleanly or not, a round fails and has no end."""
    blocks: list[Block] = [ToolUse(name="get_state", raw="{}")]
    answers(api, Answer(blocks=blocks, cut_after=events, abrupt=abrupt))
    seen: list[ProviderEvent] = []
    assert (await fail(make(), seen)).kind is ErrorKind.CUT
    assert not [event for event in seen if isinstance(event, Completed)]


async def test_cut_after_nothing_but_the_end(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """The eight events of the test above are all but the last of an answer's."""
    answers(api, Answer(blocks=[ToolUse(name="get_state", raw="{}")], cut_after=8))
    assert isinstance((await run(make()))[-1], Completed)


async def test_an_event_that_is_nested_too_deep(
    http: httpx.AsyncClient, socket_enabled: None
) -> None:
    """What Python can't read is an answer that can't be read."""

    async def deep(_: web.Request) -> web.Response:
        text = "event: message_start\ndata: " + '{"a":' * 100_000 + "\n\n"
        return web.Response(text=text, content_type="text/event-stream")

    app = web.Application()
    app.router.add_post("/v1/messages", deep)
    async with TestServer(app) as server:
        settings = AnthropicSettings(api_key=KEY, base_url=str(server.make_url("")))
        client = build_client(anthropic, settings, http)
        provider = AnthropicProvider(sdk=anthropic, client=client, settings=settings)
        assert (await fail(provider)).kind is ErrorKind.CUT


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("overloaded_error", ErrorKind.OVERLOADED),
        ("api_error", ErrorKind.UNAVAILABLE),
        ("rate_limit_error", ErrorKind.RATE),
        ("timeout_error", ErrorKind.TIMEOUT),
        ("never_seen_error", ErrorKind.UNAVAILABLE),
    ],
)
async def test_error_in_the_middle(
    api: FakeMessagesApi, make: MakeProvider, error: str, kind: ErrorKind
) -> None:
    """An error event ends the round with its own kind."""
    answers(api, Answer(blocks=[Text(text="Well then")], error_after=4, error=error))
    assert (await fail(make())).kind is kind


@pytest.mark.parametrize(
    ("failure", "kind", "param", "wait"),
    [
        (Failure(status=401, type="authentication_error"), ErrorKind.AUTH, None, None),
        (Failure(status=403, type="permission_error"), ErrorKind.AUTH, None, None),
        (Failure(status=402, type="billing_error"), ErrorKind.QUOTA, None, None),
        (
            Failure(
                status=400,
                type="invalid_request_error",
                message="Your credit balance is too low to access the API.",
            ),
            ErrorKind.QUOTA,
            None,
            None,
        ),
        (
            Failure(
                status=400,
                type="invalid_request_error",
                message="You have reached your specified API usage limits.",
            ),
            ErrorKind.QUOTA,
            None,
            None,
        ),
        (
            Failure(
                status=429,
                type="rate_limit_error",
                details={"error_code": "enforced_spend_limit_reached"},
            ),
            ErrorKind.QUOTA,
            None,
            None,
        ),
        (
            Failure(status=404, type="not_found_error", message="model: claude-nope"),
            ErrorKind.REJECTED,
            "model",
            None,
        ),
        (
            Failure(
                status=400,
                type="invalid_request_error",
                message="tools.3.custom.name: String should match pattern",
            ),
            ErrorKind.REJECTED,
            "tools.3.custom.name",
            None,
        ),
        (
            Failure(status=400, type="invalid_request_error", message="Bad request"),
            ErrorKind.REJECTED,
            None,
            None,
        ),
        (Failure(status=413, type="request_too_large"), ErrorKind.REJECTED, None, None),
        (
            Failure(status=429, type="rate_limit_error", headers={"retry-after": "17"}),
            ErrorKind.RATE,
            None,
            17,
        ),
        (
            Failure(
                status=429,
                type="rate_limit_error",
                headers={"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT"},
            ),
            ErrorKind.RATE,
            None,
            30,
        ),
        (
            Failure(
                status=429, type="rate_limit_error", headers={"retry-after": "soon"}
            ),
            ErrorKind.RATE,
            None,
            None,
        ),
        (
            Failure(status=429, type="rate_limit_error", headers={"retry-after": "-5"}),
            ErrorKind.RATE,
            None,
            0,
        ),
        (Failure(status=408, type="timeout_error"), ErrorKind.TIMEOUT, None, None),
        (Failure(status=500), ErrorKind.UNAVAILABLE, None, None),
        (Failure(status=503), ErrorKind.UNAVAILABLE, None, None),
        (Failure(status=504, type="timeout_error"), ErrorKind.TIMEOUT, None, None),
        (
            Failure(
                status=529, type="overloaded_error", headers={"retry-after": "1.5"}
            ),
            ErrorKind.OVERLOADED,
            None,
            1.5,
        ),
        (Failure(status=418, type="teapot"), ErrorKind.UNAVAILABLE, None, None),
    ],
    ids=lambda value: f"{value.status}" if isinstance(value, Failure) else None,
)
async def test_error_answers(
    api: FakeMessagesApi,
    make: MakeProvider,
    failure: Failure,
    kind: ErrorKind,
    param: str | None,
    wait: float | None,
) -> None:
    """Each refusal has its kind, its parameter and its pause; nothing is retried."""
    answers(api, failure, Answer())
    now = datetime(2026, 10, 21, 7, 28, tzinfo=UTC).timestamp()
    error = await fail(make(now=lambda: now))
    assert (error.kind, error.param, error.retry_after) == (kind, param, wait)
    assert len(api.rounds) == 1


async def test_answer_that_is_no_json(api: FakeMessagesApi, make: MakeProvider) -> None:
    """A proxy's page instead of an error still has the meaning of its status."""
    provider = make(base_url=f"{api.url}/nowhere")
    error = await fail(provider)
    assert (error.kind, error.param) == (ErrorKind.REJECTED, None)


@pytest.mark.parametrize("at", [0, 3])
@pytest.mark.parametrize("limit", ["silence_s", "total_s"])
async def test_slow_answers_time_out(
    api: FakeMessagesApi, make: MakeProvider, at: int, limit: str
) -> None:
    """Too long a wait for the first byte, or for the next event, ends the round."""
    gate = asyncio.Event()
    answers(api, Answer(blocks=[Text(text="Hello")], gate=gate, gate_at=at))
    error = await fail(make(**{limit: 0.05}))
    gate.set()
    assert error.kind is ErrorKind.TIMEOUT


async def test_slow_first_byte_is_waited_for(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """An answer that comes late, but in time, is an answer."""
    gate = asyncio.Event()
    answers(api, Answer(blocks=[Text(text="Hello")], gate=gate))
    task = asyncio.create_task(run(make()))
    while not api.rounds:
        await asyncio.sleep(0)
    gate.set()
    assert (await task)[0] == TextDelta(text="Hello")


async def test_nobody_listens(api: FakeMessagesApi, make: MakeProvider) -> None:
    """A server that is down is no fault of the request."""
    provider = make()
    await api.close()
    assert (await fail(provider)).kind is ErrorKind.UNAVAILABLE


async def test_closed_provider_sends_nothing(
    api: FakeMessagesApi, http: httpx.AsyncClient, make: MakeProvider
) -> None:
    """After close nothing is sent; the HTTP client that others use lives on."""
    provider = make()
    await provider.close()
    assert (await fail(provider)).kind is ErrorKind.UNAVAILABLE
    assert api.requests == []
    assert not http.is_closed


async def test_a_turn_given_up_lets_go_of_its_connection(
    api: FakeMessagesApi, http: httpx.AsyncClient, make: MakeProvider
) -> None:
    """A cancelled turn leaves no open answer behind."""
    gate = asyncio.Event()
    answers(
        api,
        Answer(blocks=[Text(text="Good evening")], gate=gate, gate_at=4),
        Answer(blocks=[Text(text="Hello")]),
    )
    provider = make()
    first = asyncio.Event()

    async def turn() -> None:
        async with aclosing(provider.stream(request())) as events:
            async for _ in events:
                first.set()

    task = asyncio.create_task(turn())
    await first.wait()
    pool = http._transport._pool  # type: ignore[attr-defined]  # httpcore's
    assert [one for one in pool.connections if not one.is_idle()] != []
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [one for one in pool.connections if not one.is_idle()] == []
    gate.set()
    assert (await run(provider))[0] == TextDelta(text="Hello")
