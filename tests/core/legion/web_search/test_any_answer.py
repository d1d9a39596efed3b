"""Whatever a service answers, the tool answers with results or with a TaskError."""

import asyncio
from collections.abc import Callable
import json
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.legion.canonical import canonical_json
from custom_components.caesar.legion.tools.web_search.backend import Backend
from custom_components.caesar.legion.tools.web_search.brave import Brave
from custom_components.caesar.legion.tools.web_search.fetch import Answer, Fetcher
from custom_components.caesar.legion.tools.web_search.searxng import Searxng
from custom_components.caesar.legion.tools.web_search.tavily import Tavily
from custom_components.caesar.legion.worker import TaskError

from .searching import over, searched

KEYS = (
    *("results", "web", "error", "detail", "code", "url", "title", "content"),
    *("description", "unresponsive_engines"),
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["https://a.example/", "javascript:x", "<b>x</b>", "\ud800"])
)
ANSWERS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=20,
)


class Told(Fetcher):
    """Answers what it was told."""

    def __init__(self, answer: Answer) -> None:
        """Take the answer."""
        super().__init__("It", "a-secret")
        self._answer = answer

    async def get(self, *_: Any, **__: Any) -> Answer:
        """Answer."""
        return self._answer

    async def post(self, *_: Any, **__: Any) -> Answer:
        """Answer."""
        return self._answer


@pytest.mark.parametrize(
    "make",
    [lambda: Searxng("http://a.example"), lambda: Brave("k"), lambda: Tavily("k")],
    ids=["searxng", "brave", "tavily"],
)
@given(
    data=ANSWERS,
    status=st.sampled_from([200, 204, 400, 401, 403, 422, 429, 432, 433, 500, 503]),
)
def test_any_json(make: Callable[[], Backend], data: Any, status: int) -> None:
    """The results can be sent on as JSON, the error is short."""
    backend = make()
    body = json.dumps(data)
    told = Told(Answer(status=status, data=data, body=body))
    backend._fetcher = told  # type: ignore[attr-defined]  # a private seam of all three
    results, said = [], ""
    try:
        answer = asyncio.run(searched(over(backend)))
        canonical_json(answer).encode()
        results = answer["results"]
    except TaskError as err:
        said = err.message
    said.encode()
    assert len(said) < 400
    assert all(result["url"].startswith("https://") for result in results)
