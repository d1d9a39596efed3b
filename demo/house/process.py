"""Starts and stops processes: Home Assistant, and a model server for a script."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
import os
from pathlib import Path
import shutil
import signal
import sys

from .errors import HouseError
from .seed import ROOT

LOG_FILE = "console.log"
STOP_SECONDS = 30.0
MODEL_SERVER = "tests.fakes.messages_api"
MODEL_SERVER_SECONDS = 20.0


@asynccontextmanager
async def home_assistant(
    folder: Path, model_url: str | None = None
) -> AsyncIterator[Process]:
    """Run Home Assistant on a prepared folder; it is stopped at the end.

    `model_url` is given to the Anthropic client as its server.
    """
    environment = {
        **os.environ,
        **({"ANTHROPIC_BASE_URL": model_url} if model_url else {}),
    }
    # Without its bytecode on disk Home Assistant starts three times slower.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # Home Assistant finds its components in the folder, as in any house.
    environment.pop("PYTHONPATH", None)
    command = ["-m", "homeassistant", "--config", str(folder), "--skip-pip"]
    with (folder / LOG_FILE).open("w", encoding="utf-8") as log:
        process = await asyncio.create_subprocess_exec(
            *tied_to_us(),
            sys.executable,
            *command,
            # Python would take components from the current folder as well.
            cwd=folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # Ctrl-C is for us; we tell Home Assistant.
            start_new_session=True,
        )
    try:
        yield process
    finally:
        await asyncio.shield(stop(process))


@asynccontextmanager
async def scripted_model(script: str) -> AsyncIterator[str]:
    """Run a model server that follows a script; gives its address.

    Raises HouseError if it does not start.
    """
    process = await asyncio.create_subprocess_exec(
        *tied_to_us(),
        sys.executable,
        *("-m", MODEL_SERVER, "--script", script, "--port", "0"),
        cwd=ROOT,
        # It ends when this closes.
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield await _first_line(process)
    finally:
        await asyncio.shield(stop(process))


async def _first_line(process: Process) -> str:
    assert process.stdout is not None
    try:
        async with asyncio.timeout(MODEL_SERVER_SECONDS):
            line = await process.stdout.readline()
    except TimeoutError:
        line = b""
    if not line:
        raise HouseError("The scripted model server did not start.")
    return line.decode().strip()


async def stop(
    process: Process,
    *,
    by: signal.Signals = signal.SIGINT,
    grace_s: float = STOP_SECONDS,
) -> None:
    """Ask the process to stop; make it if it does not listen within `grace_s`."""
    if process.returncode is not None:
        return
    process.send_signal(by)
    try:
        async with asyncio.timeout(grace_s):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


def tied_to_us(by: str = "TERM") -> Sequence[str]:
    """Return the prefix that ends a process with its parent, whatever ends that.

    `by` is the signal that it gets then. The shell looks whether the parent is still
    there: one that died before the mark was set would never be missed (prctl(2)).
    """
    if not shutil.which("setpriv"):
        return ()
    still_there = '[ "$PPID" = "$0" ] && exec "$@"'
    return (
        *("setpriv", "--pdeathsig", by),
        *("sh", "-c", still_there, str(os.getpid())),
    )
