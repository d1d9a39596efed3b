"""A fake of Tavily's API: search.

It follows Tavily's API reference ("Tavily Search": body, response, the statuses 400, 401,
429, 432, 433 and 500 with their `detail.error`). What it finds are the pages of the demo
house.
"""

from typing import Any, Final

from aiohttp import web

from house.library import find

from .http_service import HttpService

KEY: Final = "tvly-test0123456789"
DEPTHS: Final = frozenset({"basic", "advanced", "fast", "ultra-fast"})
SAID: Final = {
    429: "Your request has been blocked due to excessive requests.",
    432: "This request exceeds your plan's set usage limit.",
    433: "This request exceeds the pay-as-you-go limit.",
    500: "Internal Server Error",
}


class FakeTavily(HttpService):
    """Finds with the right key; with `status` it answers with that error instead."""

    def __init__(self, *, status: int | None = None) -> None:
        """Take how it is."""
        super().__init__()
        self.status = status

    @property
    def api(self) -> str:
        """Return the address of the search."""
        return f"{self.url}/search"

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Search, or say what is wrong with the request."""
        if request.path != "/search" or request.method != "POST":
            return web.json_response({"detail": "Not Found"}, status=404)
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return _error(401, "Unauthorized: missing or invalid API key.")
        if self.status is not None:
            return _error(self.status, SAID[self.status])
        body = await request.json()
        if not isinstance(body.get("query"), str) or not body["query"]:
            return _error(400, "Query is missing.")
        if not 0 <= body.get("max_results", 5) <= 20:
            return _error(400, "Invalid max_results. Must be between 0 and 20.")
        if body.get("search_depth", "basic") not in DEPTHS:
            return _error(400, "Invalid search depth.")
        if len(body.get("include_domains", [])) > 300:
            return _error(400, "Max 300 domains are allowed in include_domains.")
        return _found(body)


def _found(body: dict[str, Any]) -> web.Response:
    sites = " ".join(f"site:{site}" for site in body.get("include_domains", []))
    pages = find(f"{body['query']} {sites}")[: body.get("max_results", 5)]
    return web.json_response(
        {
            "query": body["query"],
            "follow_up_questions": None,
            "answer": None,
            "images": [],
            "results": [
                {
                    "url": page.url,
                    "title": page.title,
                    "content": page.text,
                    "score": round(0.9 - number / 100, 2),
                    "raw_content": None,
                }
                for number, page in enumerate(pages)
            ],
            "response_time": 0.8,
            "request_id": "00000000-0000-0000-0000-000000000000",
        }
    )


def _error(status: int, words: str) -> web.Response:
    return web.json_response({"detail": {"error": words}}, status=status)
