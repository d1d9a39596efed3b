"""Searches with Tavily, which needs a key (there is a free tier).

https://docs.tavily.com/documentation/api-reference/endpoint/search
"""

from http import HTTPStatus
from typing import Final

from yarl import URL

from ...canonical import Json
from ...worker import TaskError
from . import refusals
from .backend import Found, Question, entries, wrong_shape
from .fetch import Answer, Fetcher
from .hosts import bare

API: Final = "https://api.tavily.com/search"
MAX_RESULTS: Final = 20
MAX_SITES: Final = 300
PLAN_LIMIT: Final = 432
PAID_LIMIT: Final = 433


class Tavily:
    """Tavily's API with a key; `api` is another address of it, for tests."""

    name = "Tavily"
    key = "tavily"

    def __init__(self, api_key: str, api: str = API) -> None:
        """Take the key."""
        self._url = URL(api)
        self._key = api_key
        self._fetcher = Fetcher(self.name, api_key)

    async def search(self, question: Question, timeout_s: float) -> list[Found]:
        """Make a basic search, which costs one credit however many results it has."""
        body: dict[str, Json] = {
            "query": question.query,
            "search_depth": "basic",
            "max_results": MAX_RESULTS,
        }
        sites = [question.site] if question.site else question.sites or ()
        if sites:
            body["include_domains"] = [bare(site) for site in sites][:MAX_SITES]
        answer = await self._fetcher.post(
            self._url,
            timeout_s=timeout_s,
            body=body,
            headers={"Authorization": f"Bearer {self._key}"},
        )
        if not answer.is_good:
            raise self._error(answer)
        if not isinstance(answer.data, dict):
            raise wrong_shape(self.name)
        return list(entries(self.name, answer.data.get("results"), "content"))

    async def close(self) -> None:
        """Let go of connections."""
        await self._fetcher.close()

    def _error(self, answer: Answer) -> TaskError:
        match answer.status:
            case HTTPStatus.UNAUTHORIZED:
                return refusals.TAVILY_KEY.error()
            case HTTPStatus.TOO_MANY_REQUESTS:
                return refusals.TAVILY_RATE.error()
            case _ if answer.status == PLAN_LIMIT:
                return refusals.TAVILY_PLAN.error()
            case _ if answer.status == PAID_LIMIT:
                return refusals.TAVILY_PAID.error()
        return self._fetcher.failed(answer, _detail(answer.data))


def _detail(data: Json) -> str:
    """Return the words of an error, wherever Tavily puts them."""
    detail = data.get("detail") if isinstance(data, dict) else None
    if isinstance(detail, dict):
        detail = detail.get("error")
    return detail if isinstance(detail, str) else ""
