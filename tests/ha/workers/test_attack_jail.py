"""What the process of the local worker could get at: looked at from within."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
import json
import os
from pathlib import Path
import subprocess
import sys

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters import worker_launch
from custom_components.caesar.adapters.worker_process import WorkerProcess
from custom_components.caesar.legion.keys import Identity

pytestmark = pytest.mark.usefixtures("socket_enabled")


def test_certificates_and_backups_are_hidden_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home Assistant's container has more folders than the configuration."""
    assert {"/ssl", "/backup", "/share", "/addons"} <= set(worker_launch._OF_THE_HOUSE)
    ssl, gone = tmp_path / "ssl", tmp_path / "backup"
    ssl.mkdir()
    monkeypatch.setattr(worker_launch, "_OF_THE_HOUSE", (str(ssl), str(gone)))
    hidden = worker_launch._walls(tmp_path / "config", [])["hide"]
    assert hidden == [str(tmp_path / "config"), str(ssl)]


async def test_it_inherits_nothing_and_can_not_be_read(hass: HomeAssistant) -> None:
    """No file and no socket of Home Assistant's; its settings are its own."""
    secret = Path(hass.config.path("secret.db"))
    await hass.async_add_executor_job(secret.write_text, "rows")
    file = await hass.async_add_executor_job(secret.open)
    os.set_inheritable(file.fileno(), True)
    listening = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    process = await WorkerProcess.start(
        hass,
        ("calculator",),
        {"CAESAR_TOOLS__X__TOKEN": "s3cret"},
        Identity.generate().public_key,
    )
    try:
        seen = await hass.async_add_executor_job(_look, process.pid)
    finally:
        await process.stop()
        listening.close()
        file.close()
        await hass.async_add_executor_job(secret.unlink)
    # Libraries keep themselves open; nothing else has a name.
    assert [each for each in seen.files if ".so" not in each] == []
    assert len(seen.sockets & seen.ours) == 0
    assert "s3cret" not in seen.command
    assert seen.owner_of_environment == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What /proc shows of a process beside this one."""

    files: list[str]
    sockets: set[str]
    ours: set[str]
    command: str
    owner_of_environment: int


def _look(pid: int) -> _Seen:
    theirs, ours = _open_in(str(pid)), _open_in("self")
    return _Seen(
        files=[link for link in theirs if link.startswith("/") and link != "/dev/null"],
        sockets={link for link in theirs if link.startswith("socket:")},
        ours={link for link in ours if link.startswith("socket:")},
        command=Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8"),
        owner_of_environment=Path(f"/proc/{pid}/environ").stat().st_uid,
    )


def _open_in(process: str) -> list[str]:
    """Return what the descriptors of a process lead to."""
    links = []
    for each in Path(f"/proc/{process}/fd").iterdir():
        # The one of this very listing is gone by now.
        with suppress(FileNotFoundError):
            links.append(str(each.readlink()))
    return links


def test_nobody_stays_nobody() -> None:
    """A setuid program gives no right back, and nothing of root's is left."""
    order = {
        "hide": [],
        "show": [],
        "secret": [],
        "run": [
            "/bin/sh",
            "-c",
            "grep -E '^(NoNewPrivs|Cap(Eff|Prm))' /proc/self/status",
        ],
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(worker_launch.JAIL), json.dumps(order)],
        env={"PATH": "/usr/bin:/bin"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    if os.geteuid() != 0:
        assert done.returncode != 0
        return
    said = dict(line.split(":\t") for line in done.stdout.splitlines())
    assert said == {
        "CapPrm": "0000000000000000",
        "CapEff": "0000000000000000",
        "NoNewPrivs": "1",
    }
