"""Run as root by its path, it becomes nobody and then another program.

usage: python -I -S worker_jail.py JSON

The JSON says which folders to hide, which to show again, which hold secrets, and what
to run. It imports nothing of ours and handles nothing from outside, for until its last
line it is root.
"""

from collections.abc import Iterable
import ctypes
import json
import os
from pathlib import Path
import resource
import stat
import sys
from typing import Final

NOBODY: Final = 65534
_NO_NAMESPACE: Final = 71
# From <sys/prctl.h>.
_NO_NEW_PRIVS: Final = 38
# From <sys/mount.h>.
_NOSUID: Final = 2
_NODEV: Final = 4
_BIND: Final = 4096
_REC: Final = 16384
_PRIVATE: Final = 262144


def main(order: dict[str, list[str]]) -> None:
    """Hide, drop every right, run. Exits with 71 if there can be no wall."""
    try:
        _wall_in(order["hide"], order["show"])
    except OSError as err:
        # Where a container may not do it, the files' own modes have to do.
        if order["show"]:
            sys.stderr.write(f"The interpreter can't be shown to nobody: {err}\n")
            sys.exit(_NO_NAMESPACE)
        if any(map(_is_open, order["secret"])):
            sys.stderr.write(
                "Home Assistant's settings can't be hidden from it here. Allow the"
                " container CAP_SYS_ADMIN, or keep the folder .storage to root with"
                f" chmod 700: {err}\n"
            )
            sys.exit(_NO_NAMESPACE)
    # A core file would hold the settings.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir("/")
    os.umask(0o077)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    # No setuid program may give any right back.
    if ctypes.CDLL(None).prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        sys.exit(_NO_NAMESPACE)
    command = order["run"]
    os.execve(command[0], command, dict(os.environ))


def _is_open(folder: str) -> bool:
    """Return whether others may look into a folder, by the modes on the way to it."""
    way = [Path(folder), *Path(folder).parents]
    return all(step.exists() and step.stat().st_mode & stat.S_IXOTH for step in way)


def _wall_in(hide: Iterable[str], show: Iterable[str]) -> None:
    """Put an empty folder over each of `hide`, in this process's view only.

    Of what was below them, `show` is there again under its own path.
    """
    os.unshare(os.CLONE_NEWNS)
    _mount("none", "/", _REC | _PRIVATE)
    kept = {folder: os.open(folder, os.O_PATH | os.O_DIRECTORY) for folder in show}
    for folder in hide:
        _mount("tmpfs", folder, _NOSUID | _NODEV, "tmpfs", "mode=755,size=64k")
    for folder, opened in kept.items():
        # Its parents are as empty as what hides them.
        Path(folder).mkdir(parents=True, exist_ok=True)
        _mount(f"/proc/self/fd/{opened}", folder, _BIND | _REC)
        os.close(opened)


def _mount(
    source: str, target: str, flags: int, kind: str = "", options: str = ""
) -> None:
    """Call mount(2), which Python has no function for. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [text.encode() or None for text in (source, target, kind, options)]
    if libc.mount(*arguments[:3], ctypes.c_ulong(flags), arguments[3]) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), target)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
