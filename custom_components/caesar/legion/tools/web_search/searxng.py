"""Searches with a SearXNG of one's own, over its JSON output.

https://docs.searxng.org/dev/search_api.html
"""

from http import HTTPStatus
import re
from typing import Final

from yarl import URL

from ...canonical import Json
from . import refusals
from .backend import Found, Question, entries, wrong_shape
from .fetch import Fetcher
from .text import plain

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?")


class Searxng:
    """A SearXNG at `url`, its base address."""

    name = "SearXNG"
    key = "searxng"

    def __init__(self, url: str) -> None:
        """Take the address; one that ends in /search is meant all the same."""
        base = URL(url)
        path = base.path.rstrip("/").removesuffix("/search")
        self._url = base.with_path(f"{path}/search")
        self._fetcher = Fetcher(self.name, base.password)

    async def search(self, question: Question, timeout_s: float) -> list[Found]:
        """Search in the category general, filtered moderately."""
        query = {"q": question.with_operator(), "format": "json", "safesearch": "1"}
        if _LANGUAGE.fullmatch(question.language):
            query["language"] = question.language
        answer = await self._fetcher.get(
            self._url,
            timeout_s=timeout_s,
            query=query,
            headers={"Accept": "application/json"},
        )
        if answer.status == HTTPStatus.FORBIDDEN:
            raise refusals.SEARXNG_JSON_OFF.error()
        if answer.status == HTTPStatus.UNAUTHORIZED:
            raise refusals.SEARXNG_PASSWORD.error()
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise refusals.SEARXNG_RATE.error()
        if not answer.is_good:
            raise self._fetcher.failed(answer, _reason(answer.data))
        if not isinstance(answer.data, dict) or "results" not in answer.data:
            raise wrong_shape(self.name)
        found = list(entries(self.name, answer.data["results"], "content"))
        broken = _broken(answer.data.get("unresponsive_engines"))
        if not found and broken:
            raise refusals.SEARXNG_ENGINES.error(engines=broken)
        return found

    async def close(self) -> None:
        """Let go of connections."""
        await self._fetcher.close()


def _reason(data: Json) -> str:
    """Return what SearXNG says is wrong with a request."""
    return str(data["error"]) if isinstance(data, dict) and "error" in data else ""


def _broken(engines: Json) -> str:
    """Return the engines that gave nothing, each with the reason that SearXNG has."""
    if not isinstance(engines, list):
        return ""
    named = [
        f"{engine[0]} ({engine[1]})"
        for engine in engines
        if isinstance(engine, list) and len(engine) == 2
    ]
    return plain("; ".join(named), 200)
