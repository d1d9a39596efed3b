"""Helpers: a worker over any service, tasks for it, and services that misbehave."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.messages import Hints
from custom_components.caesar.legion.tools.web_search import WebSearch
from custom_components.caesar.legion.tools.web_search.backend import (
    Backend,
    Found,
    Question,
)
from custom_components.caesar.legion.tools.web_search.settings import Settings
from custom_components.caesar.legion.worker import Task
from tests.fakes.http_service import HttpService

ANY_HINTS = Hints()


class Listed:
    """A service that finds the same each time, and remembers what was asked."""

    name = "Listed"
    key = "listed"

    def __init__(self, found: Sequence[Found] = ()) -> None:
        """Take what is found."""
        self.found = list(found)
        self.asked: list[tuple[Question, float]] = []
        self.closed = False

    async def search(self, question: Question, timeout_s: float) -> list[Found]:
        """Find."""
        self.asked.append((question, timeout_s))
        return self.found

    async def close(self) -> None:
        """Note it."""
        self.closed = True


def found(url: Json, title: Json = "Title", snippet: Json = "Snippet") -> Found:
    """Return a result."""
    return Found(url=url, title=title, snippet=snippet)


def over(backend: Backend, *, limit: int = 5, most: int = 25) -> WebSearch:
    """Return the worker over a service."""
    return WebSearch(Settings(backend=backend, limit=limit, most=most, timeout_s=10))


async def searched(
    worker: WebSearch,
    query: Json = "heat pump",
    *,
    hints: Hints = ANY_HINTS,
    timeout_s: float = 15,
    **more: Json,
) -> dict[str, Any]:
    """Return the worker's answer."""
    task = Task(
        id="1",
        tool="web_search",
        input={"query": query, **more},
        timeout_s=timeout_s,
        hints=hints,
    )
    return dict(await worker.handle(task))


def urls(answer: dict[str, Any]) -> list[str]:
    """Return the addresses of an answer's results."""
    return [result["url"] for result in answer["results"]]


class Misbehaving(HttpService):
    """A service that answers as the test says."""

    def __init__(
        self, behave: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> None:
        """Take the behaviour."""
        super().__init__()
        self._behave = behave

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Misbehave."""
        return await self._behave(request)


@asynccontextmanager
async def answering(
    body: str | bytes = "",
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> AsyncIterator[Misbehaving]:
    """Run a service that always says the same."""

    async def behave(_: web.Request) -> web.StreamResponse:
        data = body.encode() if isinstance(body, str) else body
        return web.Response(status=status, body=data, headers=headers)

    async with Misbehaving(behave) as service:
        yield service
