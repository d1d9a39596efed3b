"""The worker that Home Assistant runs for itself, started through boot.py.

It says on one line of stdout where it listens and who it is, and lives as long as its
stdin: whoever started it and died, by whatever death, takes it along.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
import json
import logging
import os
import signal
import sys
import threading
import time
from typing import Final

from .bundled import BUNDLED
from .canonical import Json
from .environment import Environment, SettingsError, checked_key
from .keys import Identity, KeyTextError
from .server import WorkerServer
from .version import VERSION
from .worker import Task, Worker

WORKER_ID: Final = "local"
LOOPBACK: Final = "127.0.0.1"
# The names that whoever starts it sets; the tools' own settings go beside them.
SEED: Final = "CAESAR_LEGION__SEED"
HA_PUBLIC_KEY: Final = "CAESAR_LEGION__HA_PUBLIC_KEY"
TOOLS: Final = "CAESAR_LEGION__TOOLS"
BAD_SETTINGS: Final = 2
# How long a stop may take before the process ends without one, in seconds.
GRACE_S: Final = 5.0
# How long one tool may take to start; whoever started the process waits a minute.
START_S: Final = 15.0
_FORESEEN: Final = (SettingsError, ImportError, TimeoutError)

_LOGGER = logging.getLogger(__name__)


def main(arguments: Sequence[str]) -> int:
    """Serve until stdin closes; the exit code is 2 if the settings are no good."""
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    if arguments:
        sys.stderr.write("local takes no arguments, only its environment\n")
        return BAD_SETTINGS
    # A Ctrl-C in Home Assistant's terminal reaches this process too, which has to
    # serve until Home Assistant has stopped.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        asyncio.run(serve(os.environ, _say_once, _stdin_closed))
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return BAD_SETTINGS
    return 0


async def serve(
    values: Mapping[str, str],
    say: Callable[[str], None],
    watch: Callable[[Callable[[], None]], None],
) -> None:
    """Serve the tools that `values` name, until `watch` calls what it was given.

    A tool that can't be made or started is left out and named in the line that it says.
    Raises SettingsError if the process itself lacks what it needs.
    """
    environment = Environment(values)
    identity = _identity(environment)
    trusted = _trusted(environment)
    made, failed = make(environment.legion.names("TOOLS"), environment)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    workers = await open_each(made, failed)
    server = WorkerServer(WORKER_ID, workers, identity, [trusted], version=VERSION)
    try:
        port = await server.start(LOOPBACK, 0)
        line = {
            "port": port,
            "public_key": identity.public_key,
            "worker_id": WORKER_ID,
            "failed": failed,
        }
        say(json.dumps(line) + "\n")
        watch(partial(_set_from_thread, loop, stop))
        await stop.wait()
    finally:
        await server.stop()


def _set_from_thread(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    # A loop that has ended already needs no telling.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(event.set)


def make(
    names: Sequence[str], environment: Environment
) -> tuple[dict[str, Worker], dict[str, str]]:
    """Return the workers of these tools, and a message for each that can't be made."""
    workers: dict[str, Worker] = {}
    failed: dict[str, str] = {}
    for name in names:
        if name not in BUNDLED:
            failed[name] = f"There is no tool {name}."
            continue
        try:
            workers[name] = BUNDLED[name](environment)
        except _FORESEEN as error:
            failed[name] = _why(error)
        except Exception as error:
            # One tool's fault, of whatever kind, is not the others'.
            _LOGGER.exception("The tool %s cannot be made", name)
            failed[name] = _fault(error)
    return workers, failed


async def open_each(
    workers: Mapping[str, Worker], failed: dict[str, str]
) -> list[Worker]:
    """Start the workers; one that can't be started goes to `failed`, by its tool."""
    opened: list[Worker] = []
    for name, worker in workers.items():
        try:
            async with asyncio.timeout(START_S):
                await worker.start()
        except _FORESEEN as error:
            failed[name] = _why(error)
        except Exception as error:
            # Nor is this one.
            _LOGGER.exception("The tool %s cannot be started", name)
            failed[name] = _fault(error)
        else:
            opened.append(_Opened(worker))
            continue
        # Why it could not start is what counts, not how it ends.
        with suppress(Exception):
            async with asyncio.timeout(START_S):
                await worker.stop()
    return opened


class _Opened(Worker):
    """A worker that was started already."""

    tools = ()

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        # What a class declares once differs from one to the other here.
        self.__dict__["tools"] = worker.tools
        self.__dict__["messages"] = worker.messages

    async def stop(self) -> None:
        """Stop it."""
        await self._worker.stop()

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Have it do the task."""
        return await self._worker.handle(task)


def _why(error: SettingsError | ImportError | TimeoutError) -> str:
    """Return what a person can read, and perhaps mend."""
    if isinstance(error, SettingsError):
        return str(error)
    if isinstance(error, ImportError):
        return f"The Python package {error.name} is missing."
    return "The tool did not start in time."


def _fault(error: Exception) -> str:
    """Return as much of a fault as can't be a secret."""
    return f"The tool has a fault ({type(error).__name__})."


def _identity(environment: Environment) -> Identity:
    try:
        return Identity.from_seed(environment.legion.require("SEED"))
    except KeyTextError as error:
        raise SettingsError(f"{SEED} is not a seed: {error}.") from None


def _trusted(environment: Environment) -> str:
    return checked_key(HA_PUBLIC_KEY, environment.legion.require("HA_PUBLIC_KEY"))


def _say_once(line: str) -> None:
    """Write the one line, and lead to stderr whatever else is printed later."""
    sys.stdout.write(line)
    sys.stdout.flush()
    os.dup2(2, 1)


def _stdin_closed(closed: Callable[[], None]) -> None:
    """Call `closed` when stdin ends, and see to it that the process ends then.

    A thread, because the event loop of a hostile tool may never come round again.
    """

    def wait() -> None:
        while os.read(0, 4096):
            pass
        closed()
        time.sleep(GRACE_S)
        os._exit(1)

    threading.Thread(target=wait, name="stdin", daemon=True).start()
