"""Raises when our code blocks the event loop: files, sqlite3, DNS, processes.

Home Assistant's own guard does not see sqlite3, DNS or processes, and in tests it
lets files pass. This one follows Python's audit events
(https://docs.python.org/3/library/audit_events.html).
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
import sys
import threading
from types import FrameType
from typing import Any, Final

EVENTS: Final = frozenset(
    {
        "open",
        "os.listdir",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.scandir",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "sqlite3.connect",
        "subprocess.Popen",
    }
)
OURS: Final = str(Path(__file__).parent.parent.parent / "custom_components" / "caesar")
# A traceback in the log, and measuring coverage, read source files.
EXCUSED: Final = frozenset({"linecache.py", "traceback.py", "sysmon.py"})


class BlockedLoop(AssertionError):
    """Our code did on the event loop what belongs into an executor."""


class _Guard:
    """The one audit hook of the process; hooks can't be taken back."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._thread: int | None = None
        self._installed = False

    def arm(self) -> None:
        if not self._installed:
            sys.addaudithook(self._hook)
            self._installed = True
        self.found.clear()
        self._thread = threading.get_ident()

    def disarm(self) -> None:
        self._thread = None

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if (
            event not in EVENTS
            or threading.get_ident() != self._thread
            or not _is_ours(sys._getframe())
        ):
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        what = f"{event} {arguments[:1]!r} on the event loop"
        self.found.append(what)
        raise BlockedLoop(what)


_GUARD: Final = _Guard()


@contextmanager
def loop_guard() -> Iterator[list[str]]:
    """Guard this thread's loop; yields what was found and fails at the end."""
    _GUARD.arm()
    try:
        yield _GUARD.found
    finally:
        _GUARD.disarm()
    if _GUARD.found:
        raise BlockedLoop("; ".join(_GUARD.found))


def _is_ours(frame: FrameType | None) -> bool:
    ours = False
    while frame is not None:
        name = frame.f_code.co_filename
        if name.rpartition("/")[2] in EXCUSED:
            return False
        ours = ours or name.startswith(OURS)
        frame = frame.f_back
    return ours
