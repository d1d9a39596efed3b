"""A device in a process of its own: it writes down each effect it is told of.

    python -m house.device --socket PATH --log PATH

It stands for hardware. What it has written stays, whatever becomes of Home
Assistant; each line is an effect as JSON, on the disk before it is answered. It
prints "ready" once it listens, and ends on SIGTERM or when its input closes.
"""

import argparse
import asyncio
from collections.abc import Sequence
import os
from pathlib import Path
import signal
import sys
import threading
from typing import TextIO


async def serve(socket: Path, log: TextIO) -> None:
    """Listen on the socket and append to the log, until told to stop."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            log.write(line.decode())
            log.flush()
            os.fsync(log.fileno())
            writer.write(b"ok\n")
            await writer.drain()
        writer.close()

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)

    def until_input_closes() -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        loop.call_soon_threadsafe(stopped.set)

    threading.Thread(target=until_input_closes, daemon=True).start()
    async with await asyncio.start_unix_server(take, socket):
        print("ready", flush=True)
        await stopped.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m house.device")
    parser.add_argument("--socket", type=Path, required=True, metavar="PATH")
    parser.add_argument("--log", type=Path, required=True, metavar="PATH")
    options = parser.parse_args(arguments)
    options.socket.unlink(missing_ok=True)
    with options.log.open("a", encoding="utf-8") as log:
        asyncio.run(serve(options.socket, log))
    return 0


if __name__ == "__main__":
    sys.exit(main())
