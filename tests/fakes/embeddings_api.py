"""A server of embeddings on loopback: Ollama's `/api/embed` and OpenAI's `/v1/embeddings`.

Follows docs/api.md of github.com/ollama/ollama and OpenAI's API reference. Its vectors
are real ones of a function that is given, else hashed words.
"""

from collections.abc import Callable, Sequence
from zlib import crc32

from aiohttp import web

type Embed = Callable[[Sequence[str]], list[list[float]]]


def hashed(texts: Sequence[str], size: int = 64) -> list[list[float]]:
    """Return a vector of each text's words."""
    vectors = []
    for text in texts:
        vector = [0.0] * size
        for word in text.lower().split():
            vector[crc32(word.strip(".,?!").encode()) % size] += 1.0
        vectors.append(vector)
    return vectors


class FakeEmbeddings:
    """Serves both forms; `status` other than 200 makes it refuse, `asked` counts texts."""

    def __init__(self, embed: Embed = hashed, key: str | None = None) -> None:
        """Answer with vectors of `embed`, to who has the key."""
        self.embed = embed
        self.key = key
        self.status = 200
        self.refuses: Callable[[str], bool] = lambda _text: False
        self.asked = 0
        self.models: set[str] = set()
        self.port = 0
        self._runner: web.AppRunner | None = None

    async def start(self) -> str:
        """Return the base address."""
        app = web.Application()
        app.router.add_post("/api/embed", self._ollama)
        app.router.add_post("/v1/embeddings", self._openai)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return f"http://127.0.0.1:{self.port}"

    async def stop(self) -> None:
        """Serve no more."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _ollama(self, request: web.Request) -> web.Response:
        vectors, error = await self._vectors(request)
        if error is not None:
            return web.json_response({"error": error}, status=self._status())
        return web.json_response({"model": "m", "embeddings": vectors})

    async def _openai(self, request: web.Request) -> web.Response:
        vectors, error = await self._vectors(request)
        if error is not None:
            body = {"error": {"message": error, "type": "invalid_request_error"}}
            return web.json_response(body, status=self._status())
        data = [
            {"object": "embedding", "index": number, "embedding": vector}
            for number, vector in enumerate(vectors)
        ]
        # The reference says nothing of the order: `index` counts.
        return web.json_response({"object": "list", "model": "m", "data": data[::-1]})

    def _status(self) -> int:
        return 400 if self.status == 200 else self.status

    async def _vectors(
        self, request: web.Request
    ) -> tuple[list[list[float]], str | None]:
        body = await request.json()
        texts = body["input"]
        self.models.add(body["model"])
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            self.status = 401
        if self.status != 200 or any(map(self.refuses, texts)):
            return [], "no"
        self.asked += len(texts)
        return self.embed(texts), None
