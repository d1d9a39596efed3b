"""Kills a real Home Assistant while it is asked to do things, and starts it again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
import random
import signal

import aiohttp

from house.client import Client, Site
from house.moving_in import AGENT, FLOWS, set_up_caesar
from house.onboarding import owner as owner_of, until_running, until_up
from house.options import Brain, BrainKind
from house.process import LOG_FILE, home_assistant
from house.seed import free_port, prepare

from .device import device
from .findings import check, effects_in, left_in, must
from .small_house import DATABASE

ASKS = (
    "turn on the kitchen light",
    "turn off the kitchen light",
    "which lights are on?",
    "unlock the front door",
)
ISSUE = "audit_interrupted"


@dataclass(slots=True, kw_only=True)
class _Sum:
    rows: int = 0
    effects: int = 0
    between: int = 0
    reported: int = 0
    answers: int = 0


def prove_real(folder: Path, count: int, seed: int = 2) -> str:
    """Kill a Home Assistant `count` times; the last start is only looked at."""
    return asyncio.run(_prove(folder, count, random.Random(seed)))


async def _prove(folder: Path, count: int, random_: random.Random) -> str:
    config = folder / "config"
    config.mkdir()
    database = config / DATABASE
    total = _Sum()
    promised: dict[int, str] = {}
    open_before: frozenset[int] = frozenset()
    with device(folder) as (socket, log):
        for number in range(count + 1):
            async with real_house(config, socket) as (client, process):
                if open_before:
                    left = await asyncio.to_thread(left_in, database)
                    must(open_before <= left.interrupted, "interrupted is concluded")
                    told = await _told(client)
                    changed = open_before & left.changing
                    must(told == bool(changed), "interrupted calls are reported")
                    total.reported += len(open_before)
                if number == count:
                    break
                asking = [
                    asyncio.ensure_future(_keep_asking(client, total)) for _ in range(2)
                ]
                answered = total.answers
                async with asyncio.timeout(60):
                    while total.answers == answered:
                        await asyncio.sleep(0.01)
                await asyncio.sleep(random_.uniform(0, 1.5))
                seen = await asyncio.to_thread(left_in, database)
                promised |= seen.rows
                process.send_signal(signal.SIGKILL)
                await process.wait()
                for task in asking:
                    task.cancel()
                await asyncio.wait(asking)
            left = await asyncio.to_thread(left_in, database)
            must(promised.items() <= left.rows.items(), "no committed row is lost")
            verdict = await asyncio.to_thread(check, database, config)
            must(verdict.ok, f"the chain is whole: {verdict}")
            effects = await asyncio.to_thread(effects_in, log)
            must(len(effects) == len(set(effects)), "no effect happens twice")
            must(
                set(effects) <= set(left.intents.values()),
                "no effect without an intent",
            )
            open_before = left.open
            total.between += bool(left.open & left.changing)
            total.rows, total.effects = len(left.rows), len(effects)
    mode = (config / ".storage" / "caesar.audit").stat().st_mode & 0o777
    must(mode == 0o600, f"the key is for Home Assistant alone: {mode:o}")
    errors = _complaints(config / LOG_FILE)
    must(not errors, f"nothing of CAESAR's in the log: {errors[:3]}")
    return (
        f"{count} kills of a real Home Assistant, {total.between} of them with a call "
        f"in the air; {total.answers} answers, {total.rows} rows, 0 lost; "
        f"{total.effects} effects, 0 without an intent, 0 twice; {total.reported} "
        "interrupted calls concluded and reported; chain whole after every kill"
    )


@asynccontextmanager
async def real_house(
    config: Path, socket: Path
) -> AsyncIterator[tuple[Client, asyncio.subprocess.Process]]:
    """Start the demo house with CAESAR; its effects go to the device at `socket`."""
    port = free_port()
    prepare(config, port, None)
    async with home_assistant(config) as process, aiohttp.ClientSession() as session:
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        client = await owner_of(site)
        await until_running(client, process)
        entries = await client.request(
            "GET", "/api/config/config_entries/entry?domain=demo_house"
        )
        if not entries:
            step = await client.request("POST", FLOWS, {"handler": "demo_house"})
            await client.request(
                "POST", f"{FLOWS}/{step['flow_id']}", {"effects": f"unix:{socket}"}
            )
        await set_up_caesar(client, Brain(kind=BrainKind.BUILTIN), "everyday")
        yield client, process


async def _keep_asking(client: Client, total: _Sum) -> None:
    """Ask until Home Assistant is gone."""
    with suppress(aiohttp.ClientError):
        while True:
            for text in ASKS:
                await client.action(
                    "caesar.ask", {"text": text, "language": "en", "agent": AGENT}
                )
                total.answers += 1


async def _told(client: Client) -> bool:
    """Return whether the repair issue about interrupted calls is there."""
    async with client.socket() as socket:
        listed = await socket.command("repairs/list_issues")
    return any(issue["issue_id"] == ISSUE for issue in listed["issues"])


def _complaints(log: Path) -> list[str]:
    return [
        line
        for line in log.read_text(errors="replace").splitlines()
        if "caesar" in line and ("ERROR" in line or "blocking call" in line)
    ]
