"""`script/run`: the demo house with CAESAR, to look at or to ask."""

import asyncio
from collections.abc import Coroutine
import json
from pathlib import Path
import signal
import sys
from typing import Any

import aiohttp

from .answers import Turn
from .ask import asking
from .client import Site
from .errors import HouseError
from .onboarding import CHILD, OWNER, PASSWORD, child
from .options import Asker, Options, parse
from .process import LOG_FILE
from .seed import run_folder
from .standing import standing_house
from .trail import AUDIT_DB, with_calls

INTERRUPTED = 130
FAILED = 1


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
    async with standing_house(options, folder) as house:
        if not options.asks:
            await child(house.site, house.owner)
            _say(_welcome(house.site, folder))
            await house.process.wait()
            raise HouseError("Home Assistant stopped by itself.")
        way = asking(options.asker, house.site, house.owner, talk=options.talk)
        async with way as ask:
            turns = [await ask(text, options.language) for text in options.asks]
        states = await house.owner.states()
    if options.asker is Asker.SATELLITE:
        turns = with_calls(turns, folder)
    if options.as_json:
        print(json.dumps(_report(turns, states, folder), ensure_ascii=False))
    else:
        print("\n\n".join(turn.as_text() for turn in turns))


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
