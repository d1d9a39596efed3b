"""The wheel: the same files, in an environment without Home Assistant.

On each Python from 3.12 to 3.14 that this host has; nothing is fetched but the wheel's
own dependencies, as on any host.
"""

import asyncio
from asyncio.subprocess import PIPE
from collections.abc import Iterator
import json
import os
from pathlib import Path
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

import aiohttp
import pytest

from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import DispatchRequest, WorkerAddress
from custom_components.caesar.legion.version import VERSION

from .processes import BASE, ended, line_of

pytestmark = pytest.mark.usefixtures("socket_enabled")

ROOT = Path(__file__).parents[3]
LEGION = ROOT / "custom_components" / "caesar" / "legion"
HOME = Identity.generate()
# What runs several times should be compiled once.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name != "PYTHONDONTWRITEBYTECODE" and not name.startswith("CAESAR_LEGION")
}
# $1: a folder for the environment, $2: Python, $3: what to install.
INSTALL = """
source script/lib.sh
adopt_pip_settings
uv=$(find_uv)
"$uv" venv --quiet --python "$2" "$1"
"$uv" pip install --quiet --python "$1/bin/python" "$3"
"""


def _pythons() -> dict[str, str]:
    """Return version and path of each Python that the wheel is for."""
    own = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found: dict[str, str] = {}
    for version in ("3.12", "3.13", "3.14"):
        candidates = [
            sys.executable,
            shutil.which(f"python{version}"),
            *map(str, sorted(own.glob(f"{version}.*/bin/python"), reverse=True)),
        ]
        for candidate in filter(None, candidates):
            says = subprocess.run(
                [candidate, "-Ic", "import sys; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
            )
            if says.stdout.strip() == version:
                found[version] = candidate
                break
    return found


PYTHONS = _pythons()


@pytest.fixture(scope="module")
def wheel() -> Iterator[Path]:
    """Return the wheel, built from the tree."""
    with tempfile.TemporaryDirectory() as folder:
        built = subprocess.run(
            [ROOT / "script" / "wheel", folder],
            capture_output=True,
            text=True,
            check=False,
        )
        assert built.returncode == 0, built.stderr
        yield Path(built.stdout.strip())


def test_the_version_is_that_of_the_integration(wheel: Path) -> None:
    """One version for all that is released together."""
    manifest = json.loads((LEGION.parent / "manifest.json").read_text("utf-8"))
    assert manifest["version"] == VERSION
    assert wheel.name == f"caesar_legion-{VERSION}-py3-none-any.whl"


def test_it_holds_the_integrations_own_files(wheel: Path) -> None:
    """All of legion, byte for byte, and nothing else."""
    with zipfile.ZipFile(wheel) as archive:
        held = {
            name.removeprefix("caesar_legion/"): archive.read(name)
            for name in archive.namelist()
            if name.startswith("caesar_legion/") and not name.endswith("/")
        }
    assert held.pop("py.typed") == b""
    assert set(held) == {
        path.relative_to(LEGION).as_posix() for path in LEGION.rglob("*.py")
    }
    for name, content in held.items():
        assert content == (LEGION / name).read_bytes(), name


def test_this_python_is_among_those() -> None:
    """At least one is always tried."""
    assert ".".join(map(str, sys.version_info[:2])) in PYTHONS


@pytest.mark.parametrize("version", sorted(PYTHONS))
async def test_a_worker_in_a_bare_environment(
    version: str, wheel: Path, tmp_path: Path
) -> None:
    """Install, make a key, serve, ping, and answer a signed dispatch."""
    folder = tmp_path / "bare"
    await _run("bash", "-euc", INSTALL, "-", str(folder), PYTHONS[version], str(wheel))
    python, caesar = str(folder / "bin" / "python"), str(folder / "bin" / "caesar")
    assert await _run(caesar, "--version") == f"caesar {VERSION}\n"
    found = await _run(
        python,
        "-c",
        "import importlib.util as u, sys; print(u.find_spec('homeassistant'),"
        " '%d.%d' % sys.version_info[:2])",
    )
    assert found == f"None {version}\n"
    made = await _run(
        *(caesar, "legion", "new-worker", "--name", "attic", "--dir", str(tmp_path)),
        *("--ha-key", HOME.public_key),
    )
    assert "The worker attic has a key pair now." in made
    settings = str(tmp_path / "attic.env")
    key = (await _run(caesar, "legion", "keys", "--env", settings)).strip()
    running = await asyncio.create_subprocess_exec(
        *(caesar, "legion", "serve-tool", "calculator", "--env", settings),
        *("--host", "127.0.0.1", "--port", "0", "--no-announce"),
        stderr=PIPE,
        env=BASE,
    )
    try:
        said = await line_of(running.stderr, "attic serves calculator on")
        url = f"http://127.0.0.1:{said.split()[-1]}"
        pinged = await _run(
            caesar, "legion", "ping", url, "--key", key, "--env", settings
        )
        assert pinged.startswith(f"attic, version {VERSION}, answers in")
        async with aiohttp.ClientSession() as session:
            reply = await HttpWorkerClient(session, HOME).dispatch(
                WorkerAddress(url=url, public_key=key),
                DispatchRequest(
                    task_id=secrets.token_hex(16),
                    tool="calculator",
                    input={"expression": "6 * 7"},
                    decision_id="d",
                    deadline_ms=5_000,
                ),
                max_reply_bytes=9_999,
            )
        assert reply.success, reply.error
        assert "42" in json.dumps(reply.result)
        running.send_signal(signal.SIGTERM)
        assert (await ended(running))[0] == 0
    finally:
        if running.returncode is None:
            running.kill()
            await running.communicate()


async def _run(*command: str) -> str:
    """Run a command to its end; return what it wrote to stdout."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=PIPE, stderr=PIPE, cwd=ROOT, env=ENVIRONMENT
    )
    code, out, err = await ended(process, 120)
    assert code == 0, err
    return out
