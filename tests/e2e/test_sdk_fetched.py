"""A Home Assistant without the model's SDK fetches it when a person sets CAESAR up."""

import asyncio
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
import os
from pathlib import Path
import signal
import sys

import aiohttp

from house import onboarding, seed
from house.client import Client, Site
from house.moving_in import set_up_caesar
from house.options import Brain, BrainKind
from tests.fakes.messages_api import FakeMessagesApi

ROOT = Path(__file__).parents[2]
PIN = "anthropic-0.125.0.dist-info"
# The frontend is big, and nobody looks.
LEFT_OUT = ("anthropic==", "home-assistant-frontend==")
CONFIGURATION = "api:\nconfig:\nconversation:\nwebsocket_api:\n"


def environment(**changes: str) -> Mapping[str, str]:
    """Return this process's environment without what would lead to its own Python."""
    mine = {
        name: value
        for name, value in os.environ.items()
        if name not in {"VIRTUAL_ENV", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
    }
    return {**mine, **changes}


async def call(*command: str) -> None:
    """Run a command that must succeed."""
    process = await asyncio.create_subprocess_exec(
        *command, env=environment(), stdout=DEVNULL
    )
    assert await process.wait() == 0, command


async def python_without_sdk(folder: Path) -> Path:
    """Install Home Assistant, but no model's SDK; return its Python."""
    python = folder / "venv" / "bin" / "python"
    wanted = folder / "requirements.txt"
    lines = (ROOT / "requirements_run.txt").read_text(encoding="utf-8").splitlines()
    wanted.write_text(
        "\n".join(line for line in lines if not line.startswith(LEFT_OUT)),
        encoding="utf-8",
    )
    uv = (sys.executable, "-m", "uv")
    await call(*uv, "venv", "--quiet", "--python", sys.executable, str(folder / "venv"))
    await call(
        *(*uv, "pip", "install", "--quiet", "--python", str(python)),
        *("-r", str(wanted)),
    )
    return python


@asynccontextmanager
async def home_assistant(
    python: Path, folder: Path, model_url: str
) -> AsyncIterator[tuple[Client, Process]]:
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
            yield owner, process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await process.wait()


async def test_sdk_is_fetched_at_cores_pin(
    socket_enabled: None, tmp_path: Path
) -> None:
    """Through the form that a person fills in, with a key that the server takes."""
    python = await python_without_sdk(tmp_path)
    packages = next((tmp_path / "venv" / "lib").glob("python3*/site-packages"))
    assert list(packages.glob("anthropic*")) == []
    folder = tmp_path / "config"
    folder.mkdir()
    async with (
        FakeMessagesApi() as api,
        home_assistant(python, folder, api.url) as (owner, _),
    ):
        brain = Brain(kind=BrainKind.ANTHROPIC, where=api.url)
        await set_up_caesar(owner, brain, "everyday")
        assert (packages / PIN).is_dir()
        assert {sent.path for sent in api.requests} == {"/v1/models"}
