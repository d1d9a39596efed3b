"""What runs in a killable child ends, whatever it does, and says why."""

import asyncio
from pathlib import Path
import shutil
import signal
import sys
import time

import pytest

from custom_components.caesar.legion import child
from custom_components.caesar.legion.child import (
    ChildFailed,
    ChildTimeout,
    run_killable,
)

from .workers import until

MEMORY = 256 * 1024 * 1024
# Functions as a tool has them, good and bad.
PROBE = """
import os, sys, time

def upper(data): return data.upper()
def chatty(data):
    print("a word on the side", flush=True)
    return data
def environment(data): return repr((sorted(os.environ), os.getcwd())).encode()
def spin(data):
    while True: pass
def sleep(data):
    time.sleep(60)
def memory(data): return bytes(10**9)[:1]
def deep(data): return deep(data)
def large(data): return bytes(int(data))
def raises(data): raise LookupError("no " + "such  thing\\n" * 200)
def files(data): return open(data.decode(), "wb", 0).write(b"x")
def deaf(data): os._exit(7)
def loud(data): sys.stderr.write("x" * 200_000); return b""
"""


@pytest.fixture(autouse=True)
def legion_with_probe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start children from a copy of the package that has these functions too."""
    folder = tmp_path / "legion"
    shutil.copytree(
        child.BOOT_FILE.parent, folder, ignore=shutil.ignore_patterns("tools")
    )
    (folder / "probe.py").write_text(PROBE, encoding="utf-8")
    monkeypatch.setattr(child, "BOOT_FILE", folder / "boot.py")


async def run(name: str, argument: bytes = b"", timeout_s: float = 10) -> bytes:
    """Run one of the functions."""
    return await run_killable(
        f"probe:{name}", argument, timeout_s=timeout_s, memory_bytes=MEMORY
    )


async def test_bytes_go_in_and_bytes_come_out() -> None:
    """More than a pipe holds, both ways."""
    assert await run("upper", b"ab" * 500_000) == b"AB" * 500_000


async def test_what_is_printed_is_no_part_of_the_answer() -> None:
    """A library that greets must not spoil what is read."""
    assert await run("chatty", b"data") == b"data"


async def test_the_child_gets_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """It works on hostile input, so it holds no secret."""
    monkeypatch.setenv("CAESAR_TOOLS__CALENDAR__PASSWORD", "s3cret")
    monkeypatch.setenv("SUPERVISOR_TOKEN", "s3cret")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    names, folder = eval(await run("environment"))  # noqa: S307 the test's own list
    assert "TZ" in names
    assert set(names) <= {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ"}
    assert folder == "/"


@pytest.mark.parametrize("name", ["spin", "sleep"])
async def test_what_takes_too_long_is_killed(name: str) -> None:
    """Whether it computes or waits; and it is gone when the call returns."""
    began = time.monotonic()
    with pytest.raises(ChildTimeout, match=f"probe:{name} took more than 0.5 s"):
        await run(name, timeout_s=0.5)
    assert time.monotonic() - began < 3


async def test_who_is_not_wanted_any_more_is_killed_too(tmp_path: Path) -> None:
    """A cancelled task leaves no process."""
    task = asyncio.create_task(run("sleep"))
    await until(lambda: bool(_children(tmp_path)))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert _children(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [("memory", "MemoryError"), ("deep", "RecursionError"), ("deaf", "ChildDied")],
)
async def test_a_child_that_breaks_says_how(name: str, kind: str) -> None:
    """The bound on memory is its address space."""
    with pytest.raises(ChildFailed) as caught:
        await run(name, b"x" * 1_000_000)
    assert caught.value.kind == kind


async def test_an_error_is_passed_on_in_few_words() -> None:
    """One line, without control characters, bounded."""
    with pytest.raises(ChildFailed) as caught:
        await run("raises")
    assert caught.value.kind == "LookupError"
    assert caught.value.message.startswith("no such thing such thing")
    assert len(caught.value.message) <= 400


@pytest.mark.parametrize("name", ["large", "loud"])
async def test_a_flood_is_cut_off(name: str) -> None:
    """Neither the answer nor the words may fill our memory."""
    with pytest.raises(ChildFailed) as caught:
        await run(name, b"9000000")
    assert caught.value.kind == "TooLarge"


async def test_a_child_writes_no_file(tmp_path: Path) -> None:
    """Whoever takes it over can't leave anything behind."""
    file = tmp_path / "left"
    with pytest.raises(ChildFailed) as caught:
        await run("files", str(file).encode())
    assert caught.value.kind == "OSError"
    assert file.read_bytes() == b""


async def test_an_unknown_function_is_a_failure_like_others() -> None:
    """No hang, no empty answer."""
    with pytest.raises(ChildFailed) as caught:
        await run("nothing")
    assert caught.value.kind == "AttributeError"


async def test_a_child_outlives_its_parent_by_its_time_only(tmp_path: Path) -> None:
    """Its own alarm ends it: a parent that was killed can't."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(child.BOOT_FILE),
        "child",
        "probe:sleep",
        "0.2",
        str(MEMORY),
        stdin=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(10):
        assert await process.wait() == -signal.SIGALRM
    assert _children(tmp_path) == []


def _children(tmp_path: Path) -> list[str]:
    """Return the ids of the processes that run this test's copy of the boot file."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(tmp_path / "legion").encode() in command:
                found.append(entry.name)
    return found
