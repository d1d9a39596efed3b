"""A fake of SearXNG: web search over its JSON output.

It follows SearXNG's documentation ("Search API": parameters, `format=json`) and what its
`searx/webutils.py` writes as JSON. It finds the pages of the demo house, at once; the
real one is in tests/fakes/servers.py.
"""

from typing import override

from aiohttp import web

from house.library import Page, find

from .http_service import HttpService


class FakeSearxng(HttpService):
    """Finds by words."""

    @override
    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Search, or say that there is nothing to search for."""
        if request.path != "/search":
            return web.Response(status=404)
        if request.query.get("format") != "json":
            return web.Response(status=403)
        if not (words := request.query.get("q", "").strip()):
            return web.json_response({"error": "No query"}, status=400)
        return web.json_response(
            {
                "query": words,
                "number_of_results": 0,
                "results": [
                    _result(page, rank) for rank, page in enumerate(find(words))
                ],
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [],
                "unresponsive_engines": [],
            }
        )


def _result(page: Page, rank: int) -> dict[str, object]:
    return {
        "url": page.url,
        "title": page.title,
        "content": page.text,
        "engine": "library",
        "template": "default.html",
        "parsed_url": [],
        "img_src": "",
        "priority": "",
        "engines": ["library"],
        "positions": [rank + 1],
        "score": 1.0 / (rank + 1),
        "category": "general",
        "publishedDate": None,
    }
