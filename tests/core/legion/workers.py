"""Workers that the tests of the wire have in common, and their servers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import aiohttp

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import (
    DispatchRequest,
    WorkerAddress,
    WorkerReply,
)
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.worker import Task, Worker

ECHO = ToolSpec(
    name="echo",
    title="Echo",
    description="Says it again.",
    input_schema={
        "type": "object",
        "properties": {"text": {"type": "string", "maxLength": 400}},
        "required": ["text"],
        "additionalProperties": False,
    },
    max_reply_bytes=4_096,
)


async def say_again(task: Task) -> Mapping[str, Json]:
    """Return the input."""
    return {"text": task.input["text"]}


class Echo(Worker):
    """Does what `act` says, and remembers the tasks."""

    tools = (ECHO,)

    def __init__(
        self, act: Callable[[Task], Awaitable[Mapping[str, Json]]] = say_again
    ) -> None:
        """Do as told."""
        self.act = act
        self.tasks: list[Task] = []
        self.events: list[str] = []

    async def start(self) -> None:
        """Take note."""
        self.events.append("start")

    async def stop(self) -> None:
        """Take note."""
        self.events.append("stop")

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Do it."""
        self.tasks.append(task)
        return await self.act(task)


@dataclass(slots=True, kw_only=True)
class Bench:
    """A real server with one worker, and a house that dials it."""

    worker: Echo
    server: WorkerServer
    house: Identity
    identity: Identity
    session: aiohttp.ClientSession
    client: HttpWorkerClient
    address: WorkerAddress
    _numbers: count[int] = field(default_factory=count)

    def request(self, text: str = "hello", **changes: Any) -> DispatchRequest:
        """Return a dispatch."""
        values: dict[str, Any] = {
            "task_id": f"task-{next(self._numbers)}",
            "tool": "echo",
            "input": {"text": text},
            "decision_id": "decision",
            "deadline_ms": 2_000,
            **changes,
        }
        return DispatchRequest(**values)

    async def dispatch(self, text: str = "hello", **changes: Any) -> WorkerReply:
        """Have the worker do something."""
        return await self.client.dispatch(
            self.address, self.request(text, **changes), max_reply_bytes=4_096
        )


@asynccontextmanager
async def bench(
    worker: Echo | None = None,
    *,
    client_clock: Callable[[], float] | None = None,
    **options: Any,
) -> AsyncIterator[Bench]:
    """Serve as long as the block lasts."""
    worker = worker or Echo()
    house, identity = Identity.generate(), Identity.generate()
    server = WorkerServer(
        "echo-1", [worker], identity, [house.public_key], version="1.2", **options
    )
    port = await server.start("127.0.0.1", 0)
    clock = {} if client_clock is None else {"clock": client_clock}
    try:
        async with aiohttp.ClientSession() as session:
            yield Bench(
                worker=worker,
                server=server,
                house=house,
                identity=identity,
                session=session,
                client=HttpWorkerClient(session, house, **clock),
                address=WorkerAddress(
                    url=f"http://127.0.0.1:{port}", public_key=identity.public_key
                ),
            )
    finally:
        await server.stop()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something to be so; ten seconds at most."""
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)
