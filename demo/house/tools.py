"""Gives CAESAR a search server and a calendar, through the forms that people use."""

import asyncio
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from .calendar_seed import seed
from .client import Client
from .errors import HouseError
from .seed import TIME_ZONE
from .servers import Servers, Starting

FLOWS = "/api/config/config_entries/subentries/flow"
TOOLS = frozenset({"calculator", "calendar_read", "web_search"})
READY_SECONDS = 30.0
POLL_SECONDS = 0.03


async def ready(starting: Starting, language: str) -> Servers:
    """Wait for the servers, and make the calendars anew, with events around today.

    Raises HouseError.
    """
    servers = await starting.until_up()
    now = datetime.now(await asyncio.to_thread(ZoneInfo, TIME_ZONE))
    await seed(servers.calendar, servers.username, servers.password, now, language)
    return servers


async def give_tools(owner: Client, servers: Servers) -> None:
    """Set up web_search and calendar_read, unless they are, and wait until they work.

    Raises HouseError if a form refuses, or the tools do not come.
    """
    entry = (await _entries(owner))[0]["entry_id"]
    async with owner.socket() as socket:
        listed = await socket.command("config_entries/subentries/list", entry_id=entry)
    there = {subentry["subentry_type"] for subentry in listed}
    if "web_search" not in there:
        answers: dict[str, dict[str, Any]] = {
            "user": {"next_step_id": "searxng"},
            "searxng": {"url": servers.search},
        }
        await _walk(owner, entry, "web_search", answers)
        await _until_loaded(owner)
    if "calendar_read" not in there:
        answers = {
            "user": {"next_step_id": "other"},
            "other": {
                "url": servers.calendar,
                "username": servers.username,
                "password": servers.password,
            },
            "calendars": {"calendars": []},
        }
        await _walk(owner, entry, "calendar_read", answers)
    await _until_served(owner)


async def _walk(
    owner: Client, entry: str, kind: str, answers: dict[str, dict[str, Any]]
) -> None:
    step = await owner.request("POST", FLOWS, {"handler": [entry, kind]})
    for _ in answers:
        if step["type"] not in ("form", "menu") or step.get("errors"):
            break
        answer = answers[step["step_id"]]
        step = await owner.request("POST", f"{FLOWS}/{step['flow_id']}", answer)
    if step["type"] != "create_entry":
        problem = (step.get("description_placeholders") or {}).get("problem")
        raise HouseError(
            f"Setting up {kind} stopped: "
            f"{problem or step.get('errors') or step.get('reason') or step['type']}."
        )


async def _entries(owner: Client) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = await owner.request(
        "GET", "/api/config/config_entries/entry?domain=caesar"
    )
    return entries


async def _until_loaded(owner: Client) -> None:
    """Wait out the reload that follows a change."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            while (await _entries(owner))[0]["state"] != "loaded":
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError:
        raise HouseError("CAESAR did not come back after a change.") from None


async def _until_served(owner: Client) -> None:
    """Wait until the local worker serves all of the tools."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            while not any(
                state["state"] == "on" and set(state["attributes"]["tools"]) >= TOOLS
                for state in await owner.states()
                if state["entity_id"].startswith("binary_sensor.")
                and "tools" in state["attributes"]
            ):
                await asyncio.sleep(POLL_SECONDS)
    except TimeoutError:
        raise HouseError("CAESAR's tools did not come up; see the log.") from None
