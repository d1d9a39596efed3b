"""One HTTP request to a search service, bounded in time and size."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from http import HTTPStatus
import json
from typing import Any, Final

import aiohttp
from yarl import URL

from ...canonical import Json
from ...worker import TaskError
from ..error_words import Both
from . import refusals
from .text import plain

MAX_BODY: Final = 1_048_576
MAX_MOVES: Final = 3
MAX_WORDS_OF_ERROR: Final = 200
_CHUNK: Final = 65_536
_MOVED: Final = frozenset(
    {
        HTTPStatus.MOVED_PERMANENTLY,
        HTTPStatus.FOUND,
        HTTPStatus.TEMPORARY_REDIRECT,
        HTTPStatus.PERMANENT_REDIRECT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back. `data` is None if the body is no JSON."""

    status: int
    data: Json
    body: str

    @property
    def is_good(self) -> bool:
        """Return whether the service did what it was asked."""
        return self.status < HTTPStatus.BAD_REQUEST


class Fetcher:
    """Speaks to one service, whose `name` its errors bear.

    `secret` never appears in an error, whatever the service says.
    """

    def __init__(self, name: str, secret: str | None = None) -> None:
        """Take the name; connections are opened when they are needed."""
        self._name = name
        self._secret = secret
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self,
        url: URL,
        *,
        timeout_s: float,
        query: Mapping[str, str],
        headers: Mapping[str, str],
    ) -> Answer:
        """Get, following redirects on the same host only. Raises TaskError."""
        return await self._bounded(
            self._get(url.update_query(query), headers), url, timeout_s
        )

    async def post(
        self, url: URL, *, timeout_s: float, body: Json, headers: Mapping[str, str]
    ) -> Answer:
        """Post JSON; a redirect is an error. Raises TaskError."""
        return await self._bounded(self._post(url, body, headers), url, timeout_s)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def failed(self, answer: Answer, reason: str = "") -> TaskError:
        """Return the error for an answer that is none of those the service is known for.

        It says the status and, without another `reason`, the beginning of the body.
        """
        said = plain(self._hidden(reason or answer.body), MAX_WORDS_OF_ERROR)
        status = int(answer.status)
        if said:
            error = refusals.STATUS_SAID.error(
                name=self._name, status=status, said=said
            )
        else:
            error = refusals.STATUS.error(name=self._name, status=status)
        error.retryable = status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return error

    async def _bounded(
        self, work: Coroutine[Any, Any, Answer], url: URL, timeout_s: float
    ) -> Answer:
        try:
            async with asyncio.timeout(timeout_s):
                return await work
        except TimeoutError:
            raise refusals.TIMEOUT.error(
                name=self._name, time=_seconds(timeout_s)
            ) from None
        except aiohttp.ClientConnectorCertificateError:
            raise refusals.CERTIFICATE.error(
                name=self._name, place=_place(url)
            ) from None
        except aiohttp.ClientConnectionError:
            raise refusals.UNREACHABLE.error(
                name=self._name, place=_place(url)
            ) from None
        except aiohttp.ClientError:
            raise self._unreadable(url) from None

    async def _get(self, url: URL, headers: Mapping[str, str]) -> Answer:
        for _ in range(MAX_MOVES):
            async with self._open().get(
                url, headers=headers, allow_redirects=False
            ) as response:
                if response.status not in _MOVED:
                    return await self._read(response)
                url = self._moved(url, response)
        raise refusals.REDIRECTED.error(name=self._name)

    async def _post(self, url: URL, body: Json, headers: Mapping[str, str]) -> Answer:
        async with self._open().post(
            url, json=body, headers=headers, allow_redirects=False
        ) as response:
            if response.status in _MOVED:
                raise self._elsewhere(response.headers.get("Location", ""))
            return await self._read(response)

    def _moved(self, url: URL, response: aiohttp.ClientResponse) -> URL:
        """Return where a redirect leads, on the same host and not to plain HTTP."""
        location = response.headers.get("Location", "")
        try:
            target = url.join(URL(location))
        except ValueError:
            raise self._elsewhere(location) from None
        same_host = target.raw_host == url.raw_host
        safe = target.scheme in (url.scheme, "https")
        same_port = target.port == url.port or target.scheme != url.scheme
        if not location or not (same_host and safe and same_port):
            raise self._elsewhere(location)
        return target.with_user(url.user).with_password(url.password)

    def _elsewhere(self, location: str) -> TaskError:
        try:
            host = plain(URL(location).raw_host, 253)
        except ValueError:
            host = ""
        return refusals.ELSEWHERE.error(
            name=self._name, host=host or refusals.ANOTHER_ADDRESS
        )

    async def _read(self, response: aiohttp.ClientResponse) -> Answer:
        body = bytearray()
        async for chunk in response.content.iter_chunked(_CHUNK):
            body += chunk
            if len(body) > MAX_BODY:
                raise refusals.TOO_LARGE.error(name=self._name)
        if not body and "Content-Encoding" in response.headers:
            # What can't be unpacked ends, depending on how it arrives, as nothing.
            raise self._unreadable(response.url)
        text = body.decode("utf-8", errors="replace")
        try:
            data: Json = json.loads(text, parse_constant=_no_number)
        except (ValueError, RecursionError):
            data = None
        return Answer(status=response.status, data=data, body=text)

    def _unreadable(self, url: URL) -> TaskError:
        return refusals.UNREADABLE.error(name=self._name, place=_place(url))

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            # A cookie would tie one search to the next.
            self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    def _hidden(self, text: str) -> str:
        return text.replace(self._secret, "[key]") if self._secret else text


def _seconds(time_s: float) -> Both:
    number = f"{time_s:.0f}"
    if number == "1":
        return Both(en="1 second", de="1 Sekunde")
    return Both(en=f"{number} seconds", de=f"{number} Sekunden")


def _place(url: URL) -> str:
    """Return host and port, without user name and password."""
    return f"{url.host}:{url.port}"


def _no_number(text: str) -> Json:
    raise ValueError(f"{text} is not JSON")
