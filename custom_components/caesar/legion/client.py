"""Home Assistant's side of the wire: it dials, and believes only what is signed."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import lru_cache
import time
from typing import Final

import aiohttp
from multidict import CIMultiDict
from yarl import URL

from .addresses import AddressError, base_url
from .errors import LegionCode, LegionError
from .keys import Identity, KeyTextError, public_bytes
from .messages import (
    DispatchRequest,
    WorkerAddress,
    WorkerClient,
    WorkerHealth,
    WorkerReply,
)
from .signatures import sign_request, verify_reply
from .signed import EPOCH_HEADER, SKEW_S, ClockError, Reply, Request, SignatureError
from .spec_json import MAX_REPLY_BYTES
from .wire import (
    MAX_REQUEST_BYTES,
    WireError,
    dispatch_to_bytes,
    goodbye_to_bytes,
    health_from_bytes,
    refusal_from_bytes,
    reply_from_bytes,
)

CONNECT_S: Final = 3.0
HELLO_S: Final = 5.0
# What the way there and back may take beyond a task's own time.
GRACE_S: Final = 1.0

# How many workers are remembered: each trial of settings has a new address and key.
MAX_KNOWN: Final = 256
# A longer answer to a hello is read in a thread: it may hold sixty hostile schemas.
_SHORT: Final = 16_384

# Signed refusals: the worker says that it did not begin.
_REFUSALS: Final = {
    400: LegionCode.BAD_REQUEST,
    404: LegionCode.NO_CAPABILITY,
    408: LegionCode.TIMEOUT,
    409: LegionCode.BAD_REQUEST,
    413: LegionCode.TOO_LARGE,
    415: LegionCode.BAD_REQUEST,
    429: LegionCode.BUSY,
    503: LegionCode.STOPPING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the last hello of a worker said of this start of it.

    `started` is by when it had started at the latest, in seconds of the event loop.
    """

    epoch: str
    worker_id: str
    started: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    status: int
    headers: CIMultiDict[str]
    body: bytes


class HttpWorkerClient(WorkerClient):
    """Speaks to workers over a session that it does not own."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        identity: Identity,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Sign as `identity`; `clock` gives Unix seconds."""
        self._session = session
        self._identity = identity
        self._clock = clock
        self._known: dict[WorkerAddress, _Known] = {}
        self._asking: dict[WorkerAddress, asyncio.Lock] = {}

    async def dispatch(
        self, worker: WorkerAddress, request: DispatchRequest, *, max_reply_bytes: int
    ) -> WorkerReply:
        """Have a worker do one task.

        If the worker was started anew between the last hello and the request, it is
        sent once more with the new epoch. Raises LegionError.
        """
        try:
            body = dispatch_to_bytes(request)
        except WireError as err:
            raise _not_sent(LegionCode.BAD_REQUEST, str(err)) from err
        most = min(max_reply_bytes, MAX_REPLY_BYTES)
        seconds = request.deadline_ms / 1_000 + GRACE_S
        path = f"/v1/dispatch/{request.capability}"
        answer = await self._post(worker, path, body, most, seconds)
        try:
            reply = reply_from_bytes(answer.body)
        except WireError as err:
            raise _bad_reply(str(err)) from err
        if reply.task_id != request.task_id:
            raise _bad_reply("the worker answered another task")
        known = self._known.get(worker)
        if known is not None and reply.worker_id != known.worker_id:
            raise _bad_reply("the answer names another worker")
        return reply

    async def health(self, worker: WorkerAddress) -> WorkerHealth:
        """Say hello, and return what the worker says of itself. Raises LegionError."""
        try:
            answer = await self._ask(
                worker, "GET", "/v1/hello", None, MAX_REPLY_BYTES, HELLO_S
            )
            heard = _now()
            self._judge(answer)
            health = await _read_health(answer.body)
        except LegionError as err:
            # No task was sent, so none can have begun.
            raise LegionError(
                err.code, err.message, accepted=False, skew_s=err.skew_s
            ) from err
        except WireError as err:
            raise _not_sent(LegionCode.BAD_REPLY, str(err)) from err
        self._remember(worker, health, heard)
        return health

    async def goodbye(self, worker: WorkerAddress, reason: str) -> None:
        """Tell a worker that it is not needed any more. Raises LegionError."""
        body = goodbye_to_bytes(reason)
        await self._post(worker, "/v1/goodbye", body, MAX_REPLY_BYTES, HELLO_S)
        self.forget(worker)

    def forget(self, worker: WorkerAddress) -> None:
        """Forget what is known of a worker that was removed."""
        self._known.pop(worker, None)
        self._asking.pop(worker, None)

    def _remember(
        self, worker: WorkerAddress, health: WorkerHealth, heard: float
    ) -> None:
        self._known.pop(worker, None)
        self._known[worker] = _Known(
            epoch=health.epoch,
            worker_id=health.worker_id,
            # Both times are the worker's own, so its clock may be off.
            started=heard - (health.server_time - health.started_at),
        )
        while len(self._known) > MAX_KNOWN:
            del self._known[next(iter(self._known))]

    async def _post(
        self, worker: WorkerAddress, path: str, body: bytes, most: int, seconds: float
    ) -> _Answer:
        """Send to the worker's present epoch, and return an answer that is a 200."""
        if len(body) > MAX_REQUEST_BYTES:
            raise _not_sent(LegionCode.TOO_LARGE, "the request is too large")
        known = await self._learn(worker, None)
        sent = _now()
        answer = await self._ask(worker, "POST", path, body, most, seconds, known)
        if answer.status == 401:
            try:
                anew = await self._learn(worker, known)
            except LegionError as err:
                raise LegionError(
                    err.code, err.message, accepted=True, skew_s=err.skew_s
                ) from err
            # Nobody signed the 401: a start that ended after the request was sent may
            # have done the task, and somebody on the way have kept its answer.
            if anew.epoch != known.epoch and anew.started <= sent:
                answer = await self._ask(
                    worker, "POST", path, body, most, seconds, anew
                )
        self._judge(answer)
        return answer

    async def _learn(self, worker: WorkerAddress, old: _Known | None) -> _Known:
        """Return what is known of a worker, by one hello for all who want to know it."""
        lock = self._asking.setdefault(worker, asyncio.Lock())
        try:
            async with lock:
                known = self._known.get(worker)
                if known is None or known == old:
                    await self.health(worker)
                    known = self._known[worker]
                return known
        finally:
            if not lock.locked():
                self._asking.pop(worker, None)

    async def _ask(
        self,
        worker: WorkerAddress,
        method: str,
        path: str,
        body: bytes | None,
        most: int,
        seconds: float,
        known: _Known | None = None,
    ) -> _Answer:
        """Send one request, and return an answer that is signed, or a bare 401."""
        url = _url(worker, path)
        headers: CIMultiDict[str] = CIMultiDict()
        if known is not None:
            headers["Content-Type"] = "application/json"
            headers[EPOCH_HEADER] = known.epoch
        request = Request(method=method, url=str(url), headers=headers)
        sign_request(self._identity, request, body, now=self._clock())
        headers["Accept-Encoding"] = "identity"
        answer = await self._exchange(url, request, body, most, seconds)
        if answer.status != 401:
            self._verify(worker, request, answer)
        return answer

    async def _exchange(
        self, url: URL, request: Request, body: bytes | None, most: int, seconds: float
    ) -> _Answer:
        try:
            async with self._open(url, request, body, seconds) as response:
                if "Content-Encoding" in response.headers:
                    raise _bad_reply("the worker compressed its answer")
                return _Answer(
                    status=response.status,
                    headers=CIMultiDict(response.headers),
                    body=await _body(response, most),
                )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as err:
            raise _not_sent(
                LegionCode.UNREACHABLE, "the worker can't be reached"
            ) from err
        except TimeoutError as err:
            raise LegionError(
                LegionCode.TIMEOUT, "the worker did not answer in time", accepted=True
            ) from err
        except aiohttp.ClientError as err:
            raise LegionError(
                LegionCode.UNREACHABLE,
                f"the connection to the worker broke ({type(err).__name__})",
                accepted=True,
            ) from err

    def _open(
        self, url: URL, request: Request, body: bytes | None, seconds: float
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        return self._session.request(
            request.method,
            url,
            data=body,
            headers=request.headers,
            allow_redirects=False,
            raise_for_status=False,
            timeout=aiohttp.ClientTimeout(
                total=seconds, connect=min(CONNECT_S, seconds)
            ),
            ssl=True,
        )

    def _verify(self, worker: WorkerAddress, request: Request, answer: _Answer) -> None:
        reply = Reply(
            status_code=answer.status, headers=answer.headers, request=request
        )
        try:
            verify_reply(reply, answer.body, key=worker.public_key, now=self._clock())
        except ClockError as err:
            raise LegionError(
                LegionCode.CLOCK, str(err), accepted=True, skew_s=err.skew_s
            ) from err
        except SignatureError as err:
            raise LegionError(
                LegionCode.BAD_SIGNATURE,
                "the answer is not signed by the worker's key",
                accepted=True,
            ) from err

    def _judge(self, answer: _Answer) -> None:
        """Raise LegionError for every answer that is no 200."""
        if answer.status == 200:
            return
        if answer.status == 401:
            raise self._unauthorized(answer)
        code = _REFUSALS.get(answer.status)
        if code is None:
            raise _bad_reply(f"the worker answered with status {answer.status}")
        try:
            why = refusal_from_bytes(answer.body).error
        except WireError:
            why = f"status {answer.status}"
        raise LegionError(code, why, accepted=False)

    def _unauthorized(self, answer: _Answer) -> LegionError:
        """Return the error of a 401.

        Nobody signed it: on the way it could have been put in place of the answer to a
        task that was done.
        """
        skew = _skew(answer.headers.get("Date", ""), self._clock())
        if skew is not None and abs(skew) > SKEW_S:
            return LegionError(
                LegionCode.CLOCK,
                "the worker's clock and Home Assistant's differ",
                accepted=True,
                skew_s=skew,
            )
        return LegionError(
            LegionCode.REFUSED,
            "the worker does not accept Home Assistant's key",
            accepted=True,
        )


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _read_health(body: bytes) -> WorkerHealth:
    """Return what a hello says. Raises WireError."""
    if len(body) <= _SHORT:
        return health_from_bytes(body)
    return await asyncio.to_thread(health_from_bytes, body)


@lru_cache(maxsize=256)
def _url(worker: WorkerAddress, path: str) -> URL:
    try:
        public_bytes(worker.public_key)
        return base_url(worker.url).with_path(path)
    except (AddressError, KeyTextError) as err:
        raise _not_sent(LegionCode.BAD_REQUEST, str(err)) from err


async def _body(response: aiohttp.ClientResponse, most: int) -> bytes:
    """Return the body, or stop reading where it becomes too long."""
    body = bytearray()
    if (response.content_length or 0) <= most:
        while chunk := await response.content.readany():
            body += chunk
            if len(body) > most:
                break
        else:
            return bytes(body)
    response.close()
    raise LegionError(
        LegionCode.TOO_LARGE, "the worker's answer is too large", accepted=True
    )


def _skew(date: str, now: float) -> float | None:
    """Return how far a Date header is ahead of `now`: a hint, since nobody signed it."""
    try:
        return parsedate_to_datetime(date).timestamp() - now
    except (ValueError, OverflowError, OSError):
        return None


def _not_sent(code: LegionCode, message: str) -> LegionError:
    return LegionError(code, message, accepted=False)


def _bad_reply(message: str) -> LegionError:
    return LegionError(LegionCode.BAD_REPLY, message, accepted=True)
