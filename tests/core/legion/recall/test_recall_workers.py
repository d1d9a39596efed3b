"""The recall workers: fed in order, found by words or meaning, asked by owner only."""

import asyncio
from collections.abc import Callable, Sequence
import random
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer
import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.environment import Environment, SettingsError
from custom_components.caesar.legion.messages import DispatchRequest
from custom_components.caesar.legion.tasks import Refused, Tasks
from custom_components.caesar.legion.tools import recall_memory, semantic_recall
from custom_components.caesar.legion.tools.recall import (
    semantic as semantic_module,
    vectors as vectors_module,
)
from custom_components.caesar.legion.tools.recall.vectors import (
    NumpyVectors,
    PlainVectors,
    VectorIndex,
)
from custom_components.caesar.legion.tools.recall.words import WordIndex
from custom_components.caesar.legion.wire import reply_from_bytes
from custom_components.caesar.legion.worker import Worker
from tests.fakes.embeddings_api import FakeEmbeddings, hashed

pytestmark = pytest.mark.usefixtures("socket_enabled")


class Talk:
    """Speaks to a worker as the house does, over the tasks of its process."""

    def __init__(self, worker: Worker) -> None:
        """Serve it."""
        self.worker = worker
        self.tasks = Tasks("w", [worker])
        self._name = worker.tools[0].name
        self._number = 0

    async def send(self, ending: str, **given: Json) -> Any:
        """Send a message and return its result; an error is its code."""
        self._number += 1
        request = DispatchRequest(
            task_id=f"{self._number:032x}",
            tool=self._name + ending,
            input=given,
            decision_id="d",
            deadline_ms=5_000,
        )
        reply = reply_from_bytes(await self.tasks.run("key", request))
        return reply.result if reply.success else reply.code

    async def feed(
        self,
        rows: list[Json],
        after: int = 0,
        run: str = "r",
        erase: Sequence[int] = (),
    ) -> Any:
        """Feed rows."""
        return await self.send(
            "__feed", run=run, after=after, rows=rows, erase=list(erase)
        )

    async def find(self, query: str, owner: str = "a", run: str = "r") -> Any:
        """Ask."""
        return await self.send("__find", run=run, owners=[owner], query=query, limit=5)


def words_only() -> Talk:
    """Return a worker without vectors."""
    return Talk(semantic_recall.create(Environment({})))


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(5):
        while not holds():
            await asyncio.sleep(0.01)


async def test_the_house_s_messages_are_no_tools() -> None:
    """A hello names the tool alone; an unknown message is refused."""
    talk = words_only()
    assert [spec.name for spec in talk.tasks.specs] == ["semantic_recall"]
    with pytest.raises(Refused):
        await talk.send("__other")
    assert await talk.feed([[1, "a", "k"]]) == "bad_row"
    assert await talk.send("__feed", run="r") == "invalid_input"


async def test_found_by_words_of_one_owner_only() -> None:
    """German compounds too; the rows of others are never answered."""
    talk = words_only()
    await talk.feed(
        [
            [1, "a", "k", "Der Heizungskeller ist feucht"],
            [2, "b", "k", "The boiler makes a noise"],
            [3, "a", "k", "The boiler was repaired on Monday"],
            [4, "a", "k", ""],
        ]
    )
    keller = await talk.find("Was war mit dem Keller?")
    assert [hit[0] for hit in keller["hits"]] == [1]
    boiler = await talk.find("boilers")
    assert [hit[0] for hit in boiler["hits"]] == [3]
    assert (boiler["fed"], boiler["found_by"]) == (True, "words")
    assert all(0 < hit[1] <= 1 for hit in boiler["hits"])
    assert (await talk.find("boiler", owner="c"))["hits"] == []


async def test_feeds_come_in_order_or_begin_anew() -> None:
    """What was missed or erased can't stay: a new run drops all of the old one."""
    talk = words_only()
    assert (await talk.feed([[1, "a", "k", "boiler"]]))["last"] == 1
    assert (await talk.feed([[2, "a", "k", "stove"]], after=5))["last"] == -1
    assert (await talk.feed([[2, "a", "k", "stove"]], after=1, erase=[1, 2]))[
        "rows"
    ] == 0
    assert (await talk.find("boiler"))["hits"] == []
    assert (await talk.feed([], after=2, run="s"))["last"] == -1
    assert (await talk.feed([[7, "a", "k", "oven"]], run="s"))["rows"] == 1
    assert (await talk.find("oven"))["fed"] is False
    assert len((await talk.find("oven", run="s"))["hits"]) == 1


@pytest.mark.parametrize("kind", ["ollama", "openai"])
async def test_found_by_meaning_over_the_wire(kind: str) -> None:
    """Vectors come in the background; a row that the server refuses holds up none."""
    server = FakeEmbeddings(key="secret")
    url = await server.start()
    server.refuses = lambda text: "refused" in text
    worker = semantic_recall.create(
        Environment(
            {
                "CAESAR_TOOLS__RECALL__EMBEDDER": kind,
                "CAESAR_TOOLS__RECALL__URL": url,
                "CAESAR_TOOLS__RECALL__MODEL": "small",
                "CAESAR_TOOLS__RECALL__KEY": "secret",
            }
        )
    )
    talk = Talk(worker)
    await worker.start()
    try:
        await talk.feed(
            [
                [1, "a", "k", "a refused text"],
                [2, "a", "k", ""],
                [3, "a", "k", "red lamp"],
                [4, "b", "k", "red lamp"],
                [5, "a", "k", "blue sofa"],
            ]
        )
        await until(lambda: not worker._rows.waiting)  # type: ignore[attr-defined]  # no answer says when
        found = await talk.find("lamp red")
        assert found["found_by"] == "meaning"
        assert found["hits"][0] == [3, pytest.approx(1, abs=0.01)]
        assert server.models == {"small"}

        await talk.feed([], after=5, erase=[3])
        assert all(hit[0] != 3 for hit in (await talk.find("lamp red"))["hits"])

        # Another model behind the same address: no vector of the old one counts.
        server.embed = lambda texts: hashed(texts, 32)
        assert (await talk.find("sofa"))["found_by"] == "words"
        assert (await talk.feed([], after=5))["last"] == -1
        await talk.feed([[5, "a", "k", "blue sofa"]], run="t")
        await until(lambda: not worker._rows.waiting)  # type: ignore[attr-defined]  # no answer says when
        assert (await talk.find("sofa", run="t"))["found_by"] == "meaning"

        server.status = 503
        assert (await talk.find("sofa", run="t"))["found_by"] == "words"
    finally:
        await worker.stop()
        await server.stop()


async def test_a_server_that_is_away_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Until then rows are found by words."""
    monkeypatch.setattr(semantic_module, "WAIT_S", 0.01)
    server = FakeEmbeddings()
    server.status = 500
    url = await server.start()
    worker = semantic_recall.create(
        Environment(
            {
                "CAESAR_TOOLS__RECALL__EMBEDDER": "ollama",
                "CAESAR_TOOLS__RECALL__URL": url,
                "CAESAR_TOOLS__RECALL__MODEL": "small",
            }
        )
    )
    talk = Talk(worker)
    await worker.start()
    try:
        assert (await talk.feed([[1, "a", "k", "red lamp"]]))["waiting"] == 1
        assert (await talk.find("lamp"))["found_by"] == "words"
        server.status = 200
        await until(lambda: not worker._rows.waiting)  # type: ignore[attr-defined]  # no answer says when
        assert (await talk.find("lamp"))["found_by"] == "meaning"
    finally:
        await worker.stop()
        await server.stop()


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"EMBEDDER": "magic"}, "EMBEDDER"),
        ({"EMBEDDER": "ollama"}, "URL"),
        ({"EMBEDDER": "ollama", "URL": "http://a"}, "MODEL"),
        ({"EMBEDDER": "openai", "URL": "file:///a", "MODEL": "m"}, "URL"),
        ({"EMBEDDER": "openai", "URL": "http://a", "MODEL": "m", "KEY": "ä"}, "KEY"),
    ],
)
def test_settings_that_are_no_good(settings: dict[str, str], missing: str) -> None:
    """Each says which variable is at fault."""
    values = {f"CAESAR_TOOLS__RECALL__{key}": each for key, each in settings.items()}
    with pytest.raises(SettingsError, match=f"RECALL__{missing}"):
        semantic_recall.create(Environment(values))


async def test_newest_first_by_kind() -> None:
    """recall_memory answers with the newest ids of the owners."""
    talk = Talk(recall_memory.create(Environment({})))
    await talk.feed(
        [[n, "a" if n % 2 else "b", "x" if n < 6 else "y", ""] for n in range(1, 10)]
    )
    found = await talk.send("__find", run="r", owners=["a"], limit=3)
    assert [hit[0] for hit in found["hits"]] == [9, 7, 5]
    found = await talk.send("__find", run="r", owners=["a"], kind="x", limit=9)
    assert [hit[0] for hit in found["hits"]] == [5, 3, 1]


def test_both_kinds_of_vectors_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    """With numpy or without: the same of these owners, and an erased one is gone."""
    found = []
    for has_numpy in (True, False):
        if not has_numpy:
            monkeypatch.setattr(vectors_module, "find_spec", lambda _name: None)
        index = VectorIndex()
        rng = random.Random(7)
        for id_ in range(1, 9_001):
            index.add(id_, "abc"[id_ % 3], [rng.uniform(-1, 1) for _ in range(4)])
        for id_ in range(1, 100):
            index.erase(id_)
        # What was blanked is used again.
        index.add(9_001, "a", [1.0, 0.0, 0.0, 0.0])
        assert len(index._ids) == 9_000
        best = index.find([1.0, 0.01, 0.0, 0.0], frozenset("ab"), 5)
        assert best[0][0] == 9_001
        assert all(0 < score <= 1 and id_ % 3 < 2 for id_, score in best[1:])
        assert index.find([1.0, 0.0, 0.0, 0.0], frozenset("z"), 5) == []
        assert len(index.find([0.0, 1.0, 0.0, 0.0], frozenset("c"), 50)) == 50
        found.append([id_ for id_, _ in best])
        kind = NumpyVectors if has_numpy else PlainVectors
        assert isinstance(index._vectors, kind)
    assert found[0] == found[1]


def test_erased_words_leave_the_index() -> None:
    """When most rows are gone, what is kept of them is dropped too."""
    index = WordIndex()
    for number in range(1, 2_501):
        index.add(number, "a", f"word{number} lamp")
    for number in range(1, 2_401):
        index.erase(number)
    assert "word1" not in index._postings
    assert index.find("word2500", frozenset("a"), 3)[0][0] == 2_500
    assert len(index) == 100


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (200, b'{"embeddings": [[NaN, 1]]}', "bad_answer"),
        (200, b'{"embeddings": [[1e999, 1]]}', "bad_answer"),
        (200, b'{"embeddings": [["1", 1]]}', "bad_answer"),
        (200, b'{"embeddings": [[]]}', "bad_answer"),
        (200, b'{"embeddings": [[1], [2]]}', "bad_answer"),
        (200, b'{"embeddings": 7}', "bad_answer"),
        (200, b"[" * 100_000, "bad_answer"),
        (200, b'{"embeddings": [[1, 2]]}', None),
        (401, b"{}", "bad_key"),
        (404, b"{}", "no_model"),
        (302, b"{}", "embedder_error"),
    ],
)
async def test_what_a_server_may_answer(
    status: int, body: bytes, code: str | None
) -> None:
    """Numbers that are none are no vectors; a trial says what is wrong in a word."""

    async def serve(_request: web.Request) -> web.Response:
        return web.Response(status=status, body=body)

    app = web.Application()
    app.router.add_post("/api/embed", serve)
    async with TestServer(app) as server:
        values = {
            "CAESAR_TOOLS__RECALL__EMBEDDER": "ollama",
            "CAESAR_TOOLS__RECALL__URL": str(server.make_url("/")),
            "CAESAR_TOOLS__RECALL__MODEL": "small",
        }
        talk = Talk(semantic_recall.create(Environment(values)))
        found = await talk.send("__try")
        await talk.worker.stop()
    assert found == (code or {"found_by": "meaning", "size": 2})
