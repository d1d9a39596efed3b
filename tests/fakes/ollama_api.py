"""The one fake of an Ollama server.

It follows Ollama's docs/api.md: "Generate a chat completion" (a stream of JSON objects,
one a line) and "List Local Models". It refuses what the real server refuses, see
`tests.fakes.ollama_rules`.

What it answers is written in the blocks and steps of `tests.fakes.messages_script`:
`Text` comes word by word, `ToolUse` in a line of its own, and `Other(block=...)` is a
message's fields as they are (thinking, for one). A `ToolUse` with `raw` is what the
model wrote and Ollama couldn't read: the real server ends the stream with an error.
`usage` goes over the usual counts of the last line. A `Failure` has a status and a
message; Ollama knows no types of errors.

In a test:

    async with FakeOllama(Steps(Answer(blocks=[Text(text="Hello")]))) as server:
        ...  # server.url, then server.requests

As a program, for a model whose every word and call is in a file (its format is told in
`tests.fakes.messages_api`):

    python -m tests.fakes.ollama_api --script FILE --port 0

prints its address as its first line and ends when its standard input closes, or on
SIGTERM.
"""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import itertools
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

from .messages_script import (
    Answer,
    Block,
    Body,
    Failure,
    Other,
    Rules,
    Script,
    Steps,
    Text,
    ToolUse,
)
from .ollama_rules import Model, refusal, unauthorized

MODEL = Model()
_WRITTEN = "2026-11-30T20:00:00.000000001Z"
_ids = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Body


class FakeOllama:
    """The server; use it as an async context manager.

    It has one model. `check` answers the request that only looks what models there are,
    `lines` replaces the lines of the next answers as they are.
    """

    def __init__(
        self,
        script: Script | None = None,
        *,
        model: Model = MODEL,
        key: str = "",
        check: Failure | None = None,
    ) -> None:
        """Take the script and the one model."""
        self.script: Script = script or Steps()
        self.model = model
        self.key = key
        self.check = check
        self.lines: list[bytes] | None = None
        self.requests: list[Recorded] = []
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def start(self, port: int = 0) -> str:
        """Listen on loopback and return the address."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.add_routes(
            [web.post("/api/chat", self._chat), web.get("/api/tags", self._tags)]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
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
        return [one.body for one in self.requests if one.path == "/api/chat"]

    async def _record(self, request: web.Request) -> tuple[Body, Failure | None]:
        """Write a request down; return its body and what speaks against it."""
        raw = await request.read()
        body = json.loads(raw) if raw else {}
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(Recorded(path=request.path, headers=headers, body=body))
        return body, unauthorized(headers, self.key)

    async def _tags(self, request: web.Request) -> web.StreamResponse:
        """List the one model."""
        _, refused = await self._record(request)
        if refused := refused or self.check:
            return _failed(refused)
        model = {
            "name": self.model.name,
            "model": self.model.name,
            "modified_at": _WRITTEN,
            "size": 5_225_388_164,
            "digest": "500a1f067a9f782620b40bee6f7b0c89e17ae61f686b92c24933e4ca4b2b8b41",
            "details": {
                "parent_model": "",
                "format": "gguf",
                "family": "qwen3",
                "families": ["qwen3"],
                "parameter_size": "8.2B",
                "quantization_level": "Q4_K_M",
            },
        }
        return web.json_response({"models": [model]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        """Answer as the script says, unless the request is one that is refused."""
        body, refused = await self._record(request)
        step = refused or refusal(body, self.model) or self.script.next(_heard(body))
        if isinstance(step, Failure):
            return _failed(step)
        if step.gate is not None and step.gate_at == 0:
            await step.gate.wait()
        lines = [json.dumps(line).encode() for line in _lines(step, body["model"])]
        return await self._streamed(request, step, lines)

    async def _streamed(
        self, request: web.Request, answer: Answer, lines: list[bytes]
    ) -> web.StreamResponse:
        """Send an answer line by line."""
        response = web.StreamResponse(headers={"content-type": "application/x-ndjson"})
        await response.prepare(request)
        for count, line in enumerate(lines if self.lines is None else self.lines):
            if count == answer.cut_after:
                if answer.abrupt and request.transport is not None:
                    request.transport.abort()
                break
            if count == answer.error_after:
                await response.write(
                    json.dumps({"error": answer.error}).encode() + b"\n"
                )
                break
            if answer.gate is not None and 0 < count == answer.gate_at:
                await answer.gate.wait()
            await response.write(line + b"\n")
        return response


def _heard(body: Body) -> Body:
    """Return a request as scripts read it: what the person and the model said."""
    said = [m for m in body["messages"] if m["role"] in ("user", "assistant")]
    return {**body, "messages": said}


def _failed(failure: Failure) -> web.Response:
    """Return an error answer."""
    return web.json_response(
        {"error": failure.message},
        status=failure.status,
        headers=dict(failure.headers),
    )


def _lines(answer: Answer, model: str) -> Iterator[Body]:
    """Yield the lines of an answer."""
    head = {"model": model, "created_at": _WRITTEN}
    for block in answer.blocks:
        if isinstance(block, ToolUse) and block.raw is not None:
            err = "invalid character after object key:value pair"
            yield {"error": f"error parsing tool call: raw='{block.raw}', err={err}"}
            return
        for message in _messages(block):
            spoken = {"role": "assistant", "content": "", **message}
            yield {**head, "message": spoken, "done": False}
    yield {
        **head,
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": answer.stop or "stop",
        "total_duration": 885_095_291,
        "load_duration": 3_753_500,
        "prompt_eval_count": 10,
        "prompt_eval_duration": 328_493_000,
        "eval_count": 5,
        "eval_duration": 552_222_000,
        **answer.usage,
    }


def _messages(block: Block) -> Iterator[Body]:
    """Yield the messages that a block is sent in."""
    match block:
        case Text():
            for word in re.findall(r"\S+\s*|\s+", block.text):
                yield {"content": word}
        case ToolUse():
            function = {"index": 0, "name": block.name, "arguments": dict(block.input)}
            call_id = block.id or f"call_{next(_ids):08x}"
            yield {"tool_calls": [{"id": call_id, "function": function}]}
        case Other():
            yield block.block


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

    server = FakeOllama(script)
    print(await server.start(port), flush=True)
    threading.Thread(target=wait_for_end_of_input, daemon=True).start()
    await stop.wait()
    await server.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.ollama_api")
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
