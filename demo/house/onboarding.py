"""Gets into Home Assistant: the first start's owner, and logging in."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

import aiohttp

from .client import Client, Site
from .errors import HouseError

OWNER = "owner"
CHILD = "child"
PASSWORD = "password"
START_SECONDS = 90.0
POLL_SECONDS = 0.05


async def until_up(site: Site, process: Process) -> None:
    """Wait until Home Assistant's web server answers.

    Raises HouseError if Home Assistant ends, or does not answer in time.
    """

    async def is_up() -> bool:
        try:
            async with site.session.get(f"{site.base}/manifest.json") as response:
                return response.status == HTTPStatus.OK
        except aiohttp.ClientConnectionError:
            return False

    await _until(is_up, process)


async def until_running(client: Client, process: Process) -> None:
    """Wait until Home Assistant has started all that it starts with."""

    async def is_running() -> bool:
        state: str = (await client.request("GET", "/api/core/state"))["state"]
        return state == "RUNNING"

    await _until(is_running, process)


async def owner(site: Site) -> Client:
    """Create the owner at the first start; log in at every other."""
    body = {
        "client_id": site.client_id,
        "name": "Owner",
        "username": OWNER,
        "password": PASSWORD,
        "language": "en",
    }
    async with site.session.post(
        f"{site.base}/api/onboarding/users", json=body
    ) as response:
        if response.status == HTTPStatus.OK:
            code = (await response.json())["auth_code"]
            return Client(site, await _token(site, code))
    return await log_in(site, OWNER)


async def child(site: Site, as_owner: Client) -> Client:
    """Return a user who is no administrator; created if there is none yet."""
    async with as_owner.socket() as socket:
        users = await socket.command("config/auth/list")
        if not any(user["username"] == CHILD for user in users):
            created = await socket.command(
                "config/auth/create", name="Child", group_ids=["system-users"]
            )
            await socket.command(
                "config/auth_provider/homeassistant/create",
                user_id=created["user"]["id"],
                username=CHILD,
                password=PASSWORD,
            )
    return await log_in(site, CHILD)


async def log_in(site: Site, username: str) -> Client:
    """Log in through the form's own flow. Raises HouseError if that is refused."""
    client_id = site.client_id
    async with site.session.post(
        f"{site.base}/auth/login_flow",
        json={
            "client_id": client_id,
            "handler": ["homeassistant", None],
            "redirect_uri": client_id,
        },
    ) as response:
        flow: dict[str, Any] = await response.json()
    async with site.session.post(
        f"{site.base}/auth/login_flow/{flow['flow_id']}",
        json={"client_id": client_id, "username": username, "password": PASSWORD},
    ) as response:
        step: dict[str, Any] = await response.json()
    if step["type"] != "create_entry":
        raise HouseError(f"Home Assistant did not let the user {username} in.")
    return Client(site, await _token(site, step["result"]))


async def _token(site: Site, code: str) -> str:
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": site.client_id,
    }
    async with site.session.post(f"{site.base}/auth/token", data=form) as response:
        token: str = (await response.json())["access_token"]
        return token


async def _until(is_so: Callable[[], Awaitable[bool]], process: Process) -> None:
    try:
        async with asyncio.timeout(START_SECONDS):
            while not await is_so():
                if process.returncode is not None:
                    raise HouseError("Home Assistant ended while it was starting.")
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError:
        raise HouseError(
            f"Home Assistant did not start within {START_SECONDS:.0f} seconds."
        ) from None
