"""Runs the other engines in an environment that is thrown away afterwards."""

from collections.abc import Iterator, Sequence
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Final

PACKAGES: Final = ("cedarpy==4.12.2", "pycasbin==2.8.0")
INSTALL_S: Final = 180
RUN_S: Final = 600


class NoPeersError(Exception):
    """The other engines could not be installed."""


def figures_of_peers(counts: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Yield what engines.py measures; raises NoPeersError without the packages."""
    with tempfile.TemporaryDirectory() as folder:
        python = _environment(Path(folder, "peers"))
        ran = subprocess.run(
            [str(python), str(Path(__file__).with_name("engines.py"))]
            + [str(count) for count in counts],
            capture_output=True,
            check=True,
            text=True,
            timeout=RUN_S,
        )
    for line in ran.stdout.splitlines():
        yield json.loads(line)


def _environment(folder: Path) -> Path:
    """Make an environment with the packages; return its Python."""
    python = folder / "bin" / "python"
    if uv := _uv():
        steps = [
            [uv, "venv", "--quiet", "--python", sys.executable, str(folder)],
            [uv, "pip", "install", "--quiet", "--python", str(python), *PACKAGES],
        ]
    else:
        steps = [
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "--quiet", *PACKAGES],
        ]
    for step in steps:
        try:
            subprocess.run(
                step,
                capture_output=True,
                check=True,
                text=True,
                timeout=INSTALL_S,
                env={"UV_SYSTEM_CERTS": "true", **os.environ},
            )
        except subprocess.CalledProcessError as err:
            raise NoPeersError(err.stderr.strip().splitlines()[-1:]) from err
        except subprocess.TimeoutExpired as err:
            raise NoPeersError(f"no answer within {INSTALL_S} s") from err
    return python


def _uv() -> str | None:
    """Return uv: the one on PATH, or the one that script/setup keeps."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    own = Path(cache, "caesar", "uv", "bin", "uv")
    return shutil.which("uv") or (str(own) if own.exists() else None)
