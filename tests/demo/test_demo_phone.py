"""Home Assistant is killed while a question waits, and the phone's button still works."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web
import pytest

from house.client import Client, Site
from house.moving_in import build_house, set_up_caesar
from house.onboarding import (
    child as child_of,
    owner as owner_of,
    until_running,
    until_up,
)
from house.options import parse
from house.process import home_assistant
from house.seed import free_port, prepare

DOOR: Final = "lock.front_door"
# Home Assistant writes what is shared with Assist ten seconds after a change, and its
# users and entries after one: what it forgets when it is killed isn't the question.
WRITTEN_S: Final = 11.0


@dataclass(slots=True, kw_only=True)
class Phone:
    """A companion app: what was pushed to it, and its secret address."""

    site: Site
    webhook: str
    pushed: list[dict[str, Any]] = field(default_factory=list)

    async def press(self, action: str) -> None:
        """Press a button: Home Assistant fires the event as the phone's owner."""
        body = {
            "type": "fire_event",
            "data": {
                "event_type": "mobile_app_notification_action",
                "event_data": {"action": action},
            },
        }
        address = f"{self.site.base}/api/webhook/{self.webhook}"
        async with self.site.session.post(address, json=body) as reply:
            assert reply.status == 200


@asynccontextmanager
async def push_server(pushed: dict[str, list[dict[str, Any]]]) -> AsyncIterator[str]:
    """Take pushes, by the name of the phone."""

    async def push(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        pushed.setdefault(name, []).append(await request.json())
        return web.json_response({"target": "fake"}, status=201)

    app = web.Application()
    app.router.add_post("/{name}", push)
    runner = web.AppRunner(app)
    await runner.setup()
    port = free_port()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        await runner.cleanup()


async def register(site: Site, user: Client, name: str, push: str) -> str:
    """Register a phone as the app does; return its webhook."""
    reply = await user.request(
        "POST",
        "/api/mobile_app/registrations",
        {
            "app_id": "io.test.phone",
            "app_name": "Test",
            "app_version": "1",
            "device_name": name,
            "device_id": name,
            "manufacturer": "Apple",
            "model": "x",
            "os_name": "iOS",
            "os_version": "1",
            "supports_encryption": False,
            "app_data": {"push_token": "t", "push_url": f"{push}/{name}"},
        },
    )
    return str(reply["webhook_id"])


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(60):
        while not await is_so():
            await asyncio.sleep(0.2)


async def state(user: Client, entity_id: str) -> str:
    """Return a state."""
    return next(
        str(each["state"])
        for each in await user.states()
        if each["entity_id"] == entity_id
    )


async def move_in(site: Site, process: Process) -> tuple[Client, Client]:
    """Build the house with CAESAR in it; return the owner and a child."""
    options = parse(["--ask", "unlock the front door"])
    await until_up(site, process)
    owner = await owner_of(site)
    await until_running(owner, process)
    await build_house(owner, 0)
    await set_up_caesar(owner, options.brain, options.policy)
    return owner, await child_of(site, owner)


@pytest.mark.usefixtures("socket_enabled")
async def test_killed_while_it_waits_and_approved_by_phone(tmp_path: Path) -> None:
    """Done once, told to the phone, on record; another's phone is refused."""
    port, folder = free_port(), tmp_path
    prepare(folder, port, None)
    with (folder / "configuration.yaml").open("a", encoding="utf-8") as file:
        file.write("mobile_app:\n")
    pushed: dict[str, list[dict[str, Any]]] = {}
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        push = await stack.enter_async_context(push_server(pushed))
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        async with home_assistant(folder) as process:
            owner, child = await move_in(site, process)
            own = await register(site, owner, "adult", push)
            boys = await register(site, child, "boy", push)
            await asyncio.sleep(1)
            asked = await owner.action("caesar.ask", {"text": "unlock the front door"})
            assert asked["parked"] is True

            async def has_card() -> bool:
                return "adult" in pushed

            await until(has_card)
            await asyncio.sleep(WRITTEN_S)
            process.kill()
            await process.wait()
        [card] = pushed["adult"]
        assert "boy" not in pushed
        yes = card["data"]["actions"][0]
        assert yes["authenticationRequired"] is True
        async with home_assistant(folder) as process:
            await until_up(site, process)
            await until_running(owner, process)
            assert await state(owner, DOOR) == "locked"
            await Phone(site=site, webhook=boys).press(yes["action"])
            await asyncio.sleep(1)
            assert await state(owner, DOOR) == "locked"
            await Phone(site=site, webhook=own).press(yes["action"])

            async def is_open() -> bool:
                return await state(owner, DOOR) == "unlocked"

            async def is_told() -> bool:
                return str(pushed["adult"][-1]["message"]).startswith("Done")

            await until(is_open)
            await until(is_told)
            await owner.request("POST", "/api/services/lock/lock", {"entity_id": DOOR})
            await Phone(site=site, webhook=own).press(yes["action"])
            await asyncio.sleep(1)
            assert await state(owner, DOOR) == "locked", "used twice"
            trail = await owner.action(
                "caesar.export_audit", {"decision_id": asked["decision_id"]}
            )
            types = [row["event_type"] for row in trail["rows"]]
            assert types.count("service.called") == 1
            for kind in ("approval.requested", "approval.decided", "loop.resumed"):
                assert kind in types
            assert (await owner.action("caesar.verify_audit", {}))["ok"] is True
        assert "boy" not in pushed
