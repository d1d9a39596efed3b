"""Workers on another host, from an environment that holds the wheel and no more."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
import os
from pathlib import Path
import signal
import subprocess
import sys
from typing import Final

from house.seed import ROOT
from proofs.crash_parts.findings import Unproven, must

from .network import Host

SAYS_S: Final = 30.0
# $1: the folder of the environment, $2: Python.
_INSTALL: Final = """
source script/lib.sh
wheel=$(script/wheel "$1.wheel")
adopt_pip_settings
uv=$(find_uv)
"$uv" venv --quiet --python "$2" "$1"
"$uv" pip install --quiet --python "$1/bin/python" "$wheel[discovery]"
"""
_WHAT_IS_THERE: Final = """
import importlib.metadata as metadata, importlib.util as util
assert util.find_spec("homeassistant") is None
print(len(list(metadata.distributions())), metadata.version("caesar_legion"))
"""
# The own tool of examples/, in less of a hurry: how long one waits for it is shown too.
TOOL: Final = """
from dataclasses import replace
import bin_days
class Bins(bin_days.BinDays):
    tools = (replace(bin_days.SPEC, timeout_s=1),)
"""


class Installing:
    """The wheel is built and installed, beside what else is done meanwhile."""

    def __init__(self, folder: Path) -> None:
        """Begin, in the network that we are in now: packages come from an index."""
        self._folder = folder
        self._process = subprocess.Popen(
            ["bash", "-euc", _INSTALL, "-", folder, sys.executable],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def done(self) -> str:
        """Wait, and return what the environment holds. Raises Unproven."""
        said, _ = self._process.communicate(timeout=180)
        must(self._process.returncode == 0, f"the wheel can be installed: {said}")
        python = self._folder / "bin" / "python"
        looked = subprocess.run(
            [python, "-Ic", _WHAT_IS_THERE], capture_output=True, text=True, check=False
        )
        must(looked.returncode == 0, f"no Home Assistant is in it: {looked.stderr}")
        packages, version = looked.stdout.split()
        return f"caesar_legion {version} and {int(packages) - 1} packages"

    def stop(self) -> None:
        """End what still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A worker that was made, and not started yet."""

    name: str
    public_key: str
    env: Path


class Desk:
    """What a person types on the workers' host."""

    def __init__(self, host: Host, environment: Path, folder: Path) -> None:
        """Work in `folder`, with the command of that environment."""
        self._host = host
        self._caesar = str(environment / "bin" / "caesar")
        self._folder = folder
        folder.mkdir()
        example = (ROOT / "examples" / "bin_days.py").read_text(encoding="utf-8")
        (folder / "bin_days.py").write_text(example, encoding="utf-8")
        (folder / "quick.py").write_text(TOOL, encoding="utf-8")
        (folder / "bins.txt").write_text("2099-12-01 paper\n", encoding="utf-8")

    async def make(self, name: str, house_key: str) -> Settings:
        """Make a key pair and settings, as docs/workers.md says."""
        command = (self._caesar, "legion", "new-worker", "--name", name, "--dir", ".")
        process = await self._start(*command, "--ha-key", house_key)
        said, _ = await process.communicate()
        must(process.returncode == 0, f"a worker can be made: {said!r}")
        [key] = [
            word for word in said.decode().split() if len(word) == 56 and word[0] == "U"
        ]
        return Settings(name=name, public_key=key, env=self._folder / f"{name}.env")

    @asynccontextmanager
    async def serving(self, made: Settings, port: int) -> AsyncIterator[Process]:
        """Have it serve the bins on a port, as long as the block lasts."""
        process = await self._start(
            *(self._caesar, "legion", "serve", "quick:Bins"),
            *("--env", str(made.env), "--port", str(port)),
        )
        reading = asyncio.create_task(_until_said(process, "announced on"))
        try:
            await reading
            drained = asyncio.create_task(_drain(process))
            yield process
            drained.cancel()
        finally:
            reading.cancel()
            await end(process)

    async def _start(self, *command: str) -> Process:
        return await asyncio.create_subprocess_exec(
            *self._host.prefix,
            *command,
            cwd=self._folder,
            env={
                "PATH": os.defpath,
                "LANG": "C.UTF-8",
                "CAESAR_TOOLS__BIN_DAYS__PATH": "bins.txt",
            },
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )


async def end(process: Process) -> None:
    """Kill a worker, as a power cut does; also one that was stopped."""
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGKILL)
    await process.wait()


async def _until_said(process: Process, words: str) -> None:
    assert process.stdout is not None
    said = ""
    try:
        async with asyncio.timeout(SAYS_S):
            while line := (await process.stdout.readline()).decode():
                said += line
                if words in line:
                    return
    except TimeoutError:
        pass
    raise Unproven(f"a worker says {words!r}, and not: {said}")


async def _drain(process: Process) -> None:
    assert process.stdout is not None
    while await process.stdout.readline():
        pass
