"""The processes beside the house start, say where they are, and are stopped."""

import asyncio
from asyncio.subprocess import PIPE
from pathlib import Path
import re
import signal
import sys

import pytest

from house.errors import HouseError
from house.process import scripted_model, stop, tied_to_us
from house.seed import ROOT


async def test_a_scripted_model_is_there_until_it_is_not_needed(tmp_path: Path) -> None:
    """Its first line is its address."""
    script = tmp_path / "script.yaml"
    script.write_text("rules: []\ndefault: Hello.\n")
    async with scripted_model(str(script)) as url:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/?", url)


async def test_a_script_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """No waiting for a server that has given up."""
    script = tmp_path / "script.yaml"
    script.write_text("rules: {")
    with pytest.raises(HouseError, match="did not start"):
        async with scripted_model(str(script)):
            pass


# Says that it is there, and listens to nobody.
DEAF = (
    "import os, signal\n"
    "for each in (signal.SIGINT, signal.SIGTERM):\n"
    "    signal.signal(each, signal.SIG_IGN)\n"
    "print(os.getpid(), flush=True)\n"
    "while True: pass\n"
)


async def test_who_does_not_listen_is_killed() -> None:
    """After the time it is given."""
    process = await asyncio.create_subprocess_exec(
        *(*tied_to_us(), sys.executable, "-I", "-c", DEAF), stdout=PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline()
    await stop(process, by=signal.SIGTERM, grace_s=0.05)
    assert process.returncode == -signal.SIGKILL


async def test_a_deaf_child_ends_with_its_parent() -> None:
    """However busy it is."""
    parent = (
        "import subprocess, sys, time\n"
        "from house.process import tied_to_us\n"
        f"command = (*tied_to_us('KILL'), sys.executable, '-I', '-c', {DEAF!r})\n"
        "subprocess.Popen(command)\n"
        "time.sleep(60)\n"
    )
    process = await asyncio.create_subprocess_exec(
        *(*tied_to_us(), sys.executable, "-c", parent),
        stdout=PIPE,
        env={"PYTHONPATH": "demo", "PATH": "/usr/bin:/bin"},
        cwd=ROOT,
    )
    assert process.stdout is not None
    child = (await process.stdout.readline()).strip().decode()
    assert Path(f"/proc/{child}").exists()
    process.kill()
    await process.wait()
    # Its end of the pipe closes with it.
    async with asyncio.timeout(10):
        assert await process.stdout.read() == b""


async def test_an_orphan_does_not_even_start() -> None:
    """A parent that died before the mark was set would never be missed."""
    prefix = tied_to_us()
    assert prefix
    of_another = [*prefix[:-1], str(int(prefix[-1]) + 1)]
    process = await asyncio.create_subprocess_exec(*of_another, "echo", stdout=PIPE)
    out, _ = await process.communicate()
    assert (process.returncode, out) == (1, b"")
