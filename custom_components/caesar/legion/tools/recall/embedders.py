"""Who turns words into vectors: a server of the house's own choice, or a local table.

Ollama: `POST /api/embed` (github.com/ollama/ollama, docs/api.md). OpenAI and servers
like it: `POST /v1/embeddings` (platform.openai.com/docs/api-reference/embeddings).
"""

from abc import ABC, abstractmethod
from array import array
import asyncio
from collections.abc import Mapping, Sequence
from http import HTTPStatus
import importlib
from importlib.util import find_spec
import json
import math
from pathlib import Path
from typing import Any, Final, Protocol

import aiohttp
from yarl import URL

TIMEOUT_S: Final = 30.0
MAX_ANSWER: Final = 16 * 1_048_576
MAX_SIZE: Final = 8_192
# Of wordllama 0.2.2: 256 numbers for each part of a word.
_TABLE: Final = "l2_supercat_256.safetensors"
_TENSOR: Final = "embedding.weight"
_TOKENIZER: Final = "l2_supercat_tokenizer_config.json"
_REFUSED: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
# Both kinds of server answer 404 for a model that they don't have.
_CODES: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "bad_key",
    HTTPStatus.FORBIDDEN: "bad_key",
    HTTPStatus.NOT_FOUND: "no_model",
    HTTPStatus.TOO_MANY_REQUESTS: "rate",
}


class EmbedderError(Exception):
    """No vectors came. `refused` says that these words will never get any.

    `code` is a single word, as that of a TaskError.
    """

    def __init__(
        self, message: str, *, refused: bool = False, code: str = "embedder_error"
    ) -> None:
        """Keep a message without secrets."""
        super().__init__(message)
        self.message: Final = message
        self.refused: Final = refused
        self.code: Final = code


class Embedder(Protocol):
    """Turns words into vectors; `name` is what people read of it."""

    name: str
    batch: int

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, all of one size. Raises EmbedderError."""

    async def close(self) -> None:
        """Let go of connections."""


class ServerEmbedder(ABC):
    """A server of either kind, `key` its secret if it wants one."""

    batch = 32

    def __init__(self, name: str, url: URL, model: str, key: str | None) -> None:
        """Ask at that address for vectors of that model."""
        self.name = name
        self._url = url
        self._model = model
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._session: aiohttp.ClientSession | None = None

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text. Raises EmbedderError."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await self._ask({"model": self._model, "input": list(texts)})
        except TimeoutError:
            raise EmbedderError(
                f"{self.name} did not answer in time.", code="timeout"
            ) from None
        except aiohttp.ClientSSLError:
            raise EmbedderError(
                f"The certificate of {self.name} isn't trusted here.",
                code="certificate",
            ) from None
        except aiohttp.ClientError:
            raise EmbedderError(
                f"{self.name} can't be reached.", code="unreachable"
            ) from None
        return _checked(self._vectors(answer), len(texts), self.name)

    async def close(self) -> None:
        """Let go of connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _ask(self, body: dict[str, Any]) -> Any:
        if self._session is None:
            self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        async with self._session.post(
            self._url, json=body, headers=self._headers, allow_redirects=False
        ) as response:
            raw = bytearray()
            async for chunk in response.content.iter_chunked(65_536):
                raw += chunk
                if len(raw) > MAX_ANSWER:
                    raise EmbedderError(f"{self.name} answered with too much.")
        if response.status != HTTPStatus.OK:
            raise EmbedderError(
                f"{self.name} answered {response.status}.",
                refused=response.status in _REFUSED,
                code=_CODES.get(response.status, "embedder_error"),
            )
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            raise EmbedderError(
                f"{self.name} answered with no JSON.", code="bad_answer"
            ) from None

    @abstractmethod
    def _vectors(self, answer: Any) -> Any:
        """Return the vectors in an answer, as they are; None if it has none."""


class OllamaEmbedder(ServerEmbedder):
    """An Ollama server."""

    def __init__(self, base: URL, model: str, key: str | None = None) -> None:
        """Ask the server at `base`."""
        super().__init__("Ollama", base / "api" / "embed", model, key)

    def _vectors(self, answer: Any) -> Any:
        return answer.get("embeddings") if isinstance(answer, dict) else None


class OpenAiEmbedder(ServerEmbedder):
    """A server that speaks OpenAI's API."""

    def __init__(self, base: URL, model: str, key: str | None = None) -> None:
        """Ask the server at `base`, which may end in /v1 or not."""
        path = base.path.rstrip("/")
        root = path if path.endswith("/v1") else f"{path}/v1"
        url = base.with_path(f"{root}/embeddings")
        super().__init__("The embeddings server", url, model, key)

    def _vectors(self, answer: Any) -> Any:
        try:
            # In the order of the input only if `index` says so.
            data = sorted(answer["data"], key=lambda each: each["index"])
            return [each["embedding"] for each in data]
        except (KeyError, TypeError):
            return None


class TableEmbedder:
    """wordllama's table, from the extra `embeddings`; its weights come with it."""

    name = "wordllama"
    batch = 64

    def __init__(self) -> None:
        """Load the table. Raises ImportError if the package is missing."""
        # Not by the package's own loader, which asks a hub for what it doesn't find.
        found = find_spec("wordllama")
        if found is None or found.origin is None:
            raise ImportError("wordllama is missing", name="wordllama")
        folder = Path(found.origin).parent
        tokenizers = importlib.import_module("tokenizers")
        safetensors = importlib.import_module("safetensors.numpy")
        self._table = safetensors.load_file(folder / "weights" / _TABLE)[_TENSOR]
        self._split = tokenizers.Tokenizer.from_file(
            str(folder / "tokenizers" / _TOKENIZER)
        )

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text."""
        return await asyncio.to_thread(self.vectors, texts)

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text, in this thread."""
        return [
            self._table[self._split.encode(text, add_special_tokens=False).ids or [0]]
            .mean(axis=0, dtype="float32")
            .tolist()
            for text in texts
        ]

    async def close(self) -> None:
        """Hold nothing."""


def _checked(vectors: Any, count: int, name: str) -> list[list[float]]:
    """Return vectors as they may be compared. Raises EmbedderError."""
    bad = EmbedderError(
        f"{name} answered with something that is no vectors.", code="bad_answer"
    )
    if not isinstance(vectors, list) or len(vectors) != count:
        raise bad
    sizes = {len(each) if isinstance(each, list) else 0 for each in vectors}
    if len(sizes) != 1 or not 0 < min(sizes) <= MAX_SIZE:
        raise bad
    checked = []
    for vector in vectors:
        try:
            numbers = array("d", vector)
        except (TypeError, OverflowError):
            raise bad from None
        # NaN and infinities spread into a sum.
        if not math.isfinite(sum(numbers)):
            raise bad
        checked.append(numbers.tolist())
    return checked
