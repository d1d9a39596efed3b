"""A worker's side of the wire: three routes, nothing for strangers."""

import asyncio
from collections.abc import Callable, Collection, Sequence
import hmac
import logging
import secrets
import time
from typing import Final

from aiohttp import ClientPayloadError, web
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict

from .addresses import base_url
from .connections import Doorkeeper
from .keys import Identity, public_bytes
from .messages import CAPABILITY_PREFIX, PROTOCOL, WorkerHealth
from .refusals import RefusalLog, http_log
from .replay import ReplayCache, Seen
from .signatures import sign_reply, verify_body, verify_request
from .signed import EPOCH_HEADER, Proof, Reply, Request, SignatureError
from .tasks import MAX_INFLIGHT, Refused, Tasks
from .wire import (
    ID,
    MAX_REQUEST_BYTES,
    Refusal,
    WireError,
    dispatch_from_bytes,
    dumps,
    goodbye_from_bytes,
    health_to_bytes,
    refusal_to_bytes,
)
from .worker import Worker

HELLO: Final = "/v1/hello"
GOODBYE: Final = "/v1/goodbye"
DISPATCH: Final = f"/v1/dispatch/{CAPABILITY_PREFIX}"
BODY_S: Final = 10.0
STOP_S: Final = 3.0
KEEPALIVE_S: Final = 75.0
# How long a body is read that nobody wants, so that its sender gets to the answer.
LINGER_S: Final = 1.0

_JSON: Final = "application/json"

_LOGGER = logging.getLogger(__name__)


class WorkerServer:
    """Serves the tools of some workers to those who hold a trusted key.

    Anything not signed by one, not fresh, or not for this start of the process is
    answered by a bare 401, whatever was wrong with it.
    """

    def __init__(
        self,
        worker_id: str,
        workers: Sequence[Worker],
        identity: Identity,
        trusted: Collection[str],
        *,
        version: str,
        clock: Callable[[], float] = time.time,
        max_inflight: int = MAX_INFLIGHT,
        url: str | None = None,
    ) -> None:
        """Make a server; `trusted` are the public keys of Home Assistant.

        `url` is the address that Home Assistant knows, where a proxy in between ends
        TLS. Raises ValueError for a bad id, key, address or specification, or a tool
        offered twice.
        """
        if not ID.fullmatch(worker_id):
            raise ValueError(f"a worker's id must look like {ID.pattern}")
        for key in trusted:
            public_bytes(key)
        self._base = None if url is None else str(base_url(url)).rstrip("/")
        self.on_goodbye: Callable[[str], None] | None = None
        self._worker_id = worker_id
        self._workers = tuple(workers)
        self._identity = identity
        self._trusted = frozenset(trusted)
        self._version = version
        self._clock = clock
        self._started_at = clock()
        self._epoch = ""
        self._new_epoch()
        self._replay = ReplayCache(clock=clock, on_clock_back=self._new_epoch)
        self._refusals = RefusalLog()
        self._tasks = Tasks(worker_id, self._workers, max_inflight=max_inflight)
        self._door = Doorkeeper()
        self._opened: list[Worker] = []
        self._runner: web.AppRunner | None = None
        self._server: asyncio.Server | None = None
        self.app = web.Application(client_max_size=MAX_REQUEST_BYTES)
        self.app.router.add_route("*", "/{path:.*}", self._serve)

    @property
    def inflight(self) -> int:
        """Return how many handlers run."""
        return self._tasks.inflight

    async def start(self, host: str, port: int) -> int:
        """Start the workers, then listen. Returns the port.

        Raises what a worker's own start raises, and OSError for an address in use.
        """
        try:
            for worker in self._workers:
                self._opened.append(worker)
                await worker.start()
            self._runner = web.AppRunner(
                self.app,
                access_log=None,
                logger=http_log(),
                handle_signals=False,
                keepalive_timeout=KEEPALIVE_S,
                lingering_time=LINGER_S,
                auto_decompress=False,
            )
            await self._runner.setup()
            server = self._runner.server
            assert server is not None  # after setup
            self._server = await asyncio.get_running_loop().create_server(
                self._door.watched(server), host, port
            )
        except BaseException:
            await self.stop()
            raise
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Stop listening, break off what runs, stop the workers. Never hangs."""
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._tasks.stop(STOP_S)
        self._door.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        while self._opened:
            worker = self._opened.pop()
            try:
                async with asyncio.timeout(STOP_S):
                    await worker.stop()
            except Exception:
                # The others are to be stopped all the same.
                _LOGGER.exception("A worker can't be stopped")

    async def _serve(self, http: web.Request) -> web.StreamResponse:
        """Answer any request."""
        self._door.spoke(http.protocol)
        request = Request(
            method=http.method, url=self._url(http), headers=CIMultiDict(http.headers)
        )
        try:
            proof = self._authentic(http, request)
            status, body = await self._answer(http, request, proof)
        except SignatureError as err:
            return self._unauthorized(http, err)
        reply = Reply(
            status_code=status,
            headers=CIMultiDict({"Content-Type": _JSON}),
            request=request,
        )
        sign_reply(self._identity, reply, body, now=self._clock())
        reply.headers["Server"] = "caesar-legion"
        response = web.Response(status=status, body=body, headers=reply.headers)
        if status != 200:
            response.force_close()
        return response

    def _authentic(self, http: web.Request, request: Request) -> Proof:
        """Return who asks; judged by the head, before any of the body is read."""
        now = self._replay.tick()
        hello = request.method == "GET"
        if "Content-Encoding" in request.headers or (hello and http.body_exists):
            raise SignatureError("a body that can't be")
        proof = verify_request(
            request, trusted=self._trusted, now=now, has_body=not hello
        )
        epoch = request.headers.get(EPOCH_HEADER, "")
        if not hello and not hmac.compare_digest(epoch.encode(), self._epoch.encode()):
            raise SignatureError("of another start of this process")
        return proof

    async def _answer(
        self, http: web.Request, request: Request, proof: Proof
    ) -> tuple[int, bytes]:
        """Return status and body of the answer to an authentic request."""
        try:
            self._admit(request, proof)
            body = await _body(http)
            if request.method != "GET":
                verify_body(request.headers, body)
            return 200, await self._route(request.method, http.path, body, proof)
        except Refused as err:
            return err.status, refusal_to_bytes(err.refusal)
        except WireError as err:
            return 400, refusal_to_bytes(Refusal(code="bad_request", error=str(err)))

    def _admit(self, request: Request, proof: Proof) -> None:
        """Let each request through once, and none if that can't be told."""
        match self._replay.admit(proof):
            case Seen.REPLAYED:
                raise SignatureError("sent before")
            case Seen.FULL:
                raise Refused(429, "busy", "the worker has seen too many requests")
        if request.method != "GET" and request.headers["Content-Type"] != _JSON:
            raise Refused(415, "bad_request", "only JSON is understood")

    async def _route(self, method: str, path: str, body: bytes, proof: Proof) -> bytes:
        if (method, path) == ("GET", HELLO):
            return self._hello()
        if (method, path) == ("POST", GOODBYE):
            return self._goodbye(goodbye_from_bytes(body))
        if method == "POST" and path.startswith(DISPATCH):
            request = dispatch_from_bytes(body)
            if path != DISPATCH + request.tool:
                raise Refused(400, "bad_request", "the path is that of another tool")
            return await self._tasks.run(proof.key, request)
        raise Refused(404, "no_route", "there is nothing here")

    def _hello(self) -> bytes:
        if self._tasks.stopping:
            raise Refused(503, "stopping", "the worker is about to stop")
        return health_to_bytes(
            WorkerHealth(
                worker_id=self._worker_id,
                version=self._version,
                epoch=self._epoch,
                tools=self._tasks.specs,
                server_time=self._clock(),
                started_at=self._started_at,
                inflight=self._tasks.inflight,
                last_error=self._tasks.last_error,
            )
        )

    def _goodbye(self, reason: str) -> bytes:
        if self.on_goodbye is not None:
            self.on_goodbye(reason)
        return dumps({"protocol": PROTOCOL, "worker_id": self._worker_id})

    def _unauthorized(self, http: web.Request, err: SignatureError) -> web.Response:
        self._refusals.add(http.remote or "unknown", str(err))
        response = web.Response(status=401, headers={"Server": "caesar-legion"})
        response.force_close()
        return response

    def _url(self, http: web.Request) -> str:
        """Return the URL as the sender wrote it, as far as it can be known."""
        base = self._base or f"{http.scheme}://{http.host}"
        return base + http.raw_path

    def _new_epoch(self) -> None:
        """Make all requests worthless that were signed before."""
        self._epoch = secrets.token_urlsafe(18)


async def _body(http: web.Request) -> bytes:
    """Return the body, or stop reading where it becomes too long or too slow."""
    length = http.content_length
    if length is not None and length > MAX_REQUEST_BYTES:
        raise Refused(413, "too_large", "the request is too large")
    chunks = bytearray()
    try:
        async with asyncio.timeout(None if http.content.is_eof() else BODY_S):
            while chunk := await http.content.readany():
                chunks += chunk
                if len(chunks) > MAX_REQUEST_BYTES:
                    raise Refused(413, "too_large", "the request is too large")
    except TimeoutError as err:
        raise Refused(408, "timeout", "the request came too slowly") from err
    except (ConnectionError, HttpProcessingError, ClientPayloadError) as err:
        raise Refused(400, "bad_request", "the body broke off") from err
    return bytes(chunks)
