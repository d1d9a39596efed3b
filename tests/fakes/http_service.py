"""A server of one handler on the loopback interface, for fakes of web services."""

from dataclasses import dataclass
import json
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        """Return the body, which is JSON."""
        return json.loads(self.body)


class HttpService:
    """Answers all requests with `answer`; `received` holds them, `url` is its base."""

    url: str

    def __init__(self) -> None:
        """Be ready to start."""
        self.received: list[Received] = []
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Return the answer; a fake says here what its service does."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all."""
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.received.append(
            Received(
                method=request.method,
                path=request.path,
                query=dict(request.query),
                headers={name.lower(): text for name, text in request.headers.items()},
                body=await request.read(),
            )
        )
        return await self.answer(request)
