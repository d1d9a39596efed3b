"""`script/run`: the demo house with CAESAR, to look at or to ask."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import signal
import sys
from typing import Any

import aiohttp

from .answers import Turn
from .ask import asking
from .client import Client, Site
from .errors import HouseError
from .moving_in import build_house, give_assist_to_caesar, set_up_caesar
from .onboarding import (
    CHILD,
    OWNER,
    PASSWORD,
    child,
    owner as owner_of,
    until_running,
    until_up,
)
from .options import Asker, BrainKind, Options, parse
from .process import LOG_FILE, home_assistant, scripted_model
from .seed import free_port, is_free, prepare, run_folder
from .trail import AUDIT_DB, with_calls

INTERRUPTED = 130
FAILED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    site: Site
    owner: Client
    process: Process


def main() -> int:
    """Run, and return the exit code."""
    options = parse(sys.argv[1:])
    try:
        with run_folder(options.folder) as folder:
            try:
                return asyncio.run(_until_signal(_run(options, folder), options))
            except (HouseError, aiohttp.ClientError) as err:
                _say(f"{err}\nHome Assistant's log: {folder / LOG_FILE}")
                return FAILED
    except HouseError as err:
        _say(str(err))
        return FAILED


async def _until_signal(work: Coroutine[Any, Any, None], options: Options) -> int:
    """Do the work; the first Ctrl-C or SIGTERM ends it in an orderly way."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        # Once: what is being stopped must not be stopped half-way.
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, lambda: None)
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        await task
    except asyncio.CancelledError:
        return INTERRUPTED if options.asks else 0
    return 0


async def _run(options: Options, folder: Path) -> None:
    port = options.port or free_port()
    if not is_free(port):
        raise HouseError(f"Port {port} is taken; choose another one with --port.")
    async with _house(options, folder, port) as house:
        if not options.asks:
            await child(house.site, house.owner)
            _say(_welcome(house.site, folder))
            await house.process.wait()
            raise HouseError("Home Assistant stopped by itself.")
        async with asking(options.asker, house.site, house.owner) as ask:
            turns = [await ask(text, options.language) for text in options.asks]
        states = await house.owner.states()
    if options.asker is Asker.SATELLITE:
        turns = with_calls(turns, folder)
    if options.as_json:
        print(json.dumps(_report(turns, states, folder), ensure_ascii=False))
    else:
        print("\n\n".join(turn.as_text() for turn in turns))


@asynccontextmanager
async def _house(options: Options, folder: Path, port: int) -> AsyncIterator[_Running]:
    """Give a running house; it is stopped at the end."""
    policy = options.policy if isinstance(options.policy, Path) else None
    prepare(folder, port, policy)
    async with AsyncExitStack() as stack:
        model_url = None
        if options.brain.kind is BrainKind.SCRIPTED:
            model_url = await stack.enter_async_context(
                scripted_model(options.brain.where)
            )
        elif options.brain.kind is BrainKind.ANTHROPIC:
            model_url = options.brain.where
        process = await stack.enter_async_context(home_assistant(folder, model_url))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        owner = await owner_of(site)
        await until_running(owner, process)
        await build_house(owner, options.generated)
        await set_up_caesar(owner, options.brain, options.policy)
        await give_assist_to_caesar(owner)
        yield _Running(site=site, owner=owner, process=process)


def _report(
    turns: list[Turn], states: list[dict[str, Any]], folder: Path
) -> dict[str, Any]:
    return {
        "turns": [turn.as_dict() for turn in turns],
        "states": {
            state["entity_id"]: {
                "state": state["state"],
                "attributes": state["attributes"],
            }
            for state in states
        },
        "audit_db": str(folder / AUDIT_DB),
    }


def _welcome(site: Site, folder: Path) -> str:
    return (
        f"The demo house is at {site.base}\n"
        f"  owner:            {OWNER} / {PASSWORD}\n"
        f"  a child's login:  {CHILD} / {PASSWORD}\n"
        f"Press a in the browser to talk to CAESAR. Ctrl-C stops the house.\n"
        f"Files and log: {folder}"
    )


def _say(text: str) -> None:
    """Say something to the person; standard output is for answers."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
