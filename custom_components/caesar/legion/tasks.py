"""Carrying out tasks: bounded in number, time and size, each at most once."""

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
import logging
import time
from typing import Any, Final

import probatio

from .canonical import Json
from .messages import DispatchRequest, WorkerReply
from .spec import ToolSpec
from .spec_json import spec_as_json, spec_from_json
from .wire import (
    MAX_ERROR,
    Refusal,
    WireError,
    dispatch_to_bytes,
    plain,
    reply_to_bytes,
)
from .worker import Task, TaskError, Worker

MAX_INFLIGHT: Final = 32
# How long a reply is kept for a caller that did not get it, and how much of them.
KEEP_S: Final = 60
KEEP_REPLIES: Final = 256
KEEP_BYTES: Final = 8 * 1_048_576

_LOGGER = logging.getLogger(__name__)


class Refused(Exception):
    """A task is not begun: `status` and body of the answer."""

    def __init__(self, status: int, code: str, error: str) -> None:
        """Keep what the answer needs."""
        super().__init__(error)
        self.status: Final = status
        self.refusal: Final = Refusal(code=code, error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    spec: ToolSpec
    worker: Worker
    schema: probatio.Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """A task that was begun, and whose reply will be kept for a while."""

    request: DispatchRequest
    running: asyncio.Task[bytes]


class Tasks:
    """What a process offers, and what it is doing."""

    def __init__(
        self,
        worker_id: str,
        workers: Iterable[Worker],
        *,
        max_inflight: int = MAX_INFLIGHT,
    ) -> None:
        """Take the tools of all workers.

        Raises SpecError for one that no house would take, ValueError for a tool that
        two of them offer.
        """
        self._worker_id = worker_id
        workers = tuple(workers)
        self._offers = _offers(workers)
        self._messages = _messages(workers)
        self._max_inflight = max_inflight
        self._begun: dict[tuple[str, str], _Begun] = {}
        # When each ended, and the size of its reply; the oldest first.
        self._ended: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()
        self._ended_bytes = 0
        self._handlers: set[asyncio.Task[Mapping[str, Json]]] = set()
        self._stopping = False
        self.last_error: str | None = None

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """Return what is offered."""
        return tuple(offer.spec for offer in self._offers.values())

    @property
    def inflight(self) -> int:
        """Return how many handlers run, those that outlived their deadline too."""
        return len(self._handlers)

    @property
    def stopping(self) -> bool:
        """Return whether nothing is begun any more."""
        return self._stopping

    async def run(self, key: str, request: DispatchRequest) -> bytes:
        """Return the body of the reply to a dispatch that `key` signed.

        The same task is done once, however often it is sent. Raises Refused.
        """
        offer = self._offers.get(request.tool) or self._messages.get(request.tool)
        if offer is None:
            raise Refused(404, "no_capability", "this tool is not offered here")
        self._forget()
        begun = self._begun.get((key, request.task_id))
        if begun is None:
            begun = self._begin(key, offer, request)
        elif _content(begun.request) != _content(request):
            raise Refused(409, "conflict", "this task id was used for another task")
        if begun.running.done():
            return begun.running.result()
        # A caller that hangs up ends its waiting, not the task.
        return await asyncio.shield(begun.running)

    async def stop(self, grace_s: float) -> None:
        """Begin nothing more, cancel what runs, and wait for it no longer than that."""
        self._stopping = True
        waiting: set[asyncio.Task[object]] = {*self._handlers}
        for handler in waiting:
            handler.cancel()
        waiting |= {begun.running for begun in self._begun.values()}
        if waiting:
            await asyncio.wait(waiting, timeout=grace_s)
        self._begun.clear()

    def _begin(self, key: str, offer: _Offer, request: DispatchRequest) -> _Begun:
        if self.stopping:
            raise Refused(503, "stopping", "the worker is about to stop")
        if self.inflight >= self._max_inflight:
            raise Refused(429, "busy", "the worker has too much to do")
        once = (key, request.task_id)
        running = _started(self._carry_out(offer, request))
        running.add_done_callback(partial(self._keep, once))
        self._begun[once] = begun = _Begun(request=request, running=running)
        return begun

    async def _carry_out(self, offer: _Offer, request: DispatchRequest) -> bytes:
        began = time.perf_counter()
        reply = await self._reply(offer, request)
        took = round((time.perf_counter() - began) * 1_000)
        try:
            body = reply_to_bytes(replace(reply, duration_ms=took))
        except WireError as err:
            _LOGGER.warning("The result of %s: %s", request.tool, err)
            body = b""
        if body and len(body) <= offer.spec.max_reply_bytes:
            return body
        code = "too_large" if body else "worker_error"
        what = "is too large" if body else "can't be sent as JSON"
        failed = self._failed(request, f"the tool's result {what}", code)
        return reply_to_bytes(replace(failed, duration_ms=took))

    async def _reply(self, offer: _Offer, request: DispatchRequest) -> WorkerReply:
        try:
            given = offer.schema(dict(request.input))
        except probatio.Invalid as err:
            return self._failed(request, f"invalid input: {err}", "invalid_input")
        except Exception:
            # Hostile input makes a schema fail in any way it likes.
            _LOGGER.exception("The schema of %s failed", request.tool)
            return self._failed(request, "invalid input", "invalid_input")
        seconds = request.deadline_ms / 1_000
        task = Task(
            id=request.task_id,
            tool=request.tool,
            input=given,
            decision_id=request.decision_id,
            timeout_s=seconds,
            hints=request.hints,
        )
        handler = _started(_handle(offer.worker, task))
        if not handler.done():
            self._handlers.add(handler)
            handler.add_done_callback(self._handlers.discard)
            await asyncio.wait({handler}, timeout=seconds)
        if not handler.done():
            handler.cancel()
            handler.add_done_callback(_look)
            return self._failed(
                request, f"the tool took longer than {seconds:g} s", "timeout"
            )
        return self._outcome(request, handler)

    def _outcome(
        self, request: DispatchRequest, handler: asyncio.Task[Mapping[str, Json]]
    ) -> WorkerReply:
        if handler.cancelled():
            code = "stopping" if self._stopping else "worker_error"
            return self._failed(request, "the task was broken off", code)
        match handler.exception():
            case None:
                pass
            case TaskError() as err:
                failed = self._failed(request, err.message, err.code, err.retryable)
                # The person reads it in their language, the worker's owner in English.
                said = plain(err.text(request.hints.language), MAX_ERROR)
                return replace(failed, error=said or failed.error)
            case err:
                # Its text may hold a secret, and goes no further than our own log.
                _LOGGER.error("The tool %s failed", request.tool, exc_info=err)
                fault = f"the tool has a fault ({type(err).__name__})"
                return self._failed(request, fault, "worker_error")
        result: object = handler.result()
        if not isinstance(result, Mapping):
            return self._failed(request, "the tool gave no object", "worker_error")
        return WorkerReply(
            task_id=request.task_id,
            worker_id=self._worker_id,
            success=True,
            result=result,
        )

    def _failed(
        self,
        request: DispatchRequest,
        error: str,
        code: str,
        retryable: bool = False,
    ) -> WorkerReply:
        self.last_error = plain(error, MAX_ERROR) or "the tool failed"
        return WorkerReply(
            task_id=request.task_id,
            worker_id=self._worker_id,
            success=False,
            error=self.last_error,
            code=code,
            retryable=retryable,
        )

    def _keep(self, once: tuple[str, str], running: asyncio.Task[bytes]) -> None:
        """Keep a reply for a caller that may not have got it."""
        if running.cancelled() or running.exception() is not None:
            self._begun.pop(once, None)
            return
        size = len(running.result())
        self._ended[once] = (time.monotonic(), size)
        self._ended_bytes += size

    def _forget(self) -> None:
        """Drop replies that are old, or more than there is room for."""
        old = time.monotonic() - KEEP_S
        while self._ended:
            once, (ended, size) = next(iter(self._ended.items()))
            full = len(self._ended) > KEEP_REPLIES or self._ended_bytes > KEEP_BYTES
            if ended >= old and not full:
                break
            del self._ended[once]
            self._begun.pop(once, None)
            self._ended_bytes -= size


def _started[T](coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Return a task that has run to its first wait; many need no other."""
    return asyncio.Task(coroutine, loop=asyncio.get_running_loop(), eager_start=True)


async def _handle(worker: Worker, task: Task) -> Mapping[str, Json]:
    return await worker.handle(task)


def _look(handler: asyncio.Task[Mapping[str, Json]]) -> None:
    """Take note of how a handler ended that nobody waits for any more."""
    if not handler.cancelled() and (err := handler.exception()) is not None:
        _LOGGER.debug("A tool failed after its deadline", exc_info=err)


def _content(request: DispatchRequest) -> str:
    """Return what must be equal in two dispatches of one task."""
    return dispatch_to_bytes(replace(request, attempt=1, deadline_ms=1)).decode()


def _offers(workers: Iterable[Worker]) -> dict[str, _Offer]:
    offers: dict[str, _Offer] = {}
    for worker in workers:
        for spec in worker.tools:
            # As the house will read it: what it would refuse is not served.
            spec = spec_from_json(spec_as_json(spec))
            if spec.name in offers:
                raise ValueError(f"two workers offer the tool {spec.name}")
            schema = probatio.from_json_schema(dict(spec.input_schema))
            offers[spec.name] = _Offer(spec=spec, worker=worker, schema=schema)
    return offers


def _messages(workers: Iterable[Worker]) -> dict[str, _Offer]:
    """Return what the house sends beside the tools; a hello says nothing of it."""
    found: dict[str, _Offer] = {}
    for worker in workers:
        for name, schema in worker.messages.items():
            owner = next(
                (spec for spec in worker.tools if name.startswith(f"{spec.name}__")),
                None,
            )
            if owner is None or name in found:
                raise ValueError(f"{name} is no message of a tool")
            found[name] = _Offer(
                spec=replace(owner, name=name, input_schema=schema, sentences={}),
                worker=worker,
                schema=probatio.from_json_schema(dict(schema)),
            )
    return found
