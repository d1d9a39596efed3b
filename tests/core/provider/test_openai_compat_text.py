"""Texts of models on one's own server, and the events that they come in."""

import asyncio
from collections.abc import AsyncIterator
import time
from typing import Any

import httpx
import pytest

from custom_components.caesar.brain.provider import (
    ErrorKind,
    ProviderEvent,
    ThinkingDelta,
)
from custom_components.caesar.providers import openai_compat_sse
from custom_components.caesar.providers.openai_compat_sse import chunks
from custom_components.caesar.providers.spoken_text import TextReader
from tests.fakes.messages_script import Answer, Text

from .chat import TOOLS, failed, pieces
from .contract import ChatServer
from .rounds import calls_of, request, run, text_of


async def test_thinking_is_told_apart(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """Thinking in a field of its own and between tags is no part of the answer."""
    chat.answers(
        Answer(
            blocks=pieces(
                {"reasoning_content": "Hm. ", "reasoning": "Hm. "},
                *({"content": sign} for sign in "<think>So, a lamp.</think>\n\nIt is"),
                {"content": " <b>on</b>, 1 < 2 <thi"},
                {"content": "nking>sure?</THINKING>."},
            )
        )
    )
    events = await run(chat.provider(http))
    assert text_of(events) == "It is <b>on</b>, 1 < 2 ."
    thought = "".join(one.text for one in events if isinstance(one, ThinkingDelta))
    assert thought == "Hm. So, a lamp.sure?"


async def test_thinking_that_began_in_the_prompt(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """A model that only ends its thinking is known from its first answer on."""
    thinks = Answer(blocks=[Text(text="So, a lamp. </think> It is on.")])
    plain = Answer(blocks=[Text(text="It is on.")])
    chat.answers(thinks, thinks, plain)
    provider = chat.provider(http)
    await run(provider)
    assert text_of(await run(provider)) == "It is on."
    assert text_of(await run(provider)) == "It is on."


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "get_state", "arguments": {}}</tool_call>',
        '{"name": "get_state", "arguments": {"entity_id": "lock.door"}}',
        '[{"name": "get_state", "parameters": {}}]',
        '```json\n{"name": "get_state", "arguments": {}}\n```',
        '{"type": "function", "function": {"name": "x", "arguments": "{}"}}',
        '[TOOL_CALLS][{"name": "get_state", "arguments": {}}]',
        "<|python_tag|>get_state()",
        '<function=get_state>{"entity_id": "x"}</function>',
        '[get_state(entity_id="lock.door")]',
        "get_state(entity_id='lock.door')",
    ],
)
@pytest.mark.parametrize("split", [1, 1000])
async def test_calls_written_as_text(
    chat: ChatServer, http: httpx.AsyncClient, text: str, split: int
) -> None:
    """A call that was only written isn't run, isn't read out, and is a failure."""
    parts = [text[at : at + split] for at in range(0, len(text), split)]
    chat.answers(Answer(blocks=pieces(*({"content": part} for part in parts))))
    seen: list[ProviderEvent] = []
    error = await failed(chat, http, tools=True, seen=seen)
    assert error.kind is ErrorKind.CUT
    assert (text_of(seen), calls_of(seen)) == ("", [])


@pytest.mark.parametrize(
    "text",
    [
        "[A link](https://a.test)",
        "{braces} are no call",
        '{"temperature": 21}',
        "get_state is the name of a tool.",
        "```yaml\nname: lamp\n```",
        "[1, 2, 3]",
    ],
)
async def test_words_that_look_a_little_like_a_call(
    chat: ChatServer, http: httpx.AsyncClient, text: str
) -> None:
    """An answer that begins like a call and is none is said whole."""
    parts = ({"content": sign} for sign in text)
    chat.answers(Answer(blocks=pieces(*parts)))
    assert text_of(await run(chat.provider(http), request(tools=TOOLS))) == text


class Bytes(httpx.AsyncByteStream):
    """A body that comes in these pieces."""

    def __init__(self, *pieces: bytes) -> None:
        """Keep the pieces."""
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Send them."""
        for piece in self._pieces:
            yield piece


async def read(*pieces: bytes) -> list[Any]:
    """Return the chunks of a body."""
    response = httpx.Response(200, stream=Bytes(*pieces))
    return [chunk async for chunk in chunks(response)]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_events_split_anywhere(end: bytes, size: int) -> None:
    """All line ends, comments, other fields and several lines of data are read."""
    lines = (b": a comment", b"event: x", b'data: {"a":', b'data:"\xc3\xa4"}', b"", b"")
    body = end.join(
        (*lines, b'data: {"b": 1}', b"", b"data: [DONE]", b"", b"data: x", b"")
    )
    body += end
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    assert await read(*pieces) == [{"a": "ä"}, {"b": 1}]


async def test_event_without_an_end() -> None:
    """An endless event is given up, not kept."""
    with pytest.raises(ValueError, match="too long"):
        await read(*[b"data: " + b"x" * 2**20] * 5)
    with pytest.raises(ValueError, match="too long"):
        await read(*[b"data: " + b"x" * 2**20 + b"\n"] * 5)


async def test_events_that_are_no_json() -> None:
    """What is no JSON is a broken answer."""
    with pytest.raises(ValueError, match="Expecting"):
        await read(b"data: <html>\n\n")


async def test_server_that_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its last event nobody waits for a server."""
    monkeypatch.setattr(openai_compat_sse, "_LAST_S", 0.01)
    never = asyncio.Event()

    class Open(Bytes):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield b"data: 1\n\ndata: [DONE]\n\n"
            await never.wait()

    response = httpx.Response(200, stream=Open())
    assert [chunk async for chunk in chunks(response)] == [1]


@pytest.mark.parametrize("thinks_first", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "```" + "\n" * 200_000,
        "{" * 200_000,
        "[" * 200_000,
        "<thin" * 40_000,
        "x</" * 49_999,
    ],
    ids=["fence", "braces", "brackets", "half tags", "half ends"],
)
def test_text_made_to_take_long(text: str, thinks_first: bool) -> None:
    """As much as is read at most, in the worst shapes, costs no more than a moment."""
    reader = TextReader(["get_state"], thinks_first=thinks_first)
    began = time.process_time()
    pieces = [text[at : at + 40] for at in range(0, len(text), 40)]
    said = [one.text for piece in pieces for one in reader.feed(piece)]
    said += [one.text for one in reader.finish()]
    assert not reader.wrote_call
    assert "".join(said) == text
    assert time.process_time() - began < 2
