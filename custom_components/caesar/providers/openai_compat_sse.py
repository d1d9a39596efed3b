"""Server-sent events read from a response, with a limit on each.

Source: the WHATWG's HTML standard, "Server-sent events"; OpenAI's page on streaming for
the closing `[DONE]`. Not the SDK's reader: it leaves its own readers unfinished at
`[DONE]`, and an event may fill the memory.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import suppress
import json
from typing import Any, Final

import httpx

_DONE: Final = "[DONE]"
_LONGEST_EVENT: Final = 4 * 1024 * 1024
# A server closes at once after its last event; nobody waits for one that doesn't.
_LAST_S: Final = 1.0


class Decoder:
    """Turns bytes into the data of events; raises ValueError for one without an end."""

    def __init__(self) -> None:
        """Begin a stream."""
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """Yield the data of each event that is whole now."""
        # A `\r` at the end may be half of a `\r\n`.
        text = self._rest + data
        keep = b"\r" if text.endswith(b"\r") else b""
        lines = text[: len(text) - len(keep)].replace(b"\r\n", b"\n")
        *whole, rest = lines.replace(b"\r", b"\n").split(b"\n")
        self._rest = rest + keep
        for line in whole:
            if not line:
                if self._data:
                    yield b"\n".join(self._data).decode("utf-8", "replace")
                self._data, self._size = [], 0
            elif line.startswith(b"data:"):
                self._data.append(line[5:].removeprefix(b" "))
                self._size += len(line)
        if self._size + len(self._rest) > _LONGEST_EVENT:
            raise ValueError("an event is too long")


async def chunks(response: httpx.Response) -> AsyncGenerator[Any]:
    """Yield the JSON of each event up to `[DONE]` or the body's end.

    Raises ValueError for what is no JSON, and what the HTTP client raises.
    """
    decoder = Decoder()
    done = False
    body = response.aiter_bytes()
    try:
        while True:
            try:
                async with asyncio.timeout(_LAST_S if done else None):
                    data = await anext(body, None)
            except TimeoutError:
                return
            if data is None:
                return
            for text in decoder.feed(data):
                done = done or text.strip() == _DONE
                if not done:
                    yield json.loads(text)
    finally:
        await _let_go(response, body)


async def _let_go(response: httpx.Response, body: AsyncIterator[bytes]) -> None:
    """Close a response that may not have come to its end.

    Its readers stand one within the other; each ends by itself once the connection is
    closed, while one that is just dropped would be ended by a task that nobody waits
    for.
    """
    await response.aclose()
    with suppress(httpx.HTTPError, httpx.StreamError, RuntimeError, TimeoutError):
        async with asyncio.timeout(_LAST_S):
            while await anext(body, None) is not None:
                pass
