"""How the local worker's process is started: as whom, from which files, with what.

Where Home Assistant is root, the process is nobody (uid and gid 65534), runs from a
copy of its code, and sees neither the configuration folder nor root's home. Everything
here blocks; it runs in an executor.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
import json
import os
from pathlib import Path
import shutil
import stat
import sys
import tempfile
from typing import Final

LEGION: Final = Path(__file__).resolve().parent.parent / "legion"
JAIL: Final = Path(__file__).resolve().with_name("worker_jail.py")
BOOT: Final = "boot.py"
_PREFIX: Final = "caesar-worker-"
# The copies that this process made and has not removed.
_COPIES: Final[set[Path]] = set()
_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_LANG: Final = "C.UTF-8"
# What Home Assistant's containers hold beside the configuration: certificates, backups,
# the folders of add-ons, whatever else a person keeps there.
_OF_THE_HOUSE: Final = (
    "/addon_configs",
    "/addons",
    "/backup",
    "/media",
    "/share",
    "/ssl",
)
# Where packages lie; Home Assistant's own path also holds the configuration folder.
_PACKAGES: Final = frozenset({"deps", "dist-packages", "site-packages"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A command that starts the process, and the folder to remove afterwards."""

    command: tuple[str, ...]
    copy: Path | None = None

    def clean_up(self) -> None:
        """Remove the copy of the code."""
        if self.copy is not None:
            _remove(self.copy)


def prepare(config: Path) -> Launch:
    """Return how to start the process; `config` is what it must not see.

    Raises OSError.
    """
    packages = [
        path
        for path in dict.fromkeys(sys.path)
        if Path(path).is_absolute() and Path(path).name in _PACKAGES
    ]
    paths = [argument for path in packages for argument in ("--path", path)]
    if os.geteuid() != 0:
        command = (sys.executable, "-I", str(LEGION / BOOT), *paths, "local")
        return Launch(command=command)
    copy = _copy()
    run = [sys.executable, "-I", str(copy / LEGION.name / BOOT), *paths, "local"]
    needed = [Path(sys.base_prefix), Path(sys.prefix), *map(Path, packages), copy]
    secret = [str(config.resolve() / ".storage")]
    order = {"run": run, "secret": secret, **_walls(config, needed)}
    command = (sys.executable, "-I", "-S", str(JAIL), json.dumps(order))
    return Launch(command=command, copy=copy)


def environment(time_zone: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of the process: nothing of ours is inherited.

    Home Assistant's own may hold the Supervisor's token and anybody's secrets.
    """
    return {"PATH": _PATH, "LANG": _LANG, "TZ": time_zone, **settings}


def _walls(config: Path, needed: Iterable[Path]) -> dict[str, list[str]]:
    """Return the folders to hide and those to show again, none inside another."""
    hide = {config.resolve(), *filter(Path.is_dir, map(Path, _OF_THE_HOUSE))}
    show = set()
    for folder in needed:
        closed = _closed_above(folder)
        if closed is not None:
            hide.add(closed)
        if any(folder.is_relative_to(hidden) for hidden in hide):
            show.add(folder)
    return {"hide": _outermost(hide), "show": _outermost(show)}


def _outermost(folders: set[Path]) -> list[str]:
    return sorted(
        str(folder) for folder in folders if folders.isdisjoint(folder.parents)
    )


def _closed_above(folder: Path) -> Path | None:
    """Return the first folder on the way to `folder` that others may not enter."""
    for parent in (*reversed(folder.parents), folder):
        if not parent.stat().st_mode & stat.S_IXOTH:
            return parent
    return None


def _copy() -> Path:
    """Return a folder with a copy of the code that anybody can read."""
    _tidy()
    copy = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    _COPIES.add(copy)
    try:
        code = shutil.copytree(LEGION, copy / LEGION.name)
        for folder, _, files in os.walk(code):
            Path(folder).chmod(0o755)
            for name in files:
                (Path(folder) / name).chmod(0o644)
        copy.chmod(0o755)
    except OSError:
        _remove(copy)
        raise
    return copy


def _tidy() -> None:
    """Remove the copies that a killed Home Assistant left behind.

    Their names hold its process id, which may be ours by now.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        pid = left.name.removeprefix(_PREFIX).partition("-")[0]
        there = pid != str(os.getpid()) and (Path("/proc") / pid).exists()
        info = left.lstat()
        if not there and left not in _COPIES and info.st_uid == os.geteuid():
            _remove(left)


def _remove(copy: Path) -> None:
    shutil.rmtree(copy, ignore_errors=True)
    _COPIES.discard(copy)
