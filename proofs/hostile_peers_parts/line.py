"""Whoever sits on the line: requests of the house, bent or sent again to its worker."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
import logging
import re
import time
from typing import Any, ClassVar, Final, Self

import aiohttp
from homeassistant.config_entries import ConfigSubentryDataWithId
from homeassistant.util.ulid import ulid_now

from custom_components.caesar.legion import refusals
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.signatures import sign_request
from custom_components.caesar.legion.signed import Request
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.worker import Task, Worker
from proofs.crash_parts.findings import must
from proofs.hosts_parts.standing import House
from tests.ha.workers.hosts import BINS

from .peers import enrolled

TITLE: Final = "Line"
TOOL: Final = "line_tool"

type Bend = Callable[[bytes], bytes]


class Noted(logging.Handler):
    """Keeps what a worker writes into its log about strangers."""

    def __init__(self) -> None:
        """Have read nothing yet."""
        super().__init__()
        self._said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take a line."""
        self._said.append(record.getMessage())

    def reason(self, name: str) -> str:
        """Return the reason of the one refusal since the last time."""
        must(len(self._said) == 1, f"{name}: the worker's log says so: {self._said}")
        return self._said.pop().partition(": ")[2]


class Counting(Worker):
    """Counts what it does."""

    tools: ClassVar[tuple[ToolSpec, ...]] = (replace(BINS, name=TOOL),)

    def __init__(self) -> None:
        """Begin at nothing."""
        self.done = 0

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Do it."""
        self.done += 1
        return {"value": 4}


class Line:
    """A real worker, and a relay before it that belongs to somebody else."""

    def __init__(self, house_key: str) -> None:
        """Have the worker trust that house."""
        self._house_key = house_key
        self.identity = Identity.generate()
        self.worker = Counting()
        self.heard: list[bytes] = []
        self.bend: Bend | None = None
        self._server: WorkerServer | None = None
        self._relay: asyncio.Server | None = None
        self._port = 0
        self.address = WorkerAddress(url="", public_key="")
        self.subentry_id = ulid_now()

    @property
    def enrolled(self) -> ConfigSubentryDataWithId:
        """Return its subentry: the house only knows the relay."""
        return enrolled(self.subentry_id, TITLE, self.address, *self.worker.tools)

    async def __aenter__(self) -> Self:
        """Start both."""
        await self.start()
        self._relay = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        port = self._relay.sockets[0].getsockname()[1]
        self.address = WorkerAddress(
            url=f"http://127.0.0.1:{port}", public_key=self.identity.public_key
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop both."""
        assert self._relay is not None
        self._relay.close()
        await self._stop()

    async def start(self) -> None:
        """Start the worker anew, where it was."""
        await self._stop()
        self._server = WorkerServer(
            "line", [self.worker], self.identity, [self._house_key], version="1"
        )
        self._port = await self._server.start("127.0.0.1", self._port)

    async def _stop(self) -> None:
        if self._server is not None:
            await self._server.stop()
            self._server = None

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Pass on each request, bent if that is wished, and its answer as it is."""
        try:
            while True:
                asked = await _message(reader)
                if asked.startswith(b"POST /v1/dispatch/"):
                    self.heard.append(asked)
                    asked = self.bend(asked) if self.bend is not None else asked
                writer.write(await self.send(asked))
                await writer.drain()
        except asyncio.IncompleteReadError, ConnectionError:
            pass
        finally:
            writer.close()

    async def send(self, raw: bytes) -> bytes:
        """Send bytes to the worker itself, and return its answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            writer.write(raw)
            return await _message(reader)
        finally:
            writer.close()


async def prove_line(house: House, line: Line, thief: Identity) -> list[str]:
    """Attack the worker in the house's name. Raises Unproven if it does anything.

    `thief` is the identity of another worker of the house.
    """
    noted, log = Noted(), logging.getLogger(refusals.__name__)
    log.addHandler(noted)
    log.propagate = False
    try:
        await _good(house, line)
        said = await _bent(house, line, noted)
        said += await _again(house, line, noted)
        return said + await _strangers(line, thief, noted)
    finally:
        log.removeHandler(noted)
        log.propagate = True


async def _bent(house: House, line: Line, noted: Noted) -> list[str]:
    """Change what the house sends, on its way to the worker."""
    said = []
    for name, bend in (
        ("request, tampered body", _bent_body),
        ("request, tampered header", _bent_header),
        ("request, unsigned", _unsigned),
        ("request, other path", _bent_path),
    ):
        done, line.bend = line.worker.done, bend
        answer = await house.call(TOOL)
        line.bend = None
        must(answer["error"]["code"] == "tool_error", f"{name}: {answer['error']}")
        must(line.worker.done == done, f"{name}: is not carried out")
        rows = await house.rows(answer["decision_id"], "tool.called")
        must(rows[0]["outcome"]["error"] == "tool_error", f"{name}: a row says so")
        await house.reload()
        await house.until_on(TITLE)
        await _good(house, line)
        said.append(_row(name, noted, "tool_error"))
    return said


def _row(name: str, noted: Noted, trail: str = "-") -> str:
    return f"  {name:<35}401, nothing done  {trail:<12}{noted.reason(name)}"


async def _again(house: House, line: Line, noted: Noted) -> list[str]:
    """Send what the house has sent once more: at once, and to the worker's next life."""
    said = []
    for name in ("request, replay", "request, replay to its next start"):
        done = line.worker.done
        answer = await line.send(line.heard[-1])
        must(answer.startswith(b"HTTP/1.1 401 "), f"{name}: {answer!r}")
        must(line.worker.done == done, f"{name}: is not carried out")
        said.append(_row(name, noted))
        await line.start()
    # The house knows only an earlier start: it is refused, learns, and asks once more.
    await _good(house, line)
    noted.reason("the house's own call to an earlier start")
    return said


async def _strangers(line: Line, thief: Identity, noted: Noted) -> list[str]:
    """Ask the worker in one's own name: as nobody, and as another worker."""
    said = []
    async with aiohttp.ClientSession() as session:
        for name, identity in (
            ("request, wrong key", Identity.generate()),
            ("request, another's key", thief),
            ("request, the worker's own key", line.identity),
        ):
            request = Request(method="GET", url=f"{line.address.url}/v1/hello")
            sign_request(identity, request, None, now=time.time())
            async with session.get(request.url, headers=request.headers) as answer:
                must(answer.status == 401, f"{name}: {answer.status}")
                must(await answer.read() == b"", f"{name}: it learns nothing")
            said.append(_row(name, noted))
    return said


async def _good(house: House, line: Line) -> None:
    done = line.worker.done
    answer: dict[str, Any] = await house.call(TOOL)
    must(answer["ok"], f"the honest call works: {answer}")
    must(line.worker.done == done + 1, "and is carried out once")


def _bent_body(raw: bytes) -> bytes:
    return raw.replace(b'"attempt":1', b'"attempt":2')


def _bent_header(raw: bytes) -> bytes:
    return re.sub(rb"(?i)caesar-epoch: .", b"Caesar-Epoch: _", raw)


def _unsigned(raw: bytes) -> bytes:
    return re.sub(rb"(?i)\r\nsignature: [^\r]*", b"", raw)


def _bent_path(raw: bytes) -> bytes:
    return raw.replace(b"tool.line_tool HTTP", b"tool.calculator HTTP")


async def _message(reader: asyncio.StreamReader) -> bytes:
    """Read a request or an answer with all of its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    return head + await reader.readexactly(int(length[1]) if length else 0)
