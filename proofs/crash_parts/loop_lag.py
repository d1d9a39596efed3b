"""How late a loop is, and how much of that is the program's own doing.

A timer of the kernel fires every half millisecond, and the loop's answer to it is
timed. Of that lag the machine causes two parts, both told by the kernel and not
guessed: that the sleeping thread is woken late (a host that is slow to deliver a
virtual machine's timer; seen by `loop_wakes.c` before the interpreter takes its lock), and that the
awake thread stands in line for a core (`schedstat`). All else is the program's: work on
the loop, collected garbage, waiting for the interpreter's lock, and a core that other
threads of the same process kept from the loop.
"""

from array import array
import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
import ctypes
from dataclasses import dataclass
import gc
import os
from pathlib import Path
import subprocess
import sys
import time
from typing import Self

SOURCE = Path(__file__).with_name("loop_wakes.c")
# A hold of the loop shows as a lag that is shorter by up to this much.
_TICK_NS = 500_000
_MS = 1e-6


class _Moment(ctypes.Structure):
    _fields_ = (("at", ctypes.c_longlong), ("queued", ctypes.c_longlong))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wakes:
    """What the preloaded library knows of this thread, in nanoseconds.

    Times are monotonic; `queued` is how long the thread has stood in line so far.
    `begun` and `ended` are the loop's newest wait for events, `before` the end of the
    one before it.
    """

    now: int
    now_queued: int
    begun: int
    begun_queued: int
    ended: int
    ended_queued: int
    before_queued: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lag:
    """How late the loop was, in ms: in all, and without the machine's part."""

    whole: float
    own: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LagReport:
    """The worst and the 99th percentile of many lags, and the program's worst."""

    worst: float
    p99: float
    own: float
    own_p99: float
    machine: float

    @classmethod
    def of(cls, lags: Sequence[Sequence[float]]) -> Self:
        """Take pairs of whole lag and own part, in ms."""
        whole = sorted(lag for lag, _ in lags)
        own = sorted(own for _, own in lags)
        rare = int(len(lags) * 0.99)
        return cls(
            worst=whole[-1],
            p99=whole[rare],
            own=own[-1],
            own_p99=own[rare],
            machine=max(lag - own for lag, own in lags),
        )

    def __str__(self) -> str:
        """Say it in a line."""
        return (
            f"most {self.worst:.2f} ms, p99 {self.p99:.2f}; the program's own most "
            f"{self.own:.2f}, p99 {self.own_p99:.2f}; the machine's most "
            f"{self.machine:.2f}"
        )


def library_in(folder: Path) -> Path:
    """Compile what is to be preloaded."""
    library = folder / "loop_wakes.so"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O2", "-o", library, SOURCE], check=True
    )
    return library


def lag_of(due: int, wakes: Wakes, others: int) -> Lag:
    """Return the lag of a timer that was due at `due`, handled at `wakes.now`.

    `others` is the time that the process's other threads ran since it was set; so much
    of the standing in line is taken to be their doing. In nanoseconds.
    """
    asleep = wakes.ended - max(due, wakes.begun)
    in_line = min(asleep, wakes.ended_queued - wakes.begun_queued)
    woken_late = asleep - in_line
    in_line += wakes.now_queued - wakes.ended_queued
    if due < wakes.begun:
        # The loop was still busy when the timer fired, and so long with this.
        in_line += wakes.begun_queued - wakes.before_queued
    machine = woken_late + max(in_line - others, 0)
    whole = wakes.now - due
    return Lag(whole=whole * _MS, own=max(whole - machine, 0) * _MS)


async def lags_during(work: Awaitable[object]) -> list[tuple[float, float]]:
    """Return a timer's lags and the program's part of each, in ms, during `work`."""
    loop = asyncio.get_running_loop()
    timer = os.timerfd_create(time.CLOCK_MONOTONIC, flags=os.TFD_NONBLOCK)
    read = _Reader()
    # No objects that would be garbage to collect, which would be lag of our making.
    lags = array("d")
    due = time.monotonic_ns() + _TICK_NS
    others = _others()

    def handle() -> None:
        nonlocal due, others
        wakes = read()
        fired = int.from_bytes(os.read(timer, 8), sys.byteorder)
        ran = _others()
        lag = lag_of(due, wakes, max(ran - others, 0))
        lags.extend((lag.whole, lag.own))
        due += fired * _TICK_NS
        others = ran

    # It goes on by itself: were it set anew after each answer, what keeps the loop
    # between the two would not be seen.
    os.timerfd_settime_ns(
        timer, flags=os.TFD_TIMER_ABSTIME, initial=due, interval=_TICK_NS
    )
    loop.add_reader(timer, handle)
    try:
        await work
    finally:
        loop.remove_reader(timer)
        os.close(timer)
    return list(zip(lags[::2], lags[1::2], strict=True))


def counts_standing_in_line() -> bool:
    """Return whether this kernel tells how long a thread stood in line."""
    try:
        return any(map(int, Path("/proc/self/schedstat").read_text().split()[:2]))
    except OSError, ValueError:
        return False


@contextmanager
def pauses() -> Iterator[list[float]]:
    """Collect how long each collection of garbage took, in ms."""
    taken: list[float] = []
    began = 0

    def told(phase: str, _: dict[str, int]) -> None:
        nonlocal began
        if phase == "start":
            began = time.perf_counter_ns()
        else:
            taken.append((time.perf_counter_ns() - began) * _MS)

    gc.callbacks.append(told)
    try:
        yield taken
    finally:
        gc.callbacks.remove(told)


def _others() -> int:
    """Return how long the process's other threads have run."""
    return time.process_time_ns() - time.thread_time_ns()


class _Reader:
    """Asks the preloaded library; without giving the interpreter's lock away."""

    def __init__(self) -> None:
        self._ask = ctypes.PyDLL(None).loop_wakes
        self._moments = (_Moment * 4)()

    def __call__(self) -> Wakes:
        self._ask(self._moments)
        now, begun, ended, before = self._moments
        if not ended.at:
            raise RuntimeError("this Python's waits can't be seen")
        return Wakes(
            now=now.at,
            now_queued=now.queued,
            begun=begun.at,
            begun_queued=begun.queued,
            ended=ended.at,
            ended_queued=ended.queued,
            before_queued=before.queued,
        )
