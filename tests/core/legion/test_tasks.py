"""Tasks: bounded in number, time and size, each done at most once, no fault unanswered."""

import asyncio
from collections.abc import Mapping
import json
import logging
from typing import Any
from unittest import mock

import probatio
import pytest

from custom_components.caesar.legion import tasks
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.errors import LegionCode, LegionError
from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.wire import MAX_ERROR
from custom_components.caesar.legion.worker import Task, TaskError

from .dialling import request
from .workers import ECHO, Echo, bench, until

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "text"),
        ({"text": 5}, "text"),
        ({"text": "x" * 401}, "text"),
        ({"text": "x", "more": 1}, "more"),
    ],
)
async def test_input_that_does_not_fit(given: Mapping[str, Json], said: str) -> None:
    """The handler never sees it."""
    async with bench() as house:
        reply = await house.dispatch(input=given)

        assert not reply.success
        assert reply.code == "invalid_input"
        assert said in (reply.error or "")
        assert house.worker.tasks == []


async def test_a_schema_that_fails() -> None:
    """Nor when the schema itself breaks."""
    async with bench() as house:
        with mock.patch.object(probatio.Schema, "__call__", side_effect=RecursionError):
            reply = await house.dispatch()
        assert reply.code == "invalid_input"
        assert house.worker.tasks == []


async def fail(task: Task) -> Mapping[str, Json]:
    """Say why."""
    raise TaskError("No such city.", code="not_found", retryable=True)


async def crash(task: Task) -> Mapping[str, Json]:
    """Fail with a secret."""
    raise ValueError("password is hunter2")


async def break_off(task: Task) -> Mapping[str, Json]:
    """Cancel itself."""
    raise asyncio.CancelledError


async def not_a_number(task: Task) -> Mapping[str, Json]:
    """Return what JSON lacks."""
    return {"value": float("nan")}


async def too_much(task: Task) -> Mapping[str, Json]:
    """Return more than was announced."""
    return {"value": "x" * 5_000}


async def no_object(task: Task) -> Any:
    """Return a list."""
    return ["value"]


async def nothing(task: Task) -> Any:
    """Return nothing."""


async def an_object(task: Task) -> Mapping[str, Any]:
    """Return an object of Python."""
    return {"value": object()}


async def too_deep(task: Task) -> Mapping[str, Json]:
    """Return what contains itself."""
    value: dict[str, Any] = {}
    value["value"] = value
    return value


@pytest.mark.parametrize(
    ("act", "code", "said"),
    [
        (fail, "not_found", "No such city."),
        (crash, "worker_error", "the tool has a fault (ValueError)"),
        (break_off, "worker_error", "the task was broken off"),
        (not_a_number, "worker_error", "the tool's result can't be sent as JSON"),
        (an_object, "worker_error", "the tool's result can't be sent as JSON"),
        (too_deep, "worker_error", "the tool's result can't be sent as JSON"),
        (too_much, "too_large", "the tool's result is too large"),
        (no_object, "worker_error", "the tool gave no object"),
        (nothing, "worker_error", "the tool gave no object"),
    ],
)
async def test_a_handler_that_fails(act: Any, code: str, said: str) -> None:
    """Each fault is an answer in words; the server goes on."""
    async with bench(Echo(act)) as house:
        reply = await house.dispatch()

        assert not reply.success
        assert (reply.code, reply.error) == (code, said)
        assert reply.retryable is (act is fail)
        assert (await house.client.health(house.address)).last_error == said


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", "So eine Stadt gibt es nicht."),
        ("de-CH", "So eine Stadt gibt es nicht."),
        ("DE", "So eine Stadt gibt es nicht."),
        ("en", "No such city."),
        ("en-GB", "No such city."),
        ("fr", "No such city."),
        ("nl", "a b" + " " + "c" * (MAX_ERROR - 4)),
        ("it", "No such city."),
    ],
)
async def test_an_error_in_the_language_of_the_hints(language: str, said: str) -> None:
    """It is bounded and cleaned as the message; the worker's owner reads English."""
    texts = {
        "de": "So eine Stadt gibt es nicht.",
        "nl": "a\x1bb\n" + "c" * 2_000,
        "it": "\x00\n",
    }

    async def fail_in_words(task: Task) -> Mapping[str, Json]:
        raise TaskError("No such city.", code="not_found", retryable=True, texts=texts)

    async with bench(Echo(fail_in_words)) as house:
        reply = await house.dispatch(hints=Hints(language=language))

        assert (reply.error, reply.code, reply.retryable) == (said, "not_found", True)
        health = await house.client.health(house.address)
        assert health.last_error == "No such city."


async def sleep(task: Task) -> Mapping[str, Json]:
    """Take too long."""
    await asyncio.sleep(60)
    return {}


async def test_a_deadline() -> None:
    """A handler that takes too long is ended, and the caller told in time."""
    async with bench(Echo(sleep)) as house:
        reply = await house.dispatch(deadline_ms=50)

        assert (reply.code, reply.success) == ("timeout", False)
        assert reply.error == "the tool took longer than 0.05 s"
        await until(lambda: house.server.inflight == 0)


async def test_a_handler_that_will_not_end() -> None:
    """It is left behind: it still counts, but holds up neither caller nor stop."""
    released = asyncio.Event()

    async def stubborn(task: Task) -> Mapping[str, Json]:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue
        raise ValueError("nobody hears this")

    with mock.patch("custom_components.caesar.legion.server.STOP_S", 0.1):
        async with bench(Echo(stubborn)) as house:
            reply = await house.dispatch(deadline_ms=50)
            assert reply.code == "timeout"
            assert (await house.client.health(house.address)).inflight == 1
        released.set()
        await until(lambda: house.server.inflight == 0)


async def test_too_much_to_do() -> None:
    """Beyond its bound it says so, and begins nothing."""
    released = asyncio.Event()

    async def wait(task: Task) -> Mapping[str, Json]:
        await released.wait()
        return {}

    async with bench(Echo(wait), max_inflight=2) as house:
        running = [asyncio.create_task(house.dispatch()) for _ in range(2)]
        await until(lambda: len(house.worker.tasks) == 2)
        with pytest.raises(LegionError) as caught:
            await house.dispatch()
        released.set()

        assert (caught.value.code, caught.value.accepted) == (LegionCode.BUSY, False)
        assert all(reply.success for reply in await asyncio.gather(*running))
        assert len(house.worker.tasks) == 2
        assert (await house.dispatch()).success


async def test_the_same_task_is_done_once() -> None:
    """A repeated request gets the reply of the first, while it runs and after."""
    released = asyncio.Event()

    async def wait(task: Task) -> Mapping[str, Json]:
        await released.wait()
        return {"number": len(house.worker.tasks)}

    async with bench(Echo(wait)) as house:
        first = asyncio.create_task(house.dispatch(task_id="once"))
        await until(lambda: len(house.worker.tasks) == 1)
        second = asyncio.create_task(house.dispatch(task_id="once", attempt=2))
        await asyncio.sleep(0.05)
        released.set()

        assert await first == await second
        assert await house.dispatch(task_id="once", deadline_ms=500) == await first
        assert len(house.worker.tasks) == 1


@pytest.mark.parametrize("change", [{"input": {"text": "other"}}, {"decision_id": "x"}])
async def test_a_task_id_used_twice(change: dict[str, Any]) -> None:
    """Another task of the same id is a mistake, or worse."""
    async with bench() as house:
        await house.dispatch(task_id="once")
        with pytest.raises(LegionError) as caught:
            await house.dispatch(**{"task_id": "once", **change})

        assert caught.value.code is LegionCode.BAD_REQUEST
        assert len(house.worker.tasks) == 1


async def test_equal_in_python_is_not_equal() -> None:
    """True is not 1 in JSON, and such a task is another."""
    loose = ToolSpec(
        name="echo", title="E", description="E", input_schema={"type": "object"}
    )
    worker = Echo()
    with mock.patch.object(Echo, "tools", (loose,)):
        async with bench(worker) as house:
            await house.dispatch(task_id="once", input={"text": 1})
            with pytest.raises(LegionError, match="another task"):
                await house.dispatch(task_id="once", input={"text": True})


async def test_replies_are_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """By number, by size and by age; the oldest go first."""
    async with bench() as house:

        async def again(task_id: str) -> bool:
            before = len(house.worker.tasks)
            await house.dispatch(task_id=task_id)
            return len(house.worker.tasks) > before

        monkeypatch.setattr(tasks, "KEEP_REPLIES", 2)
        for task_id in ("a", "b", "c", "d"):
            assert await again(task_id)
        assert not await again("d")
        assert not await again("c")
        assert await again("a")

        monkeypatch.setattr(tasks, "KEEP_REPLIES", 256)
        monkeypatch.setattr(tasks, "KEEP_BYTES", 0)
        assert await again("d")

        monkeypatch.setattr(tasks, "KEEP_BYTES", 10_000)
        assert await again("e")
        assert not await again("e")
        monkeypatch.setattr(tasks, "KEEP_S", -1)
        assert await again("e")


async def test_a_dispatch_after_the_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told so, also when there is no more room for what was kept."""
    stopped = tasks.Tasks("echo-1", [Echo()])
    await stopped.run("U", request(input={"text": "x"}))
    # The reply is kept by a callback.
    await asyncio.sleep(0)
    await stopped.stop(1)
    monkeypatch.setattr(tasks, "KEEP_REPLIES", 0)
    with pytest.raises(tasks.Refused) as caught:
        await stopped.run("U", request(task_id="task-2", input={"text": "x"}))
    assert caught.value.status == 503


async def test_a_caller_that_hangs_up() -> None:
    """Ends its waiting, not the task; asking again brings the reply."""
    released = asyncio.Event()

    async def wait(task: Task) -> Mapping[str, Json]:
        await released.wait()
        return {"done": True}

    async with bench(Echo(wait)) as house:
        first = asyncio.create_task(house.dispatch(task_id="once"))
        await until(lambda: len(house.worker.tasks) == 1)
        first.cancel()
        await asyncio.sleep(0.05)
        released.set()

        reply = await house.dispatch(task_id="once")
        assert reply.result == {"done": True}
        assert len(house.worker.tasks) == 1


async def test_a_fault_is_logged_here_and_not_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The worker's own log has the traceback, the house only the kind of fault."""
    async with bench(Echo(crash)) as house:
        reply = await house.dispatch()
        assert "hunter2" not in json.dumps(reply.error)
    assert any(
        record.levelno == logging.ERROR and record.exc_info for record in caplog.records
    )
    assert ECHO.name in caplog.text
