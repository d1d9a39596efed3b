"""What goes wrong at Ollama: errors, cuts, nonsense, silence, cancelled turns."""

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from custom_components.caesar.brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    TextDelta,
)
from custom_components.caesar.providers.ollama import OllamaProvider
from custom_components.caesar.turn import ToolRequest
from tests.fakes.messages_script import Answer, Block, Failure, Steps, Text, ToolUse
from tests.fakes.ollama_api import FakeOllama

from .conftest import MakeOllama
from .rounds import fail, request, run


@pytest.mark.parametrize("lines", range(3))
@pytest.mark.parametrize("abrupt", [False, True])
async def test_cut_stream(
    server: FakeOllama, make_ollama: MakeOllama, lines: int, abrupt: bool
) -> None:
    """Cut anywhere, cleanly or not, a round fails; no call of it was given out."""
    blocks: list[Block] = [Text(text="Well"), ToolUse(name="lock__unlock")]
    server.script = Steps(Answer(blocks=blocks, cut_after=lines, abrupt=abrupt))
    seen: list[ProviderEvent] = []
    assert (await fail(make_ollama(), seen)).kind is ErrorKind.CUT
    assert not [e for e in seen if isinstance(e, ToolRequest | Completed)]


async def test_cut_after_nothing_but_the_end(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """The three lines of the test above are all but the last of an answer's."""
    blocks: list[Block] = [Text(text="Well"), ToolUse(name="lock__unlock")]
    server.script = Steps(Answer(blocks=blocks, cut_after=3))
    assert isinstance((await run(make_ollama()))[-1], Completed)


@pytest.mark.parametrize(
    ("failure", "kind", "param"),
    [
        (Failure(status=401, message="unauthorized"), ErrorKind.AUTH, None),
        (Failure(status=403, message="forbidden"), ErrorKind.AUTH, None),
        (Failure(status=402, message="payment required"), ErrorKind.QUOTA, None),
        (
            Failure(status=404, message='model "x" not found, try pulling it first'),
            ErrorKind.REJECTED,
            "model",
        ),
        (Failure(status=404, message="404 page not found"), ErrorKind.REJECTED, None),
        (Failure(status=400, message="invalid options"), ErrorKind.REJECTED, None),
        (Failure(status=408, message="timeout"), ErrorKind.TIMEOUT, None),
        (Failure(status=413, message="too large"), ErrorKind.REJECTED, None),
        (Failure(status=429, message="too many requests"), ErrorKind.RATE, None),
        (
            Failure(status=429, message="you have reached your weekly usage limit"),
            ErrorKind.QUOTA,
            None,
        ),
        (
            Failure(status=500, message="model requires more system memory (9.2 GiB)"),
            ErrorKind.UNAVAILABLE,
            None,
        ),
        (Failure(status=502, message="bad gateway"), ErrorKind.UNAVAILABLE, None),
        (
            Failure(status=503, message="server busy, please try again."),
            ErrorKind.OVERLOADED,
            None,
        ),
        (Failure(status=504, message="timeout"), ErrorKind.TIMEOUT, None),
    ],
    ids=lambda value: value.message if isinstance(value, Failure) else None,
)
async def test_error_answers(
    server: FakeOllama,
    make_ollama: MakeOllama,
    failure: Failure,
    kind: ErrorKind,
    param: str | None,
) -> None:
    """Each refusal has its kind and its parameter; nothing is retried."""
    server.script = Steps(failure, Answer())
    error = await fail(make_ollama())
    assert (error.kind, error.param) == (kind, param)
    assert len(server.rounds) == 1


async def test_model_that_was_not_pulled(
    server: FakeOllama, make_ollama: MakeOllama, caplog: pytest.LogCaptureFixture
) -> None:
    """The log, to which a person is sent, says what to do."""
    error = await fail(make_ollama(model="mistral"))
    assert (error.kind, error.param) == (ErrorKind.REJECTED, "model")
    assert "`ollama pull mistral`" in str(error)
    assert str(error) in caplog.text


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("model runner has unexpectedly stopped", ErrorKind.UNAVAILABLE),
        ("an error was encountered while running the model", ErrorKind.UNAVAILABLE),
        ("error parsing tool call: raw='{'", ErrorKind.CUT),
    ],
)
async def test_error_in_the_middle(
    server: FakeOllama, make_ollama: MakeOllama, message: str, kind: ErrorKind
) -> None:
    """An error line ends the round."""
    answer = Answer(blocks=[Text(text="Well then")], error_after=1, error=message)
    server.script = Steps(answer)
    seen: list[ProviderEvent] = []
    error = await fail(make_ollama(), seen)
    assert (error.kind, str(error)) == (kind, message)
    assert seen == [TextDelta(text="Well ")]


async def test_malformed_arguments(server: FakeOllama, make_ollama: MakeOllama) -> None:
    """What Ollama itself could make no call of is none; nor is the one before it."""
    blocks: list[Block] = [
        ToolUse(name="get_state"),
        ToolUse(name="lock__unlock", raw='{"entity_id": ['),
    ]
    server.script = Steps(Answer(blocks=blocks))
    seen: list[ProviderEvent] = []
    assert (await fail(make_ollama(), seen)).kind is ErrorKind.CUT
    assert seen == []


CALL = '{"model":"m","done":false,"message":{"role":"assistant","tool_calls":[%s]}}'
END = b'{"model":"m","done":true,"message":{"role":"assistant","content":""}}'


@pytest.mark.parametrize(
    "line",
    [
        "<html>A proxy's page</html>",
        "{",
        "[]",
        "null",
        '"text"',
        "3",
        "",
        "{}",
        '{"done":true}',
        '{"self":1}',
        '{"error":["no text"]}',
        '{"error":"[1]"}',
        '{"model":"m","message":{"content":3}}',
        '{"model":"m","message":{"role":"assistant","content":{}}}',
        '{"model":"m","message":[]}',
        "[" * 100_000,
        CALL % "3",
        CALL % '{"function":3}',
        CALL % '{"function":{"name":"a"}}',
        CALL % '{"function":{"name":3,"arguments":{}}}',
        CALL % '{"function":{"name":"a","arguments":"{}"}}',
        CALL % '{"function":{"name":"a","arguments":[1]}}',
        CALL % ('{"function":{"name":"a","arguments":{"n":' + "9" * 5000 + "}}}"),
    ],
    ids=lambda line: line[:40],
)
async def test_nonsense(server: FakeOllama, make_ollama: MakeOllama, line: str) -> None:
    """A line that isn't the API's fails the round, whatever comes after it."""
    server.script = Steps(Answer())
    server.lines = [line.encode(), END]
    seen: list[ProviderEvent] = []
    assert (await fail(make_ollama(), seen)).kind in (
        ErrorKind.CUT,
        ErrorKind.UNAVAILABLE,
    )
    assert seen == []


@pytest.mark.parametrize("value", ["NaN", "[Infinity]", '{"deep":-Infinity}'])
async def test_arguments_that_are_no_json(
    server: FakeOllama, make_ollama: MakeOllama, value: str
) -> None:
    """They can't be carried by a later request, so the gate gets none to judge."""
    call = '{"function":{"name":"get_state","arguments":{"x":VALUE}}}'
    server.script = Steps(Answer())
    server.lines = [(CALL % call.replace("VALUE", value)).encode(), END]
    (made, _) = await run(make_ollama())
    assert isinstance(made, ToolRequest)
    assert made.arguments is None


async def test_endless_arguments(server: FakeOllama, make_ollama: MakeOllama) -> None:
    """They are part of the answer too."""
    call = ToolUse(name="get_state", input={"x": "x" * 20_000})
    server.script = Steps(Answer(blocks=[call] * 15))
    assert str(await fail(make_ollama())) == "The answer is endless"


async def test_a_stream_held_open_after_its_end(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """An answer that is whole is not waited for any longer."""
    gate = asyncio.Event()
    answer = Answer(blocks=[Text(text="Hello")], gate=gate, gate_at=1)
    server.script = Steps(answer)
    server.lines = [END, END]
    events = await run(make_ollama(total_s=30))
    gate.set()
    assert isinstance(events[-1], Completed)


async def test_no_address_of_a_server(make_ollama: MakeOllama) -> None:
    """Nor is an address of some other kind of server."""
    provider = make_ollama(url="ftp://127.0.0.1:1")
    assert (await fail(provider)).kind is ErrorKind.UNAVAILABLE


async def test_a_turn_given_up_lets_go_of_its_connection(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A cancelled turn leaves no open answer behind, and the next one works."""
    gate = asyncio.Event()
    server.script = Steps(
        Answer(blocks=[Text(text="Good evening")], gate=gate, gate_at=1),
        Answer(blocks=[Text(text="Hello")]),
    )
    provider = make_ollama()
    first = asyncio.Event()

    async def turn() -> None:
        async with aclosing(provider.stream(request())) as events:
            async for _ in events:
                first.set()

    task = asyncio.create_task(turn())
    await first.wait()
    assert _busy(provider) != []
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _busy(provider) == []
    gate.set()
    assert (await run(provider))[0] == TextDelta(text="Hello")


def _busy(provider: OllamaProvider) -> list[Any]:
    """Return the connections on which an answer is still read."""
    return [one for one in _connections(provider) if not one.is_idle()]


def _connections(provider: Any) -> list[Any]:
    """Return the connections of the SDK's HTTP client."""
    return list(provider._client._client._transport._pool.connections)


async def test_connections_are_used_again(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """The second round of a turn opens no connection."""
    server.script = Steps(*[Answer(blocks=[Text(text="Hello")])] * 2)
    provider = make_ollama()
    await run(provider)
    (before,) = _connections(provider)
    await run(provider)
    assert _connections(provider) == [before]


async def test_check_and_models(server: FakeOllama, make_ollama: MakeOllama) -> None:
    """The server is there, and the model is one of its models."""
    await make_ollama().check()
    assert await make_ollama().models() == ("qwen3:8b",)
    with pytest.raises(ProviderError) as raised:
        await make_ollama(model="qwen3").check()
    assert (raised.value.kind, raised.value.param) == (ErrorKind.REJECTED, "model")
    assert server.rounds == []


async def test_check_takes_the_latest(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A name without a tag means the latest."""
    server.model = type(server.model)(name="llama3.2:latest")
    await make_ollama(model="llama3.2").check()
    await make_ollama(model="llama3.2:latest").check()


async def test_check_with_a_key(server: FakeOllama, make_ollama: MakeOllama) -> None:
    """A server behind a proxy wants a key."""
    server.key = "ours"
    await make_ollama(api_key="ours").check()
    with pytest.raises(ProviderError) as raised:
        await make_ollama(api_key="other").check()
    assert raised.value.kind is ErrorKind.AUTH


async def test_check_of_another_server(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A web server that isn't Ollama has no list of models."""
    with pytest.raises(ProviderError) as raised:
        await make_ollama(url=f"{server.url}/elsewhere").check()
    assert raised.value.kind is ErrorKind.REJECTED
