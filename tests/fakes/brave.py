"""A fake of the Brave Search API: web search.

It follows Brave's API documentation ("Web Search API": query parameters, headers,
response objects, "Rate limiting") and, for the limits of the parameters, the schema in
the official package @brave/brave-search-mcp-server 2.1.4. That a bad key is 422 with the
code SUBSCRIPTION_TOKEN_INVALID, and a bad parameter 422 with VALIDATION, is how the
service answered in September 2026. What it finds are the pages of the demo house.
"""

from typing import Final

from aiohttp import web

from house.library import Page, find

from .http_service import HttpService

KEY: Final = "BSAtest0123456789"
PATH: Final = "/res/v1/web/search"
LANGUAGES: Final = frozenset(
    {"ar", "eu", "bn", "bg", "ca", "zh-hans", "zh-hant", "hr", "cs", "da", "nl", "en"}
    | {"en-gb", "et", "fi", "fr", "gl", "de", "gu", "he", "hi", "hu", "is", "it", "jp"}
    | {"kn", "ko", "lv", "lt", "ms", "ml", "mr", "nb", "pl", "pt-br", "pt-pt", "pa"}
    | {"ro", "ru", "sr", "sk", "sl", "es", "sv", "ta", "te", "th", "tr", "uk", "vi"}
)


class FakeBrave(HttpService):
    """Finds with the right key. `limited` makes every search one too many."""

    def __init__(self, *, limited: bool = False) -> None:
        """Take how it is."""
        super().__init__()
        self.limited = limited

    @property
    def api(self) -> str:
        """Return the address of the web search."""
        return f"{self.url}{PATH}"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Search, or say what is wrong with the request."""
        if request.path != PATH or request.method != "GET":
            return _error(404, "NOT_FOUND", "Not found")
        if request.headers.get("X-Subscription-Token") != KEY:
            return _error(
                422,
                "SUBSCRIPTION_TOKEN_INVALID",
                "The provided subscription token is invalid.",
            )
        if self.limited:
            return _error(
                429, "RATE_LIMITED", "Request rate limit exceeded for plan.", "0, 0"
            )
        query = dict(request.query)
        words = query.get("q", "")
        if (
            not 1 <= len(words) <= 400
            or len(words.split()) > 50
            or not _within(query.get("count", "20"), 1, 20)
            or not _within(query.get("offset", "0"), 0, 9)
            or query.get("search_lang", "en") not in LANGUAGES
        ):
            return _error(
                422,
                "VALIDATION",
                "Unable to validate request parameter(s)",
            )
        return self._found(words, query)

    def _found(self, words: str, query: dict[str, str]) -> web.Response:
        start = int(query.get("offset", "0")) * int(query.get("count", "20"))
        pages = find(words)[start : start + int(query.get("count", "20"))]
        plain = query.get("text_decorations") == "false"
        answer: dict[str, object] = {
            "type": "search",
            "query": {"original": words, "more_results_available": False},
        }
        # Without results there is no `web`.
        if pages:
            answer["web"] = {
                "type": "search",
                "results": [_entry(page, words, plain) for page in pages],
                "family_friendly": True,
            }
        return web.json_response(answer, headers=_limits("1, 1998"))


def _entry(page: Page, words: str, plain: bool) -> dict[str, object]:
    first = words.split(maxsplit=1)[0]
    text = page.text if plain else page.text.replace(first, f"<strong>{first}</strong>")
    return {
        "type": "search_result",
        "subtype": "generic",
        "title": page.title,
        "url": page.url,
        "description": text,
        "language": "en",
        "family_friendly": True,
    }


def _error(
    status: int, code: str, detail: str, remaining: str = "1, 1998"
) -> web.Response:
    return web.json_response(
        {
            "type": "ErrorResponse",
            "id": "00000000-0000-0000-0000-000000000000",
            "error": {"id": "0", "status": status, "code": code, "detail": detail},
            "time": 1_790_000_000,
        },
        status=status,
        headers=_limits(remaining),
    )


def _limits(remaining: str) -> dict[str, str]:
    """Return the headers; each has a value a second and one a month."""
    return {
        "X-RateLimit-Limit": "1, 2000",
        "X-RateLimit-Policy": "1;w=1, 2000;w=2592000",
        "X-RateLimit-Remaining": remaining,
        "X-RateLimit-Reset": "1, 86400",
    }


def _within(text: str, low: int, high: int) -> bool:
    return text.isdigit() and low <= int(text) <= high
