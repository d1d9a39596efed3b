"""What the fakes of the models' APIs share: a server that follows a script.

Each fake says what its API's requests and answers look like; steps and script files are
those of `tests.fakes.messages_script`.
"""

from abc import ABC, abstractmethod
import argparse
import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
import json
import os
from pathlib import Path
import re
import signal
import sys
import threading
from typing import ClassVar, Self

from aiohttp import web
import yaml

from .messages_script import Answer, Body, Failure, Page, Rules, Script, Step, Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: Body


class FakeModelApi(ABC):
    """The server; use it as an async context manager.

    `check` answers the requests that only look whether key and server work. `path` is
    where answers are asked for, `root` what a client's address ends with.
    """

    path: ClassVar[str]
    root: ClassVar[str] = ""

    def __init__(self, script: Script | None, check: Failure | None) -> None:
        """Take the script."""
        self.script: Script = script or Steps()
        self.check = check
        self.requests: list[Recorded] = []
        self.url = ""
        self._runner: web.AppRunner | None = None

    @abstractmethod
    def routes(self) -> list[web.RouteDef]:
        """Return what is served."""

    @abstractmethod
    def unauthorized(self, headers: dict[str, str]) -> Failure | None:
        """Return the answer to a wrong key."""

    @abstractmethod
    def error(self, failure: Failure) -> Body:
        """Return an error as the API words it."""

    async def start(self, port: int = 0) -> str:
        """Listen on loopback and return the address."""
        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.add_routes(self.routes())
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        host, bound = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{bound}{self.root}"
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
        return [one.body for one in self.requests if one.path == self.path]

    async def record(self, request: web.Request) -> tuple[Body, Failure | None]:
        """Write a request down; return its body and what speaks against it."""
        raw = await request.read()
        body = json.loads(raw) if raw else {}
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(Recorded(path=request.path, headers=headers, body=body))
        return body, self.unauthorized(headers)

    async def step(self, body: Body) -> Step:
        """Return what the script says next, once its gate is open."""
        step = self.script.next(body)
        if isinstance(step, Answer) and step.gate is not None and step.gate_at == 0:
            await step.gate.wait()
        return step

    def failed(self, failure: Failure) -> web.Response:
        """Return an error answer."""
        if isinstance(failure, Page):
            return web.Response(
                text=failure.text,
                status=failure.status,
                content_type=failure.content_type,
            )
        return web.json_response(
            self.error(failure), status=failure.status, headers=dict(failure.headers)
        )


async def streamed(
    request: web.Request,
    answer: Answer,
    pieces: Iterable[bytes],
    error: bytes,
    content_type: str = "text/event-stream",
) -> web.StreamResponse:
    """Send an answer piece by piece; `error` is the piece that may break it off."""
    response = web.StreamResponse(
        headers={"content-type": content_type, "cache-control": "no-cache"}
    )
    await response.prepare(request)
    for count, piece in enumerate(pieces):
        if count == answer.cut_after:
            if answer.abrupt and request.transport is not None:
                request.transport.abort()
            break
        if count == answer.error_after:
            await response.write(error)
            break
        if answer.gate is not None and 0 < count == answer.gate_at:
            await answer.gate.wait()
        await response.write(piece)
        if answer.every:
            await asyncio.sleep(answer.every)
    return response


def run(
    module: str,
    rules: type[Rules],
    server: Callable[[Script], FakeModelApi],
    arguments: Sequence[str] | None,
) -> int:
    """Run a fake as the program `module`; returns its exit code."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}")
    parser.add_argument("--script", type=Path, required=True, metavar="FILE")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        script = rules.from_file(options.script)
    except (OSError, ValueError, KeyError, TypeError, re.error, yaml.YAMLError) as err:
        print(f"{options.script}: {err}", file=sys.stderr)
        return 2
    asyncio.run(_serve(server(script), options.port))
    return 0


async def _serve(server: FakeModelApi, port: int) -> None:
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

    print(await server.start(port), flush=True)
    threading.Thread(target=wait_for_end_of_input, daemon=True).start()
    await stop.wait()
    await server.close()
