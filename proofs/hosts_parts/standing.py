"""A real Home Assistant with CAESAR, and what a person does in it over its own API."""

import asyncio
from asyncio.subprocess import Process
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
import time
from typing import Any

import aiohttp

from house.answers import Turn
from house.client import Client, Site
from house.moving_in import AGENT
from house.onboarding import (
    PASSWORD,
    log_in,
    owner as owner_of,
    until_running,
    until_up,
)
from house.process import LOG_FILE, home_assistant
from house.seed import free_port, prepare
from house.trail import AUDIT_DB
from proofs.crash_parts.findings import Unproven, must

SUBENTRIES = "/api/config/config_entries/subentries/flow"
ENTRIES = "/api/config/config_entries"
REPAIRS = "/api/repairs/issues/fix"
POLL_S = 0.05
FOUND = "worker_found_"

type Step = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A house that stands, and its owner."""

    site: Site
    owner: Client
    process: Process
    config: Path
    # Who calls tools, one after the other: nobody may call more than 30 in a minute.
    callers: deque[Client]

    async def entry(self) -> dict[str, Any]:
        """Return CAESAR's entry as the UI sees it."""
        [entry] = await self.owner.request("GET", f"{ENTRIES}/entry?domain=caesar")
        found: dict[str, Any] = entry
        return found

    async def reload(self) -> None:
        """Load CAESAR anew."""
        entry = (await self.entry())["entry_id"]
        await self.owner.request("POST", f"{ENTRIES}/entry/{entry}/reload")
        await until(self._is_loaded, "CAESAR is loaded again")

    async def begin(self, kind: str) -> Step:
        """Open the form that adds something to CAESAR."""
        entry = (await self.entry())["entry_id"]
        step: Step = await self.owner.request(
            "POST", SUBENTRIES, {"handler": [entry, kind]}
        )
        return step

    async def fill(self, step: Step, **answers: Any) -> Step:
        """Send a form, and return what comes next. Raises Unproven if it is refused."""
        return await self._answer(SUBENTRIES, step, answers)

    async def shut(self, step: Step) -> None:
        """Close a form without an answer."""
        await self.owner.request("DELETE", f"{SUBENTRIES}/{step['flow_id']}")

    async def repairs(self, prefix: str = "") -> list[dict[str, Any]]:
        """Return CAESAR's repair issues whose ids begin so."""
        async with self.owner.socket() as socket:
            listed = await socket.command("repairs/list_issues")
        return [
            issue
            for issue in listed["issues"]
            if issue["domain"] == "caesar" and issue["issue_id"].startswith(prefix)
        ]

    async def mend(self, issue_id: str) -> Step:
        """Open the dialog of a repair."""
        step: Step = await self.owner.request(
            "POST", REPAIRS, {"handler": "caesar", "issue_id": issue_id}
        )
        return step

    async def go_on(self, step: Step, **answers: Any) -> Step:
        """Answer the dialog of a repair. Raises Unproven if that is refused."""
        return await self._answer(REPAIRS, step, answers)

    async def form(self, flow_id: str) -> Step:
        """Return a form that is open already."""
        step: Step = await self.owner.request("GET", f"{SUBENTRIES}/{flow_id}")
        return step

    async def ask(self, text: str) -> Turn:
        """Ask CAESAR as its owner does."""
        answer = await self.owner.action("caesar.ask", {"text": text, "agent": AGENT})
        return Turn.of(text, answer)

    async def call(self, tool: str) -> dict[str, Any]:
        """Call one tool through the gate, without any input."""
        caller = self.callers[0]
        self.callers.rotate()
        return await caller.action("caesar.call_tool", {"tool": tool, "agent": AGENT})

    async def invite(self, *names: str) -> None:
        """Have more people in the house, who call tools as well."""
        for name in names:
            async with self.owner.socket() as socket:
                created = await socket.command(
                    "config/auth/create", name=name.title(), group_ids=["system-users"]
                )
                await socket.command(
                    "config/auth_provider/homeassistant/create",
                    user_id=created["user"]["id"],
                    username=name,
                    password=PASSWORD,
                )
            self.callers.append(await log_in(self.site, name))

    async def sensors(self) -> dict[str, dict[str, Any]]:
        """Return the states of the workers' sensors, by their names."""
        return {
            state["attributes"]["friendly_name"]: state
            for state in await self.owner.states()
            if state["entity_id"].startswith("binary_sensor.")
            and "tools" in state["attributes"]
        }

    async def is_on(self, worker: str) -> bool:
        """Return whether a worker's sensor is on."""
        sensors = await self.sensors()
        return any(
            state["state"] == "on"
            for name, state in sensors.items()
            if name.startswith(worker)
        )

    async def until_on(self, worker: str) -> None:
        """Wait for a worker's sensor to be on."""
        await until(lambda: self.is_on(worker), f"{worker} is well")

    async def rows(self, decision_id: str, *types: str) -> list[dict[str, Any]]:
        """Return the payloads of the trail's rows of a turn."""
        return await self.query(
            "SELECT payload FROM audit_log WHERE decision_id = ? AND event_type IN"
            " (SELECT value FROM json_each(?)) ORDER BY chain_seq",
            decision_id,
            json.dumps(types),
        )

    async def query(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """Read payloads from the trail, as another program would."""
        return await asyncio.to_thread(self._query, sql, *values)

    def _query(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        path = (self.config / AUDIT_DB).as_uri()
        with closing(sqlite3.connect(f"{path}?mode=ro", uri=True)) as database:
            return [json.loads(row[0]) for row in database.execute(sql, values)]

    def log(self) -> str:
        """Return what Home Assistant wrote to its console."""
        return (self.config / LOG_FILE).read_text(encoding="utf-8", errors="replace")

    def resident_mb(self) -> float:
        """Return the resident memory of Home Assistant."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        [line] = [line for line in status.splitlines() if line.startswith("VmRSS")]
        return int(line.split()[1]) / 1024

    async def _answer(self, flows: str, step: Step, answers: dict[str, Any]) -> Step:
        path = f"{flows}/{step['flow_id']}"
        after: Step = await self.owner.request("POST", path, answers)
        must(not after.get("errors"), f"it takes {answers}: {after.get('errors')}")
        return after

    async def _is_loaded(self) -> bool:
        return bool((await self.entry())["state"] == "loaded")


@asynccontextmanager
async def standing_house(config: Path, policy: str) -> AsyncIterator[House]:
    """Run Home Assistant with a policy, on a folder that may hold more already.

    It is one that listens to the local network, as all do that were not pared down.
    """
    config.mkdir(mode=0o700, exist_ok=True)
    port = free_port()
    prepare(config, port, None)
    with (config / "configuration.yaml").open("a", encoding="utf-8") as file:
        file.write("zeroconf:\n")
    place = config / "caesar" / "policy.yaml"
    place.parent.mkdir(exist_ok=True)
    place.write_text(policy, encoding="utf-8")
    async with home_assistant(config) as process, aiohttp.ClientSession() as session:
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        owner = await owner_of(site)
        await until_running(owner, process)
        yield House(
            site=site,
            owner=owner,
            process=process,
            config=config,
            callers=deque([owner]),
        )


async def until(
    is_so: Callable[[], Awaitable[object]], promise: str, seconds: float = 45.0
) -> None:
    """Wait until something is so. Raises Unproven if it isn't in time."""
    end = time.monotonic() + seconds
    while not await is_so():
        if time.monotonic() > end:
            raise Unproven(f"{promise}, within {seconds:.0f} s")
        await asyncio.sleep(POLL_S)
