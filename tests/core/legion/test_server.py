"""A worker's server: what it carries out, and how it says no."""

import asyncio
from collections.abc import Mapping
from unittest import mock

import pytest

from custom_components.caesar.legion import tasks
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.errors import LegionCode, LegionError
from custom_components.caesar.legion.keys import Identity, KeyTextError
from custom_components.caesar.legion.messages import Hints, WorkerAddress
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.spec_json import SpecError
from custom_components.caesar.legion.worker import Task

from .workers import Echo, bench, until

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_a_task_is_carried_out() -> None:
    """The handler gets what was sent, and the house what it returned."""
    async with bench() as house:
        hints = Hints(
            language="de", timezone="Europe/Berlin", domain_allowlist=("a.b",)
        )
        reply = await house.dispatch("hällo", task_id="t-1", hints=hints)

        assert reply.success
        assert reply.result == {"text": "hällo"}
        assert (reply.task_id, reply.worker_id) == ("t-1", "echo-1")
        assert reply.error is None
        task = house.worker.tasks[0]
        assert task.hints == hints
        assert task.decision_id == "decision"
        assert task.timeout_s == 2
        assert house.worker.events == ["start"]
    assert house.worker.events == ["start", "stop"]


async def test_a_hello_says_what_there_is() -> None:
    """Id, version, tools and state."""
    async with bench(
        clock=lambda: 1_796_000_000.0, client_clock=lambda: 1_796_000_030.0
    ) as house:
        health = await house.client.health(house.address)

        assert (health.worker_id, health.version) == ("echo-1", "1.2")
        assert [spec.name for spec in health.tools] == ["echo"]
        assert health.server_time == health.started_at == 1_796_000_000
        assert health.inflight == 0
        assert health.last_error is None


async def sleep(task: Task) -> Mapping[str, Json]:
    """Take too long."""
    await asyncio.sleep(60)
    return {}


async def test_a_tool_that_is_not_offered() -> None:
    """A capability that nobody registered here is refused, signed."""
    async with bench() as house:
        with pytest.raises(LegionError) as caught:
            await house.dispatch(tool="web_search")
        assert caught.value.code is LegionCode.NO_CAPABILITY
        assert not caught.value.accepted


async def test_while_it_stops() -> None:
    """What runs is broken off and answered; nothing new begins."""
    async with bench(Echo(sleep)) as house:
        running = asyncio.create_task(house.dispatch())
        await until(lambda: len(house.worker.tasks) == 1)
        await house.server.stop()
        reply = await running

        assert (reply.success, reply.code) == (False, "stopping")
        # Until the client has seen that its connection is gone, it could not tell.
        await asyncio.sleep(0.05)
        with pytest.raises(LegionError) as caught:
            await house.dispatch()
        assert not caught.value.accepted
        await house.server.stop()


async def test_what_arrives_while_it_stops() -> None:
    """A dispatch and a hello get a signed 503."""
    async with bench() as house:
        await house.dispatch()
        with mock.patch.object(tasks.Tasks, "stopping", True):
            with pytest.raises(LegionError) as caught:
                await house.client.health(house.address)
            assert caught.value.code is LegionCode.STOPPING
            with pytest.raises(LegionError) as caught:
                await house.dispatch()
            assert (caught.value.code, caught.value.accepted) == (
                LegionCode.STOPPING,
                False,
            )


async def test_a_goodbye() -> None:
    """The owner of the server is told why; without one nothing happens."""
    said: list[str] = []
    async with bench() as house:
        await house.client.goodbye(house.address, "before anybody listens")
        house.server.on_goodbye = said.append
        await house.client.goodbye(house.address, "it was\nremoved")
        assert said == ["it was removed"]


async def test_a_worker_that_can_not_start() -> None:
    """Its error is the server's, and what was started is stopped."""

    class Broken(Echo):
        async def start(self) -> None:
            await super().start()
            raise OSError("no disk")

    worker = Broken()
    server = WorkerServer("w", [worker], Identity.generate(), [], version="1")
    with pytest.raises(OSError, match="no disk"):
        await server.start("127.0.0.1", 0)
    assert worker.events == ["start", "stop"]


async def test_a_worker_that_can_not_stop(caplog: pytest.LogCaptureFixture) -> None:
    """Is reported, and holds up nobody."""

    class Broken(Echo):
        async def stop(self) -> None:
            raise OSError("stuck")

    class Hung(Echo):
        tools = (
            ToolSpec(
                name="hung", title="H", description="H", input_schema={"type": "object"}
            ),
        )

        async def stop(self) -> None:
            await asyncio.sleep(60)

    server = WorkerServer("w", [Broken(), Hung()], Identity.generate(), [], version="1")
    await server.start("127.0.0.1", 0)
    with mock.patch("custom_components.caesar.legion.server.STOP_S", 0.1):
        await server.stop()
    assert caplog.text.count("A worker can't be stopped") == 2


async def test_a_port_in_use() -> None:
    """Is an OSError."""
    async with bench() as house:
        port = int(house.address.url.rpartition(":")[2])
        other = WorkerServer("w", [Echo()], Identity.generate(), [], version="1")
        with pytest.raises(OSError, match="in use"):
            await other.start("127.0.0.1", port)


@pytest.mark.parametrize("worker_id", ["", "a b", "-a", "a" * 65, "a\n"])
def test_a_bad_worker_id(worker_id: str) -> None:
    """An id that no house would take is refused at once."""
    with pytest.raises(ValueError, match="must look like"):
        WorkerServer(worker_id, [], Identity.generate(), [], version="1")


def test_a_bad_trusted_key() -> None:
    """So is a key that can't be one."""
    with pytest.raises(KeyTextError):
        WorkerServer("w", [], Identity.generate(), ["UABC"], version="1")


def test_bad_tools() -> None:
    """And a tool twice, or one with a specification that no house would take."""
    with pytest.raises(ValueError, match="two workers"):
        WorkerServer("w", [Echo(), Echo()], Identity.generate(), [], version="1")

    class Bad(Echo):
        tools = (ToolSpec(name="Echo", title="", description="", input_schema={}),)

    with pytest.raises(SpecError, match="name"):
        WorkerServer("w", [Bad()], Identity.generate(), [], version="1")


async def test_two_houses() -> None:
    """Each key that is trusted may ask; the same task id of both is two tasks."""
    one, two = Identity.generate(), Identity.generate()
    identity, worker = Identity.generate(), Echo()
    server = WorkerServer(
        "w", [worker], identity, [one.public_key, two.public_key], version="1"
    )
    port = await server.start("127.0.0.1", 0)
    address = WorkerAddress(
        url=f"http://127.0.0.1:{port}", public_key=identity.public_key
    )
    async with bench() as house:
        request = house.request(task_id="same")
        for key in (one, two):
            client = HttpWorkerClient(house.session, key)
            reply = await client.dispatch(address, request, max_reply_bytes=4_096)
            assert reply.success
    await server.stop()
    assert len(worker.tasks) == 2
