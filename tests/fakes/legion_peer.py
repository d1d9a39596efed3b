"""A hostile worker: real sockets, answers written byte by byte.

Follows docs/legion-protocol.md where a test does not tell it otherwise.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
import json
import time
from typing import Any, Self

from multidict import CIMultiDict

from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
from custom_components.caesar.legion.signatures import sign_reply
from custom_components.caesar.legion.signed import Reply, Request

JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came, and where to write the answer."""

    request: Request
    path: str
    body: bytes
    writer: asyncio.StreamWriter

    @property
    def data(self) -> Any:
        """Return the body, which is JSON."""
        return json.loads(self.body)


type Answer = Callable[[Asked], Awaitable[bytes]]


class LegionPeer:
    """Answers a hello well, and a dispatch as `answer` says."""

    def __init__(self, answer: Answer | None = None) -> None:
        """Have a key of its own; `answer` returns raw bytes of HTTP."""
        self.identity = Identity.generate()
        self.answer = answer
        self.on_hello: Answer | None = None
        self.epoch = "epoch-epoch-epoch"
        self.asked: list[Asked] = []
        self.hellos = 0
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.address = WorkerAddress(
            url=f"http://127.0.0.1:{port}", public_key=self.identity.public_key
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all."""
        assert self._server is not None
        self._server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    def reply(self, asked: Asked, **changes: Any) -> bytes:
        """Return the body of a good reply, with changes."""
        return json.dumps(
            {
                "protocol": 1,
                "task_id": asked.data["task_id"],
                "worker_id": "peer",
                "success": True,
                "result": {"value": 4},
                "error": None,
                "code": None,
                "retryable": False,
                "duration_ms": 1,
                **changes,
            }
        ).encode()

    def signed(
        self,
        request: Request,
        body: bytes,
        *,
        status: int = 200,
        identity: Identity | None = None,
        now: float | None = None,
    ) -> CIMultiDict[str]:
        """Return the headers of a signed reply."""
        reply = Reply(
            status_code=status,
            headers=CIMultiDict({"Content-Type": JSON}),
            request=request,
        )
        sign_reply(
            identity or self.identity,
            reply,
            body,
            now=time.time() if now is None else now,
        )
        return reply.headers

    def good(self, asked: Asked, body: bytes | None = None, **how: Any) -> bytes:
        """Return a signed answer."""
        body = self.reply(asked) if body is None else body
        headers = self.signed(asked.request, body, **how)
        return raw(headers, body, status=how.get("status", 200))

    def hello(self, asked: Asked, **changes: Any) -> bytes:
        """Return the answer to a hello, with changes."""
        health = {
            "protocol": 1,
            "worker_id": "peer",
            "version": "1",
            "epoch": self.epoch,
            "tools": [],
            "server_time": time.time(),
            "started_at": time.time() - 60,
            "inflight": 0,
            "last_error": None,
            **changes,
        }
        return self.good(asked, json.dumps(health).encode())

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        talk = asyncio.current_task()
        assert talk is not None
        self._talks.add(talk)
        try:
            while True:
                writer.write(await self._answer(await _read(reader, writer)))
                await writer.drain()
        except asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError:
            # Whoever was there has gone, or the test is over.
            pass
        finally:
            self._talks.discard(talk)
            writer.transport.abort()

    async def _answer(self, asked: Asked) -> bytes:
        if asked.path == "/v1/hello":
            self.hellos += 1
            if self.on_hello is not None:
                return await self.on_hello(asked)
            return self.hello(asked)
        self.asked.append(asked)
        if self.answer is None:
            return self.good(asked)
        return await self.answer(asked)


def raw(
    headers: Mapping[str, str],
    body: bytes,
    *,
    status: int = 200,
    length: int | None = None,
) -> bytes:
    """Return an answer of HTTP/1.1."""
    lines = [f"HTTP/1.1 {status} Whatever"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if "Transfer-Encoding" not in headers:
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    method, path, _ = head[0].split(" ")
    headers: CIMultiDict[str] = CIMultiDict()
    for line in filter(None, head[1:]):
        name, _, value = line.partition(":")
        headers.add(name, value.strip())
    body = await reader.readexactly(int(headers.get("Content-Length", "0")))
    url = f"http://{headers['Host']}{path}"
    request = Request(method=method, url=url, headers=headers)
    return Asked(request=request, path=path, body=body, writer=writer)
