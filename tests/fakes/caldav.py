"""A CalDAV server that behaves as badly as it is told to.

It follows RFC 4918 (multi-status), RFC 4791 5 and 7.8 (calendars, calendar-query), RFC
5397 (current-user-principal), RFC 6764 (well-known address), RFC 7616 (digest), and like
some real servers it ignores the time range it is asked for. Real servers are in
tests/fakes/servers.py.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
import hashlib
import re
from urllib.request import parse_http_list, parse_keqv_list
from xml.sax.saxutils import escape

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

type Behaviour = Callable[[web.Request], Awaitable[web.StreamResponse]]

USERNAME, PASSWORD, REALM, NONCE = "owner", "s3cret", "calendars", "n0nce"


@dataclass(slots=True, kw_only=True)
class Seen:
    """A request that came in."""

    method: str
    path: str
    authorization: str | None
    body: str


@dataclass(slots=True)
class FakeCalDav:
    """The server: its calendars by name, and what it does instead on some paths.

    `auth` is "basic", "digest" or "" (open). The account's calendars are below
    `/cal/`, its principal is `/me/`.
    """

    calendars: dict[str, Sequence[str]] = field(default_factory=dict)
    instead: dict[str, Behaviour] = field(default_factory=dict)
    auth: str = "basic"
    password: str = PASSWORD
    seen: list[Seen] = field(default_factory=list)
    url: str = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FakeCalDav]:
        """Serve on a free port as long as the block lasts."""
        app = web.Application(client_max_size=2**20)
        app.router.add_route("*", "/{tail:.*}", self._handle)
        server = TestServer(app)
        await server.start_server()
        self.url = str(server.make_url("/"))
        try:
            yield self
        finally:
            await server.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(
            Seen(
                method=request.method,
                path=request.path,
                authorization=request.headers.get("Authorization"),
                body=await request.text(),
            )
        )
        if request.path in self.instead:
            return await self.instead[request.path](request)
        if not self._is_let_in(request):
            challenge = {
                "basic": f'Basic realm="{REALM}"',
                "digest": f'Digest realm="{REALM}", nonce="{NONCE}", qop="auth",'
                " algorithm=MD5",
            }[self.auth]
            return web.Response(status=401, headers={"WWW-Authenticate": challenge})
        if request.method == "PROPFIND":
            return self._propfind(request)
        if request.method == "REPORT":
            return self._report(request)
        return web.Response(status=405)

    def _is_let_in(self, request: web.Request) -> bool:
        given = request.headers.get("Authorization", "")
        if self.auth == "basic":
            return given == aiohttp.encode_basic_auth(USERNAME, self.password)
        if self.auth == "digest":
            return given.startswith("Digest ") and self._is_digest(request, given[7:])
        return True

    def _is_digest(self, request: web.Request, given: str) -> bool:
        values = parse_keqv_list(parse_http_list(given))
        first = _md5(f"{USERNAME}:{REALM}:{self.password}")
        second = _md5(f"{request.method}:{request.path_qs}")
        parts = (first, NONCE, values["nc"], values["cnonce"], "auth", second)
        return values["response"] == _md5(":".join(parts))

    def _propfind(self, request: web.Request) -> web.Response:
        if request.path == "/":
            principal = "<d:current-user-principal><d:href>/me/</d:href></d:current-user-principal>"
            return multistatus({"/": principal})
        if request.path == "/me/":
            home = "<c:calendar-home-set><d:href>/cal/</d:href></c:calendar-home-set>"
            return multistatus({"/me/": home})
        if request.path == "/cal/":
            return multistatus(
                {f"/cal/{name}/": calendar(name) for name in self.calendars}
            )
        name = request.path.removeprefix("/cal/").rstrip("/")
        if name in self.calendars:
            return multistatus({request.path: calendar(name)})
        return web.Response(status=404)

    def _report(self, request: web.Request) -> web.Response:
        name = request.path.removeprefix("/cal/").rstrip("/")
        if name not in self.calendars:
            return web.Response(status=404)
        return multistatus(
            {
                f"{request.path}{number}.ics": data(text)
                for number, text in enumerate(self.calendars[name])
            }
        )


def calendar(name: str) -> str:
    """Return the properties of a calendar."""
    return (
        f"<d:displayname>{escape(name)}</d:displayname>"
        "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
        '<c:supported-calendar-component-set><c:comp name="VEVENT"/>'
        "</c:supported-calendar-component-set>"
    )


def data(text: str) -> str:
    """Return the properties of an object in a calendar."""
    return f"<c:calendar-data>{escape(text)}</c:calendar-data>"


def multistatus(resources: Mapping[str, str]) -> web.Response:
    """Return an answer with the properties of some resources."""
    parts = "".join(
        f"<d:response><d:href>{escape(href)}</d:href><d:propstat><d:prop>{props}"
        "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
        for href, props in resources.items()
    )
    return web.Response(
        status=207,
        content_type="application/xml",
        text='<?xml version="1.0" encoding="utf-8"?><d:multistatus xmlns:d="DAV:"'
        f' xmlns:c="urn:ietf:params:xml:ns:caldav">{parts}</d:multistatus>',
    )


def asked_range(body: str) -> tuple[str, str]:
    """Return start and end of the time range in a calendar-query."""
    start, end = (
        match[1]
        for key in ("start", "end")
        if (match := re.search(rf'\b{key}="([0-9TZ]+)"', body))
    )
    return start, end


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
