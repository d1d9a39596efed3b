"""The pure rooms do no I/O, do not sleep and do not look at a clock.

They are judged by what is named, called or not: a clock that is handed on as a default
is a clock.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from . import Problem
from ._rooms import is_pure
from ._syntax import Source, imports, sources
from .layers import OURS

MODULES: Final = frozenset(
    {
        "_socket",
        "_sqlite3",
        "_thread",
        "aiohttp",
        "ctypes",
        "fileinput",
        "ftplib",
        "glob",
        "http",
        "httpx",
        "io",
        "mmap",
        "multiprocessing",
        "os",
        "pathlib",
        "requests",
        "select",
        "selectors",
        "shutil",
        "signal",
        "smtplib",
        "socket",
        "sqlite3",
        "ssl",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "urllib.request",
    }
)
NAMES: Final = frozenset(
    {
        "asyncio.create_subprocess_exec",
        "asyncio.create_subprocess_shell",
        "asyncio.open_connection",
        "asyncio.open_unix_connection",
        "asyncio.sleep",
        "asyncio.start_server",
        "asyncio.to_thread",
        "breakpoint",
        "builtins.open",
        "datetime.date.today",
        "datetime.datetime.now",
        "datetime.datetime.today",
        "datetime.datetime.utcnow",
        "input",
        "open",
        "print",
        "time.clock_gettime",
        "time.gmtime",
        "time.localtime",
        "time.monotonic",
        "time.monotonic_ns",
        "time.perf_counter",
        "time.perf_counter_ns",
        "time.process_time",
        "time.sleep",
        "time.strftime",
        "time.time",
        "time.time_ns",
    }
)
ATTRIBUTES: Final = frozenset(
    {
        "create_connection",
        "read_bytes",
        "read_text",
        "run_in_executor",
        "sock_connect",
        "write_bytes",
        "write_text",
    }
)


def check(root: Path) -> list[Problem]:
    """Return what the pure rooms do to the world, or ask of it."""
    return [
        source.problem(node, f"a pure room must not use {name}")
        for source in sources(root)
        if is_pure(source.module.removeprefix(f"{OURS}."))
        for node, name in _uses(source)
    ]


def _uses(source: Source) -> Iterator[tuple[ast.AST, str]]:
    for node, name in imports(source):
        if name in NAMES:
            yield node, name
        parts = name.split(".")
        for length in range(1, len(parts) + 1):
            if ".".join(parts[:length]) in MODULES:
                yield node, ".".join(parts[:length])
                break
    for node in ast.walk(source.tree):
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            continue
        name = source.dotted(node) or ""
        if name in NAMES or (
            name.rpartition(".")[2] in ATTRIBUTES and not isinstance(node, ast.Name)
        ):
            yield node, name
