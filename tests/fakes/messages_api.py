"""The one fake of Anthropic's Messages API.

It follows Anthropic's public API documentation: "Messages", "Streaming Messages" (the
server-sent events), "List Models", "Count Message tokens" and "Errors". It refuses
what the real API refuses.

In a test:

    async with FakeMessagesApi(Steps(Answer(blocks=[Text(text="Hello")]))) as api:
        ...  # api.url, then api.requests

As a program, for a model whose every word and call is in a file:

    python -m tests.fakes.messages_api --script FILE --port 0

prints its address as its first line and ends when its standard input closes, or on
SIGTERM. FILE is JSON or YAML:

    rules:
      - when: unlock .* door            # a regular expression over the user's last
                                        # words, upper and lower case are the same;
                                        # the first rule that matches counts
        rounds:                         # one entry for each answer to these words
          - - text: Let me see.
            - tool: lock__unlock        # a call; two entries are two calls at once
              input: {entity_id: lock.front_door}
            - tool: get_state
              raw: '{"entity_id": ['    # instead of input: JSON as it is, malformed
          - - text: It is done.
      - when: break
        rounds:
          - fail: {status: 529, type: overloaded_error, message: Overloaded}
          - - block: {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {}}
              deltas: []                # any other block, and its pieces
    default: I have nothing to say.     # a text or a list of blocks

After its last round a rule answers "Done.".
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
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

from .messages_rules import refusal, unauthorized
from .messages_script import (
    Answer,
    Body,
    Failure,
    Rules,
    Script,
    Steps,
    events_of,
    message_of,
)

KEY = "sk-test"
MODEL = "claude-haiku-4-5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Body


class FakeMessagesApi:
    """The server; use it as an async context manager.

    `check` answers the two requests that only look whether key and server work.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        key: str = KEY,
        model: str = MODEL,
        check: Failure | None = None,
    ) -> None:
        """Take the script and the one key and model that are accepted."""
        self.script: Script = script or Steps()
        self.check = check
        self.requests: list[Recorded] = []
        self.url = ""
        self._key = key
        self._model = model
        self._runner: web.AppRunner | None = None

    async def start(self, port: int = 0) -> str:
        """Listen on loopback and return the address."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.add_routes(
            [
                web.post("/v1/messages", self._messages),
                web.post("/v1/messages/count_tokens", self._count_tokens),
                web.get("/v1/models", self._models),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        host, bound = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{bound}"
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
        return [one.body for one in self.requests if one.path == "/v1/messages"]

    async def _record(self, request: web.Request) -> tuple[Body, Failure | None]:
        """Write a request down; return its body and what speaks against it."""
        raw = await request.read()
        body = json.loads(raw) if raw else {}
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(Recorded(path=request.path, headers=headers, body=body))
        return body, unauthorized(headers, self._key)

    async def _models(self, request: web.Request) -> web.StreamResponse:
        """List the one model."""
        _, refused = await self._record(request)
        if refused := refused or self.check:
            return _failed(refused)
        model = {
            "type": "model",
            "id": self._model,
            "display_name": self._model,
            "created_at": "2025-10-01T00:00:00Z",
        }
        return web.json_response(
            {
                "data": [model],
                "has_more": False,
                "first_id": self._model,
                "last_id": self._model,
            }
        )

    async def _count_tokens(self, request: web.Request) -> web.StreamResponse:
        """Count four characters as a token."""
        body, refused = await self._record(request)
        refused = refused or self.check
        refused = refused or refusal(
            request.headers, {**body, "max_tokens": 1}, self._model
        )
        if refused:
            return _failed(refused)
        return web.json_response({"input_tokens": len(json.dumps(body)) // 4})

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        """Answer as the script says, unless the request is one that is refused."""
        body, refused = await self._record(request)
        refused = refused or refusal(request.headers, body, self._model)
        step = refused or self.script.next(body)
        if isinstance(step, Failure):
            return _failed(step)
        if step.gate is not None and step.gate_at == 0:
            await step.gate.wait()
        message = message_of(step, self._model)
        if not body.get("stream"):
            return web.json_response(message)
        return await _streamed(request, step, message)


def _failed(failure: Failure) -> web.Response:
    """Return an error answer."""
    return web.json_response(
        failure.body(), status=failure.status, headers=dict(failure.headers)
    )


async def _streamed(
    request: web.Request, answer: Answer, message: Body
) -> web.StreamResponse:
    """Send an answer event by event."""
    response = web.StreamResponse(
        headers={"content-type": "text/event-stream", "cache-control": "no-cache"}
    )
    await response.prepare(request)
    for count, (name, data) in enumerate(events_of(answer, message)):
        if count == answer.cut_after:
            if answer.abrupt and request.transport is not None:
                request.transport.abort()
            break
        if count == answer.error_after:
            data = Failure(status=200, type=answer.error, message=answer.error).body()
            await _send(response, "error", data)
            break
        if answer.gate is not None and 0 < count == answer.gate_at:
            await answer.gate.wait()
        await _send(response, name, {"type": name, **data})
    return response


async def _send(response: web.StreamResponse, name: str, data: Body) -> None:
    """Send one server-sent event."""
    await response.write(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())


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

    async with FakeMessagesApi(script) as api:
        if port:
            await api.close()
            await api.start(port)
        print(api.url, flush=True)
        threading.Thread(target=wait_for_end_of_input, daemon=True).start()
        await stop.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.messages_api")
    parser.add_argument("--script", type=Path, required=True, metavar="FILE")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        script = Rules.from_file(options.script)
    except (OSError, ValueError, KeyError, TypeError, re.error, yaml.YAMLError) as err:
        print(f"{options.script}: {err}", file=sys.stderr)
        return 2
    asyncio.run(_serve(script, options.port))
    return 0


if __name__ == "__main__":
    sys.exit(main())
