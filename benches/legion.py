"""What signatures cost: a signed dispatch against a bare POST to the same handler.

Usage: script/bench legion [CALLS]

Real server and client over loopback, in one process and one run, in turns, so that both
see the same machine. "signed" is the whole way of a dispatch: signing, verifying, strict
JSON, schema, task, reply, and back. "library" is the same with http-message-signatures
in place of our own direct way, "bare" an aiohttp POST of the same body.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import count
from statistics import median, quantiles
import sys
import time
from typing import Final
from unittest import mock

import aiohttp
from aiohttp import web

from custom_components.caesar.legion import direct
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import DispatchRequest, WorkerAddress
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.wire import dispatch_to_bytes, loads
from custom_components.caesar.legion.worker import Task, Worker
from tests.core.legion.workers import ECHO

CALLS: Final = 2_000
WARM_UP: Final = 100
ROUND: Final = 50
AT_ONCE: Final = (1, 4, 16)

type Call = Callable[[], Awaitable[None]]


class Echo(Worker):
    """The least a tool can do."""

    tools = (ECHO,)

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Return the input."""
        return {"text": task.input["text"]}


class Stage:
    """Both ways to one handler."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        """Take the session that both use."""
        self._session = session
        self._numbers = count()
        self._house, self._identity = Identity.generate(), Identity.generate()
        self._client = HttpWorkerClient(session, self._house)
        self._echo = Echo()
        self._server = WorkerServer(
            "echo", [self._echo], self._identity, [self._house.public_key], version="1"
        )
        self._worker = WorkerAddress(url="", public_key="")
        app = web.Application()
        app.router.add_post("/bare", self._bare)
        self._runner = web.AppRunner(app, access_log=None)
        self._url = ""

    async def open(self) -> None:
        """Start both servers."""
        port = await self._server.start("127.0.0.1", 0)
        self._worker = WorkerAddress(
            url=f"http://127.0.0.1:{port}", public_key=self._identity.public_key
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/bare"

    async def close(self) -> None:
        """Stop both."""
        await self._server.stop()
        await self._runner.cleanup()

    async def signed(self) -> None:
        """Dispatch as Home Assistant does."""
        reply = await self._client.dispatch(
            self._worker, self._request(), max_reply_bytes=65_536
        )
        if not reply.success:
            raise SystemExit(f"a dispatch failed: {reply.error}")

    async def bare(self) -> None:
        """Send the same body without any proof."""
        body = dispatch_to_bytes(self._request())
        async with self._session.post(
            self._url, data=body, headers={"Content-Type": "application/json"}
        ) as response:
            loads(await response.read())

    async def _bare(self, http: web.Request) -> web.Response:
        task = Task(id="", tool="echo", input=loads(await http.read())["input"])  # type: ignore[arg-type]  # as it was sent
        return web.json_response(await self._echo.handle(task))

    def _request(self) -> DispatchRequest:
        return DispatchRequest(
            task_id=f"t{next(self._numbers)}",
            tool="echo",
            input={"text": "what is 17 percent of 249"},
            decision_id="d" * 32,
            deadline_ms=5_000,
        )


async def timed(call: Call) -> float:
    """Return how many milliseconds a call takes."""
    start = time.perf_counter_ns()
    await call()
    return (time.perf_counter_ns() - start) / 1e6


async def each_second(call: Call, at_once: int, calls: int) -> float:
    """Return how many calls end in a second, with so many under way."""
    left = iter(range(calls))

    async def lane() -> None:
        for _ in left:
            await call()

    start = time.perf_counter()
    await asyncio.gather(*(lane() for _ in range(at_once)))
    return calls / (time.perf_counter() - start)


async def by_library(call: Call) -> None:
    """Make a call with our direct way switched off."""
    with ExitStack() as off:
        for name, answer in (("sign", False), ("verify", None), ("verify_body", False)):
            off.enter_context(mock.patch.object(direct, name, return_value=answer))
        await call()


async def bench(calls: int) -> None:
    """Measure and print."""
    async with aiohttp.ClientSession() as session:
        stage = Stage(session)
        await stage.open()
        ways: dict[str, Call] = {
            "bare": stage.bare,
            "signed": stage.signed,
            "library": partial(by_library, stage.signed),
        }
        took: dict[str, list[float]] = {name: [] for name in ways}
        try:
            for call in ways.values():
                for _ in range(WARM_UP):
                    await call()
            for _ in range(0, calls, ROUND):
                for name, call in ways.items():
                    took[name] += [await timed(call) for _ in range(ROUND)]
            print(f"{'':10} {'p50 ms':>8} {'p99 ms':>8}   ({calls} calls each)")
            for name, figures in took.items():
                late = quantiles(figures, n=100)[98]
                print(f"{name:10} {median(figures):8.3f} {late:8.3f}")
            for at_once in AT_ONCE:
                speed = await each_second(stage.signed, at_once, calls)
                print(f"{at_once:2} at once: {speed:6.0f} dispatches/s")
        finally:
            await stage.close()


def main() -> int:
    """Measure."""
    asyncio.run(bench(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
