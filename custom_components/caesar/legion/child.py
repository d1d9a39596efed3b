"""A function run in a process of its own, which can be killed whatever it does.

For work on hostile input (a calendar with an event every second for ever): a thread can
neither be stopped nor bounded in memory.
"""

import asyncio
from asyncio.subprocess import PIPE, Process
import os
from pathlib import Path
import signal
import sys
from typing import Final, cast

from .child_main import FAILED, MAX_ERROR_CHARACTERS

MAX_REPLY_BYTES: Final = 8_388_608
CHUNK_BYTES: Final = 65_536
BOOT_FILE: Final = Path(__file__).resolve().with_name("boot.py")
# All that a child gets of the environment: it needs no setting, so it holds no secret.
INHERITED: Final = ("PATH", "LANG", "LC_ALL", "TZ")


class ChildTimeout(Exception):
    """The child was not ready in time and was killed."""


class ChildFailed(Exception):
    """The child raised, ran out of memory or said too much; `kind` names the error."""

    def __init__(self, kind: str, message: str = "") -> None:
        """Keep the name of the error apart from its words."""
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind: Final = kind
        self.message: Final = message


async def run_killable(
    function_path: str,
    argument: bytes,
    *,
    timeout_s: float,
    memory_bytes: int,
    max_reply_bytes: int = MAX_REPLY_BYTES,
) -> bytes:
    """Run a function of this package on `argument` and return what it returns.

    `function_path` is `module:function`, the module named from this package on
    (`tools.calendar_read.expand:expand`); it takes and returns bytes. `timeout_s` is
    wall time, the start of the child (0.1 s) included; `memory_bytes` is its whole
    address space. Raises ChildTimeout or ChildFailed; whatever happens, the child is
    gone on return.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(BOOT_FILE),
        *_packages(),
        "child",
        function_path,
        str(timeout_s),
        str(memory_bytes),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        cwd="/",
        env={name: os.environ[name] for name in INHERITED if name in os.environ},
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(timeout_s):
            reply, words = await _converse(process, argument, max_reply_bytes)
            code = await process.wait()
    except TimeoutError:
        raise ChildTimeout(f"{function_path} took more than {timeout_s} s") from None
    finally:
        await _end(process)
    if code == 0:
        return reply
    if code in (-signal.SIGXCPU, -signal.SIGALRM):
        raise ChildTimeout(f"{function_path} took more than {timeout_s} s")
    if code != FAILED:
        raise ChildFailed("ChildDied", f"exit code {code}")
    kind, _, message = words.rpartition("\n")[2].partition(":")
    raise ChildFailed(kind, message.strip())


def _packages() -> list[str]:
    """Return the arguments by which the child finds the packages that we find."""
    folders = [folder for folder in sys.path if Path(folder).is_absolute()]
    return [argument for folder in folders for argument in ("--path", folder)]


async def _converse(process: Process, argument: bytes, limit: int) -> tuple[bytes, str]:
    stdin = cast("asyncio.StreamWriter", process.stdin)
    stdout = cast("asyncio.StreamReader", process.stdout)
    stderr = cast("asyncio.StreamReader", process.stderr)

    async def hand_over() -> None:
        try:
            stdin.write(argument)
            await stdin.drain()
            stdin.close()
        except (BrokenPipeError, ConnectionResetError):
            # It ended without reading; its exit code says why.
            return

    _, reply, words = await asyncio.gather(
        hand_over(),
        _read(stdout, limit),
        _read(stderr, CHUNK_BYTES),
    )
    return reply, words.decode(errors="replace")[-MAX_ERROR_CHARACTERS:]


async def _read(stream: asyncio.StreamReader, limit: int) -> bytes:
    data = bytearray()
    while chunk := await stream.read(CHUNK_BYTES):
        data += chunk
        if len(data) > limit:
            raise ChildFailed("TooLarge", f"more than {limit} bytes")
    return bytes(data)


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()
