"""The seam between the tool and the search services."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ...canonical import Json
from ...worker import TaskError
from . import refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is searched for.

    `site` is a single host that all results should be of, `sites` all the hosts that
    they may be of (None: any); `language` is a BCP 47 tag.
    """

    query: str
    language: str = "en"
    site: str | None = None
    sites: tuple[str, ...] | None = None

    def with_operator(self) -> str:
        """Return the query for services that know `site:`."""
        return f"{self.query} site:{self.site}" if self.site else self.query


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One result as it came: nothing is checked yet."""

    url: Json
    title: Json
    snippet: Json


class Backend(Protocol):
    """A search service. `name` is what its errors call it, `key` names it in results."""

    name: str
    key: str

    async def search(self, question: Question, timeout_s: float) -> list[Found]:
        """Return what it found, best first. Raises TaskError."""

    async def close(self) -> None:
        """Let go of connections."""


def entries(name: str, results: Json, snippet_key: str) -> Iterator[Found]:
    """Read a list of results with `url`, `title` and a snippet.

    Raises TaskError if it is no list; what is no object in it is left out.
    """
    if not isinstance(results, list):
        raise wrong_shape(name)
    for entry in results:
        if isinstance(entry, dict):
            yield Found(
                url=entry.get("url"),
                title=entry.get("title"),
                snippet=entry.get(snippet_key),
            )


def wrong_shape(name: str) -> TaskError:
    """Return the error for an answer that is JSON, but not that of the service."""
    return refusals.WRONG_SHAPE.error(name=name)
