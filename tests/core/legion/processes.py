"""Real processes of Legion, started by its boot file as Home Assistant starts them."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
import sys

from custom_components.caesar.legion import boot

BOOT_FILE = Path(boot.__file__)
# What any of them gets; never the environment of the tests.
BASE = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}


@asynccontextmanager
async def process(
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    folder: Path | str = "/",
) -> AsyncIterator[Process]:
    """Run a part of Legion as long as the block lasts."""
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(BOOT_FILE),
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd=folder,
        env={**BASE, **(environment or {})},
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        # What is left in its pipes goes unread otherwise, and they stay open.
        await started.communicate()


async def ended(running: Process, seconds: float = 10) -> tuple[int, str, str]:
    """Wait for the end; return exit code, stdout and stderr."""
    async with asyncio.timeout(seconds):
        out, err = await running.communicate()
    assert running.returncode is not None
    return running.returncode, (out or b"").decode(), (err or b"").decode()


async def line_of(stream: asyncio.StreamReader | None, word: str = "") -> str:
    """Return the first line that holds `word`."""
    assert stream is not None
    async with asyncio.timeout(10):
        while line := (await stream.readline()).decode():
            if word in line:
                return line
    raise AssertionError(f"no line with {word!r}")
