"""Speaks to Home Assistant as any client does: REST and websocket."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import aiohttp

from .errors import HouseError


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where Home Assistant is: `base` is its address, without a slash at the end."""

    session: aiohttp.ClientSession
    base: str

    @property
    def client_id(self) -> str:
        """What we call ourselves when we log in."""
        return f"{self.base}/"


class Socket:
    """An authenticated websocket."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Take a socket that is logged in."""
        self._socket = socket
        self._last_id = 0

    async def command(self, kind: str, **fields: Any) -> Any:
        """Send a command and return its result. Raises HouseError if it fails."""
        self._last_id += 1
        number = self._last_id
        await self._socket.send_json({"id": number, "type": kind, **fields})
        while True:
            message = await self._socket.receive_json()
            if message["id"] == number and message["type"] == "result":
                break
        if not message["success"]:
            raise HouseError(f"{kind} failed: {message['error']['message']}")
        return message["result"]

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the data of events that were subscribed to, as they come."""
        while True:
            yield (await self._event())["data"]

    async def whole_events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield events as they come, each with its type and data."""
        while True:
            yield await self._event()

    async def _event(self) -> dict[str, Any]:
        """Wait for the next event."""
        while True:
            message = await self._socket.receive_json()
            if message["type"] == "event":
                event: dict[str, Any] = message["event"]
                return event


class Client:
    """A user of Home Assistant, known by an access token."""

    def __init__(self, site: Site, token: str) -> None:
        """Take the place and the token."""
        self._site = site
        self._token = token

    @property
    def headers(self) -> dict[str, str]:
        """What makes a request this user's, for other HTTP clients too."""
        return {"Authorization": f"Bearer {self._token}"}

    async def request(self, method: str, path: str, body: Any = None) -> Any:
        """Return the decoded answer. Raises HouseError on any other answer than 2xx."""
        async with self._site.session.request(
            method, f"{self._site.base}{path}", json=body, headers=self.headers
        ) as response:
            if response.status >= HTTPStatus.BAD_REQUEST:
                raise HouseError(
                    f"Home Assistant answered {response.status} to {method} {path}: "
                    f"{_reason(await response.text())}"
                )
            return await response.json()

    async def action(self, name: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Run an action ("caesar.ask") and return its response data."""
        domain, _, service = name.partition(".")
        path = f"/api/services/{domain}/{service}?return_response"
        answer = await self.request("POST", path, dict(data))
        response: dict[str, Any] = answer["service_response"]
        return response

    async def states(self) -> list[dict[str, Any]]:
        """Return all states."""
        states: list[dict[str, Any]] = await self.request("GET", "/api/states")
        return states

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[Socket]:
        """Open a websocket. Raises HouseError if the token is refused."""
        async with self._site.session.ws_connect(
            f"{self._site.base}/api/websocket", max_msg_size=0
        ) as socket:
            await socket.receive_json()
            await socket.send_json({"type": "auth", "access_token": self._token})
            if (await socket.receive_json())["type"] != "auth_ok":
                raise HouseError("Home Assistant refused the access token.")
            yield Socket(socket)


def _reason(text: str) -> str:
    """Return the first line of an error page."""
    return text.strip().partition("\n")[0] or "no reason given"
