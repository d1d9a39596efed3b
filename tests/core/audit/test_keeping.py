"""Retention, backups and exports: what is kept, and in what state."""

from pathlib import Path
import shutil

import pytest

from custom_components.caesar.audit.backup import begin_backup, end_backup
from custom_components.caesar.audit.chain import Gone, Signer
from custom_components.caesar.audit.event import AuditEventType
from custom_components.caesar.audit.export import export
from custom_components.caesar.audit.reading import reader
from custom_components.caesar.audit.retention import Sweep, count_old, sweep
from custom_components.caesar.audit.verify import verify
from custom_components.caesar.audit.writer import HEAD_AFTER_S

from .house import KEY, NOON, READ, Trail, query, row, running, tamper, wait

DAY = 86_400


def _old_and_new(trail: Trail) -> None:
    for age in (200, 91, 89, 1):
        for _ in range(50):
            trail.intend(row(now=NOON - age * DAY), durable=False)


def _count(trail: Trail) -> int:
    with reader(trail.path) as db:
        return count_old(db, NOON, 90)


def test_old_rows_go_and_the_chain_holds(trail: Trail) -> None:
    """Old rows go and the chain holds."""
    _old_and_new(trail)
    assert _count(trail) == 100
    assert trail.query("SELECT count(*) FROM audit_log") == [(200,)]
    assert wait(trail.writer.call(sweep)) == Sweep(deleted=100)
    assert trail.query("SELECT min(id), max(id) FROM audit_log") == [(101, 201)]
    (said,) = trail.query(
        "SELECT payload ->> '$.deleted', payload ->> '$.retention_days',"
        " payload ->> '$.anchor_seq' FROM audit_log"
        " WHERE event_type = 'memory.retention_sweep'"
    )
    assert said == (100, 90, 100)
    check = trail.verify()
    assert (check.ok, check.begins, check.last) == (True, Gone.RETENTION, 201)
    assert wait(trail.writer.call(sweep)) == Sweep(deleted=0)
    assert _count(trail) == 0


def test_a_long_backlog_goes_in_parts(trail: Trail) -> None:
    """A long backlog goes in parts."""
    _old_and_new(trail)
    parts = [wait(trail.writer.call(lambda store: sweep(store, 90, 40)))]
    while parts[-1].more:
        parts.append(wait(trail.writer.call(lambda store: sweep(store, 90, 40))))
        assert trail.verify().ok
    assert [part.deleted for part in parts] == [40, 40, 20]


def test_everything_is_old(tmp_path: Path) -> None:
    """Everything is old."""
    with running(tmp_path) as trail:
        for _ in range(70):
            trail.intend(row(now=NOON - 99 * DAY), durable=False)
        assert wait(trail.writer.call(sweep)).deleted == 70
        trail.pairs(1)
        assert trail.verify().ok
    with running(tmp_path, outside=trail.heads[-1]) as again:
        again.pairs(40)
        assert again.verify().ok
        assert again.openings[0].gone is None


def test_rows_out_of_order_wait_for_those_before_them(trail: Trail) -> None:
    """A clock that jumped must not tear a hole into the chain."""
    trail.intend(row(now=NOON - 99 * DAY))
    trail.intend(row(now=NOON))
    trail.intend(row(now=NOON - 99 * DAY))
    assert wait(trail.writer.call(sweep)).deleted == 1
    assert trail.verify().ok


def test_a_sweep_does_not_save_a_cut_tail(trail: Trail) -> None:
    """A sweep does not save a cut tail."""
    _old_and_new(trail)
    wait(trail.writer.call(sweep))
    trail.close()
    last = trail.heads[-1]
    assert last.link.seq == 201
    tamper(
        trail.path,
        "DELETE FROM audit_log WHERE id > 150",
        "DELETE FROM audit_head WHERE chain_seq > 150",
    )
    check = trail.verify()
    assert (check.problem, check.first_bad) == ("cut", 151)


@pytest.mark.parametrize("torn", [True, False])
def test_a_copy_taken_meanwhile_is_whole(
    trail: Trail, tmp_path: Path, torn: bool
) -> None:
    """File, log and index copied one after the other while rows are written."""
    trail.pairs(30)
    wait(trail.writer.call(begin_backup))
    copy = tmp_path / "copy" / "caesar.db"
    copy.parent.mkdir()
    # Far more than what would start a checkpoint by itself (1000 pages).
    big = row(payload=READ | {"input": {"text": "x" * 15_000}})
    for suffix in ("-shm", "", "-wal"):
        for _ in range(150):
            trail.writer.intend(big, durable=False)
        trail.intend()
        shutil.copy(
            trail.path.with_name(trail.path.name + suffix),
            copy.with_name(copy.name + suffix),
        )
    if torn:
        log = copy.with_name(f"{copy.name}-wal")
        with log.open("r+b") as file:
            file.truncate(log.stat().st_size - 10_000)
    wait(trail.writer.call(end_backup))
    trail.pairs(1)
    (rows,) = query(copy, "SELECT count(*) FROM audit_log")[0]
    assert 60 < rows <= 60 + 3 * 151
    assert query(copy, "PRAGMA integrity_check") == [("ok",)]
    assert verify(copy, Signer(KEY), trail.heads[0]).ok
    assert trail.verify().ok


def test_the_file_alone_is_whole(trail: Trail, tmp_path: Path) -> None:
    """The file alone is whole."""
    trail.pairs(30)
    wait(trail.writer.call(begin_backup))
    trail.pairs(5)
    copy = tmp_path / "copy.db"
    shutil.copy(trail.path, copy)
    wait(trail.writer.call(end_backup))
    assert query(copy, "SELECT count(*) FROM audit_log") == [(60,)]
    assert verify(copy, Signer(KEY), trail.heads[0]).ok


def test_a_head_is_signed_after_a_backup(trail: Trail) -> None:
    """The file is closed then, and opened anew when it is needed."""
    wait(trail.writer.call(begin_backup))
    trail.pairs(1)
    wait(trail.writer.call(end_backup))
    trail.clock.advance(HEAD_AFTER_S)
    trail.idle()
    trail.idle()
    assert trail.heads[-1].link.seq == 2
    wait(trail.writer.call(begin_backup))
    trail.pairs(1)
    wait(trail.writer.call(end_backup))
    trail.close()
    assert trail.heads[-1].link.seq == 4
    assert trail.troubles == []


def test_closing_during_a_backup_leaves_file_and_log(trail: Trail) -> None:
    """Closing during a backup leaves file and log."""
    trail.pairs(3)
    wait(trail.writer.call(begin_backup))
    before = trail.path.read_bytes()
    trail.pairs(3)
    trail.close()
    assert trail.path.read_bytes() == before
    assert query(trail.path, "SELECT count(*) FROM audit_log") == [(12,)]


def test_an_export_tells_one_decision_in_order(trail: Trail) -> None:
    """An export tells one decision in order."""
    trail.pairs(1)
    trail.intend(row(decision_id="other"))
    trail.conclude(
        trail.intend().seq, row(AuditEventType.SERVICE_CALLED, {"tool": "x"})
    )
    rows = export(trail.path, "decision-1")
    assert [found["chain_seq"] for found in rows] == [1, 2, 4, 5]
    caller, payload = rows[0]["caller"], rows[0]["payload"]
    assert isinstance(caller, dict)
    assert isinstance(payload, dict)
    assert (caller["user_id"], payload["tool"]) == ("user-1", "light.turn_on")
    assert rows[1]["intent_seq"] == 1
    assert export(trail.path, "nobody") == []
