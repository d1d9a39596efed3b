"""Looks at processes from outside, through /proc."""

from pathlib import Path
import time

_KEY = b"CAESAR_LEGION__HA_PUBLIC_KEY="


def of_house(public_key: str) -> list[int]:
    """Return the ids of all processes that trust this house's key."""
    wanted = _KEY + public_key.encode()
    return [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and wanted in _environ(folder)
    ]


def names_in_environment(pid: int) -> set[str]:
    """Return the names of a process's variables."""
    entries = _environ(Path("/proc") / str(pid))
    return {entry.partition(b"=")[0].decode() for entry in entries if entry}


def status(pid: int) -> dict[str, str]:
    """Return the fields of /proc/PID/status."""
    text = (Path("/proc") / str(pid) / "status").read_text()
    return {
        key: value.strip()
        for key, _, value in (line.partition(":") for line in text.splitlines())
    }


def gone(public_key: str, seconds: float) -> bool:
    """Return whether no process of a house is left within so many seconds."""
    until = time.monotonic() + seconds
    while of_house(public_key):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _environ(folder: Path) -> list[bytes]:
    try:
        return (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
