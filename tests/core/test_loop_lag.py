"""Whose fault a lag is, by what the proof of the slow disk reads from the kernel."""

from dataclasses import replace

import pytest

from proofs.crash_parts.loop_lag import Lag, LagReport, Wakes, lag_of

MS = 1_000_000
DUE = 10 * MS

# Asleep since 9 ms, woken at 10, handled at once.
IN_TIME = Wakes(
    now=DUE,
    now_queued=0,
    begun=9 * MS,
    begun_queued=0,
    ended=DUE,
    ended_queued=0,
    before_queued=0,
)


def _lag(others: int = 0, **changed: int) -> Lag:
    return lag_of(DUE, replace(IN_TIME, **changed), others * MS)


def test_in_time() -> None:
    """No lag is nobody's."""
    assert _lag() == Lag(whole=0, own=0)


def test_woken_late_is_the_machines() -> None:
    """The thread slept in the kernel all the while."""
    assert _lag(ended=14 * MS, now=14 * MS) == Lag(whole=4, own=0)


def test_work_after_the_wake_is_the_programs() -> None:
    """Waiting for the interpreter's lock is no different."""
    assert _lag(ended=11 * MS, now=14 * MS) == Lag(whole=4, own=3)


def test_work_that_went_on_past_the_time_is_the_programs() -> None:
    """The loop came to wait for events only after the timer had fired."""
    assert _lag(begun=13 * MS, ended=13 * MS, now=13 * MS) == Lag(whole=3, own=3)


def test_standing_in_line_is_the_machines() -> None:
    """After the wake, or in the stretch of work that the timer had to wait for."""
    after = _lag(now=14 * MS, now_queued=3 * MS)
    assert after == Lag(whole=4, own=1)
    in_stretch = _lag(
        before_queued=5 * MS,
        begun=13 * MS,
        begun_queued=7 * MS,
        ended=13 * MS,
        ended_queued=7 * MS,
        now=13 * MS,
        now_queued=7 * MS,
    )
    assert in_stretch == Lag(whole=3, own=1)


def test_what_stood_in_line_before_it_slept_excuses_nothing() -> None:
    """It was over when the timer fired."""
    earlier = {"begun_queued": 9 * MS, "ended_queued": 9 * MS, "now_queued": 9 * MS}
    assert _lag(now=13 * MS, **earlier) == Lag(whole=3, own=3)


@pytest.mark.parametrize("ended", [10, 13])
def test_a_core_that_its_own_threads_had_is_the_programs(ended: int) -> None:
    """So far as they ran at all; in line at the wake or after it."""
    queued = {"now_queued": 3 * MS, "ended_queued": (ended - 10) * MS}
    at = {"ended": ended * MS, "now": 13 * MS}
    assert _lag(others=2, **at, **queued) == Lag(whole=3, own=2)
    assert _lag(others=9, **at, **queued) == Lag(whole=3, own=3)


def test_the_report_is_of_the_worst() -> None:
    """One bad lag in a thousand is not averaged away."""
    report = LagReport.of([(0.1, 0.1)] * 998 + [(3.0, 2.5), (4.0, 0.5)])
    assert (report.worst, report.own, report.machine) == (4.0, 2.5, 3.5)
    assert report.p99 == report.own_p99 == 0.1
