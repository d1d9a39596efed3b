"""The inside of a killable child (see child.py): limits, the function, its answer.

It loads little, no asyncio above all, for it is started for every piece of work.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
import math
import os
import resource
import signal
import sys
from typing import Final

FAILED: Final = 3
MAX_ERROR_CHARACTERS: Final = 400


def main(arguments: Sequence[str]) -> int:
    """Run `module:function` with so much time and memory on what stdin holds."""
    path, timeout_s, memory_bytes = arguments
    # What the function prints must not become part of the answer.
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)
        try:
            function = _function(path)
            _limit(float(timeout_s), int(memory_bytes))
            answer.write(function(sys.stdin.buffer.read()))
            answer.flush()
        except Exception as error:  # noqa: BLE001 the parent is told of every kind
            words = " ".join(str(error).split())
            text = f"{type(error).__name__}: {words}"[:MAX_ERROR_CHARACTERS]
            os.write(2, b"\n" + text.encode(errors="replace"))
            return FAILED
    return 0


def _function(path: str) -> Callable[[bytes], bytes]:
    module, _, name = path.partition(":")
    function: Callable[[bytes], bytes] = getattr(
        import_module(f".{module}", __package__), name
    )
    return function


def _limit(timeout_s: float, memory_bytes: int) -> None:
    """Bound what this process can do, so that it ends even if its parent is gone."""
    signal.setitimer(signal.ITIMER_REAL, timeout_s + 1)
    for kind, value in (
        (resource.RLIMIT_CPU, math.ceil(timeout_s) + 1),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
    ):
        resource.setrlimit(kind, (value, value))
