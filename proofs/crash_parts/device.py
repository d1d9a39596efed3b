"""The fake device, as a process that outlives whoever is killed."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
import json
from pathlib import Path
import subprocess
import sys


@contextmanager
def device(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Run it; gives its socket and its log."""
    socket, log = folder / "device.sock", folder / "device.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "house.device", "--socket", socket, "--log", log],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A caller that is killed breaks its connection; that is no news here.
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdout is not None
        if process.stdout.readline().strip() != b"ready":
            raise RuntimeError("the device did not start")
        yield socket, log
    finally:
        process.terminate()
        process.communicate()


async def have_effect(socket: Path, context_id: str) -> None:
    """Tell the device; returns when it has written it down."""
    reader, writer = await asyncio.open_unix_connection(socket)
    try:
        writer.write(json.dumps({"context_id": context_id}).encode() + b"\n")
        await writer.drain()
        if not await reader.readline():
            raise ConnectionResetError("the device took no note")
    finally:
        writer.close()
