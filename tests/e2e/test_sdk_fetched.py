"""A Home Assistant without the model's SDK fetches it when a person sets CAESAR up."""

import asyncio
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import metadata
import os
from pathlib import Path
import shutil
import signal
import sysconfig
import venv

import aiohttp
from packaging.requirements import Requirement

from house import onboarding, seed
from house.client import Client, Site
from house.moving_in import set_up_caesar
from house.options import Brain, BrainKind
from tests.fakes.messages_api import FakeMessagesApi

ROOT = Path(__file__).parents[2]
PIN = "anthropic-0.125.0.dist-info"
CONFIGURATION = "api:\nconfig:\nconversation:\nwebsocket_api:\n"


def environment(**changes: str) -> Mapping[str, str]:
    """Return this process's environment without what would lead to its own Python."""
    mine = {
        name: value
        for name, value in os.environ.items()
        if name not in {"VIRTUAL_ENV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
    }
    return {**mine, **changes}


def python_without_sdk(folder: Path) -> Path:
    """Make an environment like this one, but without the SDK; return its packages.

    Its packages are this one's by symbolic links, which take no time. What the SDK
    needs is copied: an installer may replace it.
    """
    venv.create(folder, symlinks=True)
    # Home Assistant's installer is a program of its own.
    (folder / "bin" / "uv").symlink_to(Path(sysconfig.get_path("scripts")) / "uv")
    (packages,) = folder.glob("lib/python3*/site-packages")
    copied = {
        file.parts[0]
        for name in needs("anthropic") - {"anthropic"}
        for file in metadata.files(name) or ()
    }
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if entry.name.startswith("anthropic"):
            continue
        if entry.name not in copied:
            (packages / entry.name).symlink_to(entry)
        elif entry.is_dir():
            shutil.copytree(entry, packages / entry.name)
        else:
            shutil.copy2(entry, packages / entry.name)
    return packages


def needs(name: str, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return a package with all that is installed for it."""
    known |= {name}
    for line in metadata.requires(name) or ():
        requirement = Requirement(line)
        marker = requirement.marker
        if requirement.name not in known and (marker is None or marker.evaluate()):
            known |= needs(requirement.name, known)
    return known


@asynccontextmanager
async def home_assistant(
    python: Path, folder: Path, model_url: str
) -> AsyncIterator[Client]:
    """Run Home Assistant as it runs in a house: it may install what it needs."""
    port = seed.free_port()
    seed.prepare(folder, port, None)
    (folder / "configuration.yaml").write_text(CONFIGURATION, encoding="utf-8")
    with (folder / "console.log").open("w", encoding="utf-8") as log:
        process = await asyncio.create_subprocess_exec(
            *(str(python), "-m", "homeassistant", "--config", str(folder)),
            cwd=folder,
            env=environment(ANTHROPIC_BASE_URL=model_url),
            stdin=DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        async with aiohttp.ClientSession() as session:
            site = Site(session=session, base=f"http://127.0.0.1:{port}")
            await onboarding.until_up(site, process)
            owner = await onboarding.owner(site)
            await onboarding.until_running(owner, process)
            yield owner
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await process.wait()


async def test_sdk_is_fetched_at_cores_pin(
    socket_enabled: None, tmp_path: Path
) -> None:
    """Through the form that a person fills in, with a key that the server takes."""
    packages = python_without_sdk(tmp_path / "venv")
    assert list(packages.glob("anthropic*")) == []
    folder = tmp_path / "config"
    folder.mkdir()
    python = tmp_path / "venv" / "bin" / "python"
    async with (
        FakeMessagesApi() as api,
        home_assistant(python, folder, api.url) as owner,
    ):
        brain = Brain(kind=BrainKind.ANTHROPIC, where=api.url)
        await set_up_caesar(owner, brain, "everyday")
        assert (packages / PIN).is_dir()
        assert {sent.path for sent in api.requests} == {"/v1/models"}
    log = (folder / "console.log").read_text(encoding="utf-8")
    assert [line for line in log.splitlines() if " ERROR " in line] == []
