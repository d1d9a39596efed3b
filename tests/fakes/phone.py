"""Fake phones with the companion app, against a real Home Assistant.

They follow Home Assistant's developer documentation, "Native app integration": "Setup"
(registration), "Sending data home" (the webhook and its `fire_event`) and "Push
notifications" (what is posted to `push_url`); and "Actionable notifications" of the
companion apps' documentation.

    async with FakePhones(site) as phones:
        phone = await phones.register(client, "Adult's phone")
        card = await phone.card("Shall I")   # the next push that says so
        await phone.press(card, YES)
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Self

import aiohttp
from aiohttp import web

from house.client import Client, Site

YES: Final = 0
NO: Final = 1
PUSH_SECONDS: Final = 10.0

type Push = Mapping[str, Any]


@dataclass(slots=True, kw_only=True, eq=False)
class FakePhone:
    """One phone: all that was pushed to it, and its secret address at Home Assistant."""

    session: aiohttp.ClientSession
    webhook: str
    pushed: list[Push] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self, push: Push) -> None:
        """Show a push."""
        self.pushed.append(push)
        self._news.set()
        self._news = asyncio.Event()

    async def card(self, words: str, *, after: int = 0) -> Push:
        """Wait for the first push with buttons that says `words`.

        `after` is how many pushes of before don't count. Raises AssertionError.
        """
        return await self._until(
            lambda push: words in push["message"] and bool(buttons(push)), after
        )

    async def replaced(self, card: Push, words: str = "") -> str:
        """Wait for what takes the place of a card and says `words`; return it all."""
        tag, after = card["data"]["tag"], self.pushed.index(card) + 1
        push = await self._until(
            lambda push: push["data"]["tag"] == tag and words in push["message"], after
        )
        return str(push["message"])

    async def press(self, card: Push, which: int) -> None:
        """Press a button: Home Assistant fires an event as the phone's owner."""
        await self.fire({"action": buttons(card)[which]["action"]})

    async def fire(self, event_data: Mapping[str, Any]) -> None:
        """Say that a button was pressed, whosever it is."""
        body = {
            "type": "fire_event",
            "data": {
                "event_type": "mobile_app_notification_action",
                "event_data": dict(event_data),
            },
        }
        async with self.session.post(self.webhook, json=body) as reply:
            assert reply.status == HTTPStatus.OK, reply.status

    async def _until(self, fits: Callable[[Push], bool], after: int) -> Push:
        try:
            async with asyncio.timeout(PUSH_SECONDS):
                while True:
                    for push in self.pushed[after:]:
                        if fits(push):
                            return push
                    await self._news.wait()
        except TimeoutError:
            got = [push["message"] for push in self.pushed[after:]]
            raise AssertionError(f"no such push came, but {got}") from None


class FakePhones:
    """All phones and the server that takes their pushes; an async context manager."""

    def __init__(self, site: Site) -> None:
        """Speak to the Home Assistant that is there."""
        self._site = site
        self._phones: dict[str, FakePhone] = {}
        self._runner: web.AppRunner | None = None
        self._url = ""

    async def __aenter__(self) -> Self:
        """Listen on loopback."""
        app = web.Application()
        app.router.add_post("/{number}", self._push)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self._url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def register(self, owner: Client, name: str) -> FakePhone:
        """Register a phone as the app of its owner does."""
        number = str(len(self._phones))
        registered = await owner.request(
            "POST",
            "/api/mobile_app/registrations",
            {
                "app_id": "io.test.phone",
                "app_name": "Test",
                "app_version": "1",
                "device_name": name,
                "device_id": number,
                "manufacturer": "Test",
                "model": "Test",
                "os_name": "Test",
                "os_version": "1",
                "supports_encryption": False,
                "app_data": {"push_token": number, "push_url": f"{self._url}/{number}"},
            },
        )
        phone = self._phones[number] = FakePhone(
            session=self._site.session,
            webhook=f"{self._site.base}/api/webhook/{registered['webhook_id']}",
        )
        return phone

    async def _push(self, request: web.Request) -> web.Response:
        push = await request.json()
        self._phones[request.match_info["number"]].take(push)
        return web.json_response({"target": push["push_token"]}, status=201)


def buttons(push: Push) -> Sequence[Mapping[str, Any]]:
    """Return the buttons of a push; none if it only tells something."""
    actions: Sequence[Mapping[str, Any]] = push.get("data", {}).get("actions", ())
    return actions
