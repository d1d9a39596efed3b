"""The requests to a CalDAV server: caldav's client with a guarded transport.

What is added to `caldav.AsyncDAVClient`: the password goes to the host that the owner
named and to no other, answers are bounded, and every fault has a name.
"""

from collections.abc import Mapping
import re
import ssl
from typing import Final, override

from caldav.async_davclient import AsyncDAVClient
from caldav.lib.error import AuthorizationError, DAVError
from caldav.response import DAVResponse
import httpx

from .problems import CalendarProblem, Problem
from .settings import Settings

MAX_BODY_BYTES: Final = 4_194_304
MAX_REDIRECTS: Final = 3
REQUEST_S: Final = 8.0

# Apple's server sends an account on to its own shard; nobody else may do so.
_SISTERS: Final[Mapping[str, re.Pattern[str]]] = {
    "caldav.icloud.com": re.compile(r"p[0-9]{1,3}-caldav\.icloud\.com"),
}
_BY_STATUS: Final[Mapping[int, Problem]] = {
    401: Problem.AUTH,
    403: Problem.FORBIDDEN,
    404: Problem.NOT_FOUND,
    410: Problem.NOT_FOUND,
    413: Problem.TOO_LARGE,
    429: Problem.BUSY,
    501: Problem.NOT_CALDAV,
    503: Problem.BUSY,
    507: Problem.TOO_LARGE,
}


class GuardedClient(AsyncDAVClient):
    """One account on one server. Every request raises CalendarProblem only."""

    def __init__(self, settings: Settings) -> None:
        """Make a client; nothing is sent, and no name is looked up."""
        self._origin = httpx.URL(settings.url)
        self._settings = settings
        super().__init__(
            settings.url,
            username=settings.username,
            password=settings.password,
            enable_rfc6764=False,
            rate_limit_handle=False,
            headers={"Accept-Encoding": "identity"},
        )

    @override
    def _create_session(self) -> None:
        # No proxy and no .netrc of the host's: what is sent where is in the settings.
        self._http = httpx.AsyncClient(
            trust_env=False, follow_redirects=False, timeout=httpx.Timeout(REQUEST_S)
        )

    @override
    def build_auth_object(self, auth_types: list[str] | None = None) -> None:
        """Choose a way to prove who asks, for httpx.

        caldav's own is for whichever HTTP library it finds first, be it niquests or
        httpx2, which others in Home Assistant may have brought. Raises
        AuthorizationError.
        """
        username = self._settings.username or ""
        password = self._settings.password or ""
        match self._select_auth_type(auth_types):
            case "digest":
                self.auth = httpx.DigestAuth(username, password)
            case "basic":
                self.auth = httpx.BasicAuth(username, password)
            case other:
                raise AuthorizationError(reason=f"{other} is not supported")

    @override
    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @override
    async def request(
        self,
        url: str,
        method: str = "GET",
        body: str = "",
        headers: Mapping[str, str] | None = None,
        rate_limit_time_slept: float = 0,
    ) -> DAVResponse:
        """Send a request and return its multi-status answer. Raises CalendarProblem."""
        try:
            reply = await self._negotiated(httpx.URL(url), method, body, headers or {})
            return _read(reply, self)
        except httpx.TimeoutException as err:
            raise CalendarProblem(Problem.TIMEOUT) from err
        except (
            httpx.InvalidURL,
            httpx.UnsupportedProtocol,
            httpx.RemoteProtocolError,
            UnicodeError,
        ) as err:
            raise CalendarProblem(Problem.NOT_CALDAV) from err
        except httpx.HTTPError as err:
            raise CalendarProblem(
                Problem.TLS if _is_tls(err) else Problem.UNREACHABLE
            ) from err

    async def _negotiated(
        self, url: httpx.URL, method: str, body: str, headers: Mapping[str, str]
    ) -> httpx.Response:
        """Send a request, again with the password if the server asks for it."""
        unasked = self.auth is None
        reply = await self._followed(url, method, body, headers)
        if reply.status_code != 401 or not unasked:
            return reply
        # Another question may have been told meanwhile what the server wants.
        if self._should_negotiate_auth(reply.status_code, reply.headers):
            try:
                self._build_auth_from_401(reply.headers["WWW-Authenticate"])
            except AuthorizationError as err:
                raise CalendarProblem(Problem.AUTH) from err
        if self.auth is None:
            return reply
        return await self._followed(url, method, body, headers)

    async def _followed(
        self, url: httpx.URL, method: str, body: str, headers: Mapping[str, str]
    ) -> httpx.Response:
        """Send a request, and follow redirects as long as they stay at home."""
        for _ in range(MAX_REDIRECTS + 1):
            reply = await self._sent(url, method, body, headers)
            target = reply.headers.get("Location")
            if not reply.is_redirect or not target:
                return reply
            url = url.join(target)
        raise CalendarProblem(Problem.NOT_CALDAV)

    async def _sent(
        self, url: httpx.URL, method: str, body: str, headers: Mapping[str, str]
    ) -> httpx.Response:
        if not self.is_home(url):
            raise CalendarProblem(Problem.MOVED_AWAY)
        async with self._http.stream(
            method,
            url,
            content=body.encode() if body else None,
            headers={**self.headers, **headers},
            auth=self.auth,
        ) as reply:
            if reply.headers.get("Content-Encoding", "identity") != "identity":
                raise CalendarProblem(Problem.NOT_CALDAV)
            content = bytearray()
            async for chunk in reply.aiter_raw():
                content += chunk
                if len(content) > MAX_BODY_BYTES:
                    raise CalendarProblem(Problem.TOO_LARGE)
        return httpx.Response(
            reply.status_code,
            headers=reply.headers,
            content=bytes(content),
            request=reply.request,
        )

    def is_home(self, url: httpx.URL) -> bool:
        """Tell whether `url` is on the server that the owner named."""
        own = self._origin
        if (url.scheme, url.port) != (own.scheme, own.port):
            return False
        sister = _SISTERS.get(own.host)
        return url.host == own.host or (
            sister is not None and sister.fullmatch(url.host) is not None
        )


def _read(reply: httpx.Response, client: GuardedClient) -> DAVResponse:
    """Return an answer as caldav reads it. Raises CalendarProblem."""
    status = reply.status_code
    if status != 207:
        default = Problem.SERVER if status >= 500 else Problem.NOT_CALDAV
        raise CalendarProblem(_BY_STATUS.get(status, default))
    if not reply.content.lstrip().startswith((b"<", b"\xef\xbb\xbf<")):
        raise CalendarProblem(Problem.NOT_CALDAV)
    # Of an answer that it doesn't take for XML, caldav writes the whole to the log.
    reply.headers["Content-Type"] = "application/xml"
    try:
        return DAVResponse(reply, client)
    except (ValueError, SyntaxError, AssertionError, DAVError) as err:
        raise CalendarProblem(Problem.NOT_CALDAV) from err


def _is_tls(error: BaseException) -> bool:
    """Tell whether a connection failed because of a certificate."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return False
