"""What root does before it becomes nobody: real processes, also without its rights."""

from collections.abc import Iterator
import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile

import pytest

from custom_components.caesar.adapters.worker_jail import _is_open
from custom_components.caesar.adapters.worker_launch import JAIL

# Root without the right to mount anything, as in a container of most kinds.
CAGE = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin")


@pytest.fixture
def secrets() -> Iterator[Path]:
    """Return a folder that everybody may look into, as may the way to it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "core.config_entries").write_text("keys")
        yield folder


def jailed(folder: Path, *cage: str) -> subprocess.CompletedProcess[str]:
    """Have nobody say who it is, and list a folder that is to be hidden."""
    look = f"id -u; id -g; id -G; pwd; ls -A {folder}"
    order = {
        "hide": [str(folder)],
        "show": [],
        "secret": [str(folder)],
        "run": ["/bin/sh", "-c", look],
    }
    return subprocess.run(
        [*cage, sys.executable, "-I", "-S", str(JAIL), json.dumps(order)],
        env={"PATH": "/usr/bin:/bin"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def test_nobody_sees_an_empty_folder(secrets: Path) -> None:
    """Whatever the modes of the files in it; who isn't root can't become nobody."""
    done = jailed(secrets)
    if os.geteuid() != 0:
        assert done.returncode != 0
        return
    assert done.stdout.split() == ["65534", "65534", "65534", "/"]
    assert (secrets / "core.config_entries").read_text() == "keys"


def test_without_a_wall_it_does_not_run_before_open_secrets(secrets: Path) -> None:
    """It says what would help; kept to root they need no wall."""
    cage = CAGE if os.geteuid() == 0 else ()
    done = jailed(secrets, *cage)
    assert done.stdout == ""
    assert done.returncode == 71
    assert "chmod 700" in done.stderr
    secrets.chmod(0o700)
    done = jailed(secrets, *cage)
    if os.geteuid() == 0:
        assert done.stdout.split() == ["65534", "65534", "65534", "/"]
    else:
        assert done.returncode != 0


def test_what_is_open_depends_on_the_whole_way(secrets: Path) -> None:
    """One closed folder on the way is enough."""
    inner = secrets / "a" / "b"
    inner.mkdir(parents=True)
    assert _is_open(str(inner))
    inner.parent.chmod(0o700)
    assert not _is_open(str(inner))
    assert not _is_open(str(secrets / "missing"))
