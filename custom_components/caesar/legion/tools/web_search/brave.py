"""Searches with the Brave Search API, which needs a key (there is a free tier).

https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
"""

from http import HTTPStatus
from typing import Final

from yarl import URL

from ...canonical import Json
from ...worker import TaskError
from . import refusals
from .backend import Found, Question, entries, wrong_shape
from .fetch import Answer, Fetcher

API: Final = "https://api.search.brave.com/res/v1/web/search"
MAX_COUNT: Final = 20
MAX_WORDS: Final = 50
# The languages that the API takes for `search_lang`; another one is refused. A few go
# by other names than their BCP 47 tag.
LANGUAGES: Final = frozenset(
    {"ar", "bg", "bn", "ca", "cs", "da", "de", "en", "es", "et", "eu", "fi", "fr"}
    | {"gl", "gu", "he", "hi", "hr", "hu", "is", "it", "kn", "ko", "lt", "lv", "ml"}
    | {"mr", "ms", "nb", "nl", "pa", "pl", "ro", "ru", "sk", "sl", "sr", "sv", "ta"}
    | {"te", "th", "tr", "uk", "vi"}
)
RENAMED: Final = {"ja": "jp", "no": "nb", "pt": "pt-pt", "zh": "zh-hans"}
REGIONAL: Final = {
    "en-gb": "en-gb",
    "pt-br": "pt-br",
    "zh-hant": "zh-hant",
    "zh-hk": "zh-hant",
    "zh-tw": "zh-hant",
}


class Brave:
    """The Brave Search API with a key; `api` is another address of it, for tests."""

    name = "Brave Search"
    key = "brave"

    def __init__(self, api_key: str, api: str = API) -> None:
        """Take the key."""
        self._url = URL(api)
        self._key = api_key
        self._fetcher = Fetcher(self.name, api_key)

    async def search(self, question: Question, timeout_s: float) -> list[Found]:
        """Ask for one page, the largest: it costs the same."""
        query = question.with_operator()
        if len(query.split()) > MAX_WORDS:
            raise refusals.BRAVE_WORDS.error(most=MAX_WORDS)
        parameters = {"q": query, "count": str(MAX_COUNT), "text_decorations": "false"}
        if language := search_language(question.language):
            parameters["search_lang"] = language
        answer = await self._fetcher.get(
            self._url,
            timeout_s=timeout_s,
            query=parameters,
            headers={"Accept": "application/json", "X-Subscription-Token": self._key},
        )
        if not answer.is_good:
            raise self._error(answer)
        if not isinstance(answer.data, dict):
            raise wrong_shape(self.name)
        web = answer.data.get("web")
        if web is None:
            # That is how it says that it found nothing.
            return []
        results = web.get("results") if isinstance(web, dict) else None
        return list(entries(self.name, results, "description"))

    async def close(self) -> None:
        """Let go of connections."""
        await self._fetcher.close()

    def _error(self, answer: Answer) -> TaskError:
        code, detail = _error_of(answer.data)
        if code == "SUBSCRIPTION_TOKEN_INVALID" or answer.status in (
            HTTPStatus.UNAUTHORIZED,
            HTTPStatus.FORBIDDEN,
        ):
            return refusals.BRAVE_KEY.error()
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            return refusals.BRAVE_RATE.error()
        return self._fetcher.failed(answer, detail)


def search_language(tag: str) -> str | None:
    """Return what the API calls a language; None if it doesn't know it."""
    lower = tag.lower().replace("_", "-")
    if lower in REGIONAL:
        return REGIONAL[lower]
    primary = lower.partition("-")[0]
    return primary if primary in LANGUAGES else RENAMED.get(primary)


def _error_of(data: Json) -> tuple[str, str]:
    """Return code and detail of an ErrorResponse; the status says too little."""
    error = data.get("error") if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return "", ""
    return str(error.get("code", "")), str(error.get("detail", ""))
