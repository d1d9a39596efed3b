"""Kills a real Home Assistant, and looks for what it leaves behind."""

import asyncio
import json
import os
from pathlib import Path
import signal
import subprocess
import time

import aiohttp

from custom_components.caesar.legion.keys import Identity
from house.client import Site
from house.moving_in import set_up_caesar
from house.onboarding import owner as owner_of, until_running, until_up
from house.options import Brain, BrainKind
from house.process import home_assistant
from house.seed import free_port, prepare
from proofs.crash_parts.findings import must

from .processes import gone, names_in_environment, of_house, status

_UP_S = 120.0
_GONE_S = 10.0
_ALLOWED = {
    "PATH",
    "LANG",
    "TZ",
    "CAESAR_LEGION__SEED",
    "CAESAR_LEGION__HA_PUBLIC_KEY",
    "CAESAR_LEGION__TOOLS",
}
_NOBODY = 65534


async def prove_orphans(folder: Path, kills: int) -> str:
    """Kill it so many times with signal 9; each time its worker ends too."""
    config = folder / "config"
    config.mkdir(mode=0o700)
    os.environ["SUPERVISOR_TOKEN"] = "a secret of Home Assistant's"
    said, longest = "", 0.0
    try:
        for number in range(kills):
            port = free_port()
            prepare(config, port, None)
            async with (
                home_assistant(config) as process,
                aiohttp.ClientSession() as session,
            ):
                site = Site(session=session, base=f"http://127.0.0.1:{port}")
                await until_up(site, process)
                client = await owner_of(site)
                await until_running(client, process)
                # Killed at once, Home Assistant has not written the entry down.
                await set_up_caesar(client, Brain(kind=BrainKind.BUILTIN), "everyday")
                key = await asyncio.to_thread(_public_key, config)
                [pid] = await _up(key)
                if not number:
                    said = await asyncio.to_thread(_walls, pid, config)
                process.send_signal(signal.SIGKILL)
                await process.wait()
                started = time.monotonic()
                left = not await asyncio.to_thread(gone, key, _GONE_S)
                longest = max(longest, time.monotonic() - started)
                must(not left, f"its worker {pid} ends with it")
    finally:
        del os.environ["SUPERVISOR_TOKEN"]
    return (
        f"{kills} x kill -9 of a real Home Assistant, no worker left after"
        f" {longest:.2f} s at most; {said}"
    )


async def _up(key: str) -> list[int]:
    """Wait for the worker's own process: before, it is Python that becomes it."""
    async with asyncio.timeout(_UP_S):
        while True:
            found = await asyncio.to_thread(of_house, key)
            ready = [pid for pid in found if _serves(pid)]
            if len(ready) == 1:
                return ready
            await asyncio.sleep(0.1)


def _serves(pid: int) -> bool:
    try:
        command = (Path("/proc") / str(pid) / "cmdline").read_bytes()
    except OSError:
        return False
    return command.rstrip(b"\0").endswith(b"local")


def _public_key(config: Path) -> str:
    kept = json.loads((config / ".storage" / "caesar.legion").read_text())
    mode = (config / ".storage" / "caesar.legion").stat().st_mode & 0o777
    must(mode == 0o600, f"the house's seed is for Home Assistant alone: {mode:o}")
    return Identity.from_seed(kept["data"]["seed"]).public_key


def _walls(pid: int, config: Path) -> str:
    """Look at what the process holds, is, and can see."""
    names = names_in_environment(pid)
    must(names <= _ALLOWED, f"nothing of Home Assistant's: {names - _ALLOWED}")
    fields = status(pid)
    if os.geteuid() != 0:
        return "Home Assistant is not root here: its worker runs as the same user"
    must(set(fields["Uid"].split()) == {str(_NOBODY)}, f"uid {fields['Uid']}")
    must(set(fields["Gid"].split()) == {str(_NOBODY)}, f"gid {fields['Gid']}")
    must(not fields["Groups"], f"no groups: {fields['Groups']}")
    must(int(fields["CapEff"], 16) == 0, f"no capabilities: {fields['CapEff']}")
    seen = Path(f"/proc/{pid}/root{config.resolve()}")
    tries = [config / ".storage", seen / ".storage", config / "caesar", seen]
    read = [path for path in tries if _readable_by_nobody(path)]
    must(not read, f"nobody reads {read}")
    return (
        "it is nobody, without groups and capabilities, has 6 variables of its own and"
        " none of Home Assistant's, and can't read .storage or the trail"
    )


def _readable_by_nobody(folder: Path) -> bool:
    """Return whether uid 65534 finds anything in a folder."""
    tried = subprocess.run(
        ["ls", "-A", folder],
        user=_NOBODY,
        group=_NOBODY,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        check=False,
    )
    return tried.returncode == 0 and bool(tried.stdout.strip())
