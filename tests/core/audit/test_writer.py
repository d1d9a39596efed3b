"""The writer: order, batches, refusals, and what it does about a broken disk."""

from concurrent.futures import Future
from pathlib import Path
import sqlite3
import threading
from typing import Any

import pytest

from custom_components.caesar.audit.event import AuditEventType, AuditUnavailable
from custom_components.caesar.audit.store import Store
from custom_components.caesar.audit.writer import (
    BACKLOG_SIZE,
    BATCH_SIZE,
    FIRST_RETRY_S,
    HEAD_AFTER_S,
    LAST_RETRY_S,
)

from .house import Trail, denial, outcome, row, running, wait

RUBBISH = b"this is no database, whatever its name says. " * 400


class _Held:
    """Keeps the writer's thread busy until it is let go."""

    def __init__(self, trail: Trail) -> None:
        self._let_go = threading.Event()
        self._begun = threading.Event()
        self.future: Future[Any] = trail.writer.call(self._hold)
        assert self._begun.wait(10)

    def _hold(self, _: Store) -> None:
        self._begun.set()
        assert self._let_go.wait(10)

    def release(self) -> None:
        self._let_go.set()
        wait(self.future)


def _results(trail: Trail) -> list[str]:
    return [
        result
        for (result,) in trail.query("SELECT result FROM audit_trail ORDER BY id")
    ]


def _fill(trail: Trail) -> None:
    """Let the file grow no more, as on a full disk."""
    trail.store.database.connection.execute("PRAGMA max_page_count = 1")


def _empty(trail: Trail) -> None:
    trail.store.database.connection.execute("PRAGMA max_page_count = 1000000")


def test_rows_come_in_the_order_given_and_in_one_commit(trail: Trail) -> None:
    """Rows come in the order given and in one commit."""
    trail.idle()
    commits: list[str] = []
    wait(
        trail.writer.call(
            lambda store: store.database.connection.set_trace_callback(commits.append)
        )
    )
    held = _Held(trail)
    tickets = [
        trail.writer.record(row(decision_id=f"d{number}"), durable=False)
        for number in range(50)
    ]
    held.release()
    assert [wait(ticket.future).seq for ticket in tickets] == list(range(1, 51))
    assert commits.count("COMMIT") == 1
    assert "PRAGMA synchronous = NORMAL" in commits
    commits.clear()
    trail.intend(durable=True)
    assert "PRAGMA synchronous = FULL" in commits


def test_a_full_queue_refuses(tmp_path: Path) -> None:
    """A full queue refuses."""
    with running(tmp_path, queue_size=3) as trail:
        held = _Held(trail)
        tickets = [trail.writer.intend(row(), durable=True) for _ in range(3)]
        with pytest.raises(AuditUnavailable, match="waiting"):
            trail.writer.intend(row(), durable=True)
        held.release()
        assert [wait(ticket.future).seq for ticket in tickets] == [1, 2, 3]


def test_a_closed_trail_refuses(tmp_path: Path) -> None:
    """A closed trail refuses."""
    with running(tmp_path) as trail:
        trail.intend()
    with pytest.raises(AuditUnavailable, match="closed"):
        trail.writer.intend(row(), durable=True)
    assert not any(thread.name == "caesar audit" for thread in threading.enumerate())


def test_a_withdrawn_intent_is_never_written(trail: Trail) -> None:
    """A withdrawn intent is never written."""
    held = _Held(trail)
    ticket = trail.writer.intend(row(), durable=True)
    assert ticket.withdraw()
    held.release()
    assert trail.intend().seq == 1
    assert not ticket.future.done()


def test_an_intent_that_lands_too_late_is_concluded(trail: Trail) -> None:
    """Withdrawn while the disk was already at it: it must not look as if it ran."""
    ticket = trail.writer.intend(row(), durable=True)
    wait(ticket.future)
    assert not ticket.withdraw()
    late = trail.writer.intend(row(), durable=True)
    append = late.work

    def slow(store: Store) -> Any:
        written = append(store)
        assert not late.withdraw()
        return written

    late.work = slow
    held = _Held(trail)
    later = trail.writer.intend(row(), durable=True)
    later_append = later.work

    def slower(store: Store) -> Any:
        assert not later.withdraw()
        return later_append(store)

    later.work = slower
    held.release()
    trail.idle()
    assert _results(trail)[-1] == "audit_unavailable"
    (kind,) = trail.query(
        "SELECT event_type FROM audit_log WHERE intent_seq = ?",
        wait(later.future).seq,
    )
    assert kind == ("service.called",)


def test_an_abandoned_intent_is_concluded(trail: Trail) -> None:
    """An abandoned intent is concluded."""
    seq = trail.intend().seq
    trail.writer.abandon(seq)
    trail.idle()
    assert _results(trail) == ["audit_unavailable"]


def test_a_head_comes_after_a_while(trail: Trail) -> None:
    """A head comes after a while."""
    trail.intend()
    trail.clock.advance(HEAD_AFTER_S - 1)
    trail.idle()
    assert trail.heads == []
    trail.clock.advance(1)
    trail.idle()
    trail.idle()
    assert [head.link.seq for head in trail.heads] == [1]


def test_a_full_disk(trail: Trail) -> None:
    """Refused at once; what was done is kept and written when there is room."""
    done = trail.intend()
    wait(trail.writer.call(lambda _: _fill(trail)))
    big = denial("not_listed") | {"input": {"text": "x" * 15_000}}
    refused = trail.writer.record(row(AuditEventType.POLICY_DENIED, big), durable=False)
    with pytest.raises(AuditUnavailable, match="full"):
        wait(refused.future)
    with pytest.raises(AuditUnavailable, match="full"):
        trail.conclude(done.seq)
    with pytest.raises(AuditUnavailable, match="full"):
        trail.intend()
    assert len(trail.troubles) == 1
    _empty(trail)
    trail.clock.advance(FIRST_RETRY_S)
    assert trail.intend().seq == 4
    assert trail.well == 1
    assert _results(trail) == ["ok", "none", "running"]
    assert trail.verify().ok


def test_it_tries_again_by_itself(trail: Trail) -> None:
    """Without anybody asking, and later and later."""
    trail.idle()
    wait(trail.writer.call(lambda _: _fill(trail)))
    big = row(payload={"text": "x" * 15_000})
    with pytest.raises(AuditUnavailable):
        trail.intend(big)
    for _ in range(10):
        trail.clock.advance(LAST_RETRY_S)
        with pytest.raises(AuditUnavailable):
            trail.intend(big)
    _empty(trail)
    trail.clock.advance(LAST_RETRY_S)
    # Any piece of work wakes the thread: its own timer runs in real seconds.
    trail.idle()
    assert trail.well >= 1
    assert trail.intend().seq >= 1


def test_more_than_can_be_kept_is_counted(trail: Trail) -> None:
    """More than can be kept is counted."""
    trail.idle()
    wait(trail.writer.call(lambda _: _fill(trail)))
    with pytest.raises(AuditUnavailable):
        trail.record(row(AuditEventType.POLICY_DENIED, {"text": "x" * 15_000}))
    for _ in range(BACKLOG_SIZE + 2):
        with pytest.raises(AuditUnavailable):
            trail.record(row(AuditEventType.TOOL_DENIED, {"tool": "x"}))
    _empty(trail)
    trail.clock.advance(FIRST_RETRY_S)
    trail.record()
    (said,) = trail.query(
        "SELECT payload ->> '$.rows' FROM audit_log"
        " WHERE event_type = 'audit.chain_broken'"
    )
    assert said == (3,)
    assert trail.query("SELECT count(*) FROM audit_trail") == [(BACKLOG_SIZE + 1,)]


def test_work_that_raises_harms_nobody_else(trail: Trail) -> None:
    """Work that raises harms nobody else."""

    def bad(_: Store) -> None:
        raise ValueError("bad work")

    with pytest.raises(AuditUnavailable, match="bad work"):
        wait(trail.writer.call(bad))
    ticket = trail.writer.record(row(), durable=False)
    ticket.work = bad
    with pytest.raises(AuditUnavailable, match="bad work"):
        wait(ticket.future)
    assert trail.conclude(trail.intend().seq, outcome()).seq > 0
    assert trail.troubles == []


def test_work_on_a_broken_trail_is_refused(trail: Trail) -> None:
    """Work on a broken trail is refused."""

    def lost(_: Store) -> None:
        raise sqlite3.OperationalError("no such luck")

    with pytest.raises(AuditUnavailable, match="no such luck"):
        wait(trail.writer.call(lost))
    with pytest.raises(AuditUnavailable):
        wait(trail.writer.call(lambda _: None))
    trail.clock.advance(FIRST_RETRY_S)
    trail.idle()
    assert trail.well == 1


def test_more_than_one_batch(trail: Trail) -> None:
    """What waits is written in the order given, however much it is."""
    held = _Held(trail)
    tickets = [trail.writer.record(row(), durable=False) for _ in range(BATCH_SIZE + 9)]
    held.release()
    found = [wait(ticket.future).seq for ticket in tickets]
    assert found == list(range(1, BATCH_SIZE + 10))


def test_a_fault_of_ours_does_not_end_the_thread(
    trail: Trail, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits is refused, and it goes on."""
    trail.pairs(31)
    trail.intend()
    with monkeypatch.context() as patch:
        patch.setattr(trail.store, "sign_head", lambda: 1 // 0)
        with pytest.raises(AuditUnavailable, match="division"):
            trail.intend()
    trail.clock.advance(FIRST_RETRY_S)
    assert trail.intend().seq == 64
    assert len(trail.troubles) == trail.well == 1
    assert trail.verify().ok
