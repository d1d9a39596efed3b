"""Brings a whole house up, from an empty folder to CAESAR in Assist."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from .client import Client, Site
from .errors import HouseError
from .moving_in import build_house, give_assist_to_caesar, set_up_caesar
from .onboarding import owner as owner_of, until_running, until_up
from .options import BrainKind, Options
from .process import home_assistant, scripted_model
from .seed import free_port, is_free, prepare
from .servers import Servers, starting
from .tools import give_tools, ready

SERVERS = "servers"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingHouse:
    """A real Home Assistant with the house and CAESAR, and who may do all in it."""

    site: Site
    owner: Client
    process: Process


@asynccontextmanager
async def standing_house(
    options: Options, folder: Path
) -> AsyncIterator[StandingHouse]:
    """Give a house in which everything is set up; it is stopped at the end.

    Raises HouseError if it does not come up, or CAESAR cannot be set up.
    """
    port = options.port or free_port()
    if not is_free(port):
        raise HouseError(f"Port {port} is taken; choose another one with --port.")
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
        servers: asyncio.Task[Servers] | None = None
        if options.servers:
            started = await stack.enter_async_context(starting(folder / SERVERS))
            servers = await stack.enter_async_context(
                _beside(ready(started, options.language))
            )
        session = await stack.enter_async_context(aiohttp.ClientSession())
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        owner = await owner_of(site)
        await until_running(owner, process)
        await build_house(owner, options.generated)
        await set_up_caesar(owner, options.brain, options.policy)
        if servers is not None:
            await give_tools(owner, await servers)
        await give_assist_to_caesar(owner)
        yield StandingHouse(site=site, owner=owner, process=process)


@asynccontextmanager
async def _beside[Result](
    work: Coroutine[Any, Any, Result],
) -> AsyncIterator[asyncio.Task[Result]]:
    """Do the work while other things go on; at the end it is over or given up."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
