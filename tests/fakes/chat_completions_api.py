"""The one fake of OpenAI's Chat Completions API.

It follows OpenAI's public API reference: "Chat Completions", its "Streaming" (the
server-sent events), "Models: list" and the guide "Error codes". It refuses what OpenAI
or one of the compatible servers refuses.

In a test:

    async with FakeChatApi(Steps(Answer(blocks=[Text(text="Hello")]))) as api:
        ...  # api.url, then api.requests

As a program, for a model whose every word and call is in a file:

    python -m tests.fakes.chat_completions_api --script FILE --port 0

prints its address as its first line and ends when its standard input closes, or on
SIGTERM. FILE is what `tests.fakes.messages_api` takes.
"""

import argparse
import asyncio
from collections.abc import Collection, Sequence
import json
import os
from pathlib import Path
import re
import signal
import sys
import threading
from typing import Self

from aiohttp import web
import yaml

from .chat_completions_rules import refusal, unauthorized
from .chat_completions_script import ChatRules, chunks_of, error_of
from .messages_api import Recorded
from .messages_script import Answer, Body, Failure, Script, Steps

KEY = "sk-test"
MODEL = "gpt-test"
PATH = "/v1/chat/completions"


class FakeChatApi:
    """The server; use it as an async context manager.

    `key` None is a server that asks for none. `check` answers the request that only
    looks whether key and server work; `refuses` are parameters that it doesn't take,
    `models` what it lists beside `model`.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        key: str | None = KEY,
        model: str = MODEL,
        models: Sequence[str] = (),
        check: Failure | None = None,
        refuses: Collection[str] = (),
    ) -> None:
        """Take the script, and what is accepted."""
        self.script: Script = script or Steps()
        self.key = key
        self.model = model
        self.models = list(models)
        self.check = check
        self.refuses = set(refuses)
        self.requests: list[Recorded] = []
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def start(self, port: int = 0) -> str:
        """Listen on loopback and return the address."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.add_routes(
            [web.post(PATH, self._answer), web.get("/v1/models", self._list)]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        host, bound = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{bound}/v1"
        return self.url

    async def close(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self) -> Self:
        """Start."""
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop."""
        await self.close()

    @property
    def rounds(self) -> list[Body]:
        """Return the bodies of the requests for an answer."""
        return [one.body for one in self.requests if one.path == PATH]

    async def _record(self, request: web.Request) -> tuple[Body, Failure | None]:
        """Write a request down; return its body and what speaks against it."""
        raw = await request.read()
        body = json.loads(raw) if raw else {}
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(Recorded(path=request.path, headers=headers, body=body))
        return body, unauthorized(headers, self.key)

    async def _list(self, request: web.Request) -> web.StreamResponse:
        """List the models."""
        _, refused = await self._record(request)
        if refused := refused or self.check:
            return _failed(refused)
        data = [
            {"id": name, "object": "model", "created": 1_790_000_000, "owned_by": "us"}
            for name in (self.model, *self.models)
        ]
        return web.json_response({"object": "list", "data": data})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        """Answer as the script says, unless the request is one that is refused."""
        body, refused = await self._record(request)
        refused = refused or refusal(body, self.model, self.refuses)
        step = refused or self.script.next(body)
        if isinstance(step, Failure):
            return _failed(step)
        if step.gate is not None and step.gate_at == 0:
            await step.gate.wait()
        with_usage = bool(body.get("stream_options", {}).get("include_usage"))
        return await _streamed(request, step, self.model, with_usage=with_usage)


def _failed(failure: Failure) -> web.Response:
    """Return an error answer."""
    return web.json_response(
        error_of(failure), status=failure.status, headers=dict(failure.headers)
    )


async def _streamed(
    request: web.Request, answer: Answer, model: str, *, with_usage: bool
) -> web.StreamResponse:
    """Send an answer chunk by chunk."""
    response = web.StreamResponse(
        headers={"content-type": "text/event-stream", "cache-control": "no-cache"}
    )
    await response.prepare(request)
    chunks = chunks_of(answer, model, with_usage=with_usage)
    for count, chunk in enumerate(chunks):
        if count == answer.cut_after:
            if answer.abrupt and request.transport is not None:
                request.transport.abort()
            return response
        if count == answer.error_after:
            failure = Failure(status=200, type=answer.error, message=answer.error)
            await response.write(f"data: {json.dumps(error_of(failure))}\n\n".encode())
            return response
        if answer.gate is not None and 0 < count == answer.gate_at:
            await answer.gate.wait()
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response


async def _serve(script: Script, port: int) -> None:
    """Serve until standard input closes or the process is told to stop."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def wait_for_end_of_input() -> None:
        # Not sys.stdin: its lock would be held when the interpreter ends.
        while os.read(0, 4096):
            pass
        loop.call_soon_threadsafe(stop.set)

    api = FakeChatApi(script, key=None)
    print(await api.start(port), flush=True)
    threading.Thread(target=wait_for_end_of_input, daemon=True).start()
    await stop.wait()
    await api.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.chat_completions_api")
    parser.add_argument("--script", type=Path, required=True, metavar="FILE")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        script = ChatRules.from_file(options.script)
    except (OSError, ValueError, KeyError, TypeError, re.error, yaml.YAMLError) as err:
        print(f"{options.script}: {err}", file=sys.stderr)
        return 2
    asyncio.run(_serve(script, options.port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
