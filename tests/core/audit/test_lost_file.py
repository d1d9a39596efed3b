"""What the writer does when its file is taken away, overwritten or cut."""

from contextlib import suppress
from pathlib import Path
import sqlite3
from typing import Any

import pytest

from custom_components.caesar.audit.chain import Gone
from custom_components.caesar.audit.event import AuditUnavailable
from custom_components.caesar.audit.store import Store
from custom_components.caesar.audit.writer import (
    FIRST_RETRY_S,
    HEAD_AFTER_S,
    LAST_RETRY_S,
)

from .house import Trail, query, running, tamper, wait

RUBBISH = b"this is no database, whatever its name says. " * 400


def _results(trail: Trail) -> list[str]:
    return [
        result
        for (result,) in trail.query("SELECT result FROM audit_trail ORDER BY id")
    ]


def _forget_pages(store: Store) -> None:
    """Leave the file itself as the only place of what was committed."""
    store.database.checkpoint()
    store.database.connection.execute("PRAGMA shrink_memory")


def _unlink(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink()


def _unlink_alone(path: Path) -> None:
    path.unlink()


def _replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(RUBBISH)
    other.rename(path)


def _log_only(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


def _older_copy(path: Path) -> None:
    copy = path.with_name("copy")
    db = sqlite3.connect(path)
    db.execute("VACUUM INTO ?", (str(copy),))
    db.close()
    tamper(copy, "DELETE FROM audit_log WHERE id > 3")
    copy.rename(path)


@pytest.mark.parametrize(
    "spoil", [_unlink, _unlink_alone, _replace, _log_only, _older_copy]
)
def test_a_file_that_is_taken_away_is_rescued(trail: Trail, spoil: Any) -> None:
    """The open connection still holds every row."""
    trail.pairs(5)
    running_call = trail.intend()
    spoil(trail.path)
    assert trail.conclude(running_call.seq).seq == 12
    assert _results(trail) == ["ok"] * 6
    assert trail.verify().ok
    assert trail.troubles == []
    kept = list(trail.path.parent.glob("*.damaged-1"))
    assert len(kept) == (0 if spoil in (_unlink, _unlink_alone) else 1)
    assert trail.openings[-1].aside == (kept[0].name if kept else None)
    assert trail.openings[-1].gone is None
    assert trail.openings[-1].interrupted == ()


def test_a_file_that_is_overwritten_is_kept_and_a_new_one_goes_on(
    trail: Trail,
) -> None:
    """A file that is overwritten is kept and a new one goes on."""
    trail.pairs(5)
    running_call = trail.intend()
    wait(trail.writer.call(_forget_pages))
    trail.path.write_bytes(RUBBISH)
    # Its intent is in the lost file, so the outcome stands for itself.
    assert trail.conclude(running_call.seq).seq == 13
    assert _results(trail) == ["ok"]
    (kept,) = trail.path.parent.glob("*.damaged-1")
    assert kept.read_bytes() == RUBBISH
    assert (trail.openings[-1].gone, trail.openings[-1].aside) == (
        Gone.DAMAGED,
        kept.name,
    )
    (said,) = trail.query(
        "SELECT payload ->> '$.kind', payload ->> '$.seq', payload ->> '$.moved_to'"
        " FROM audit_log WHERE event_type = 'audit.chain_broken'"
    )
    assert said == ("damaged", 11, kept.name)
    trail.pairs(40)
    check = trail.verify()
    assert (check.ok, check.begins, check.last) == (True, Gone.DAMAGED, 93)


@pytest.mark.parametrize("content", [b"", RUBBISH], ids=["empty", "rubbish"])
def test_what_the_connection_remembers_is_rescued(trail: Trail, content: bytes) -> None:
    """Overwritten in place, but every page is still in memory.

    The change that meets it is refused; the next one is written.
    """
    trail.pairs(5)
    wait(trail.writer.call(lambda store: store.database.checkpoint()))
    trail.path.write_bytes(content)
    with pytest.raises(AuditUnavailable):
        trail.intend()
    assert trail.intend().seq == 11
    assert trail.openings[-1].gone is None
    assert trail.openings[-1].aside == "caesar.db.damaged-1"
    assert trail.verify().ok


def test_rubbish_at_the_start(tmp_path: Path) -> None:
    """Rubbish at the start."""
    with running(tmp_path) as first:
        first.pairs(5)
    first.path.write_bytes(RUBBISH)
    with running(tmp_path, outside=first.heads[-1]) as second:
        assert second.intend().seq == 12
        assert second.openings[0].gone is Gone.DAMAGED
        assert second.verify(outside=first.heads[-1]).ok


@pytest.mark.parametrize("empty", [True, False])
def test_no_file_at_the_start_although_there_was_one(
    tmp_path: Path, empty: bool
) -> None:
    """No file at the start although there was one."""
    with running(tmp_path) as first:
        first.pairs(5)
    first.path.unlink()
    if empty:
        first.path.touch()
    with running(tmp_path, outside=first.heads[-1]) as second:
        assert second.intend().seq == 12
        assert second.openings[0].gone is Gone.MISSING
        assert second.verify().ok


def test_a_cut_file_at_the_start(tmp_path: Path) -> None:
    """The chain goes on where it ends now; a row says what is missing."""
    with running(tmp_path) as first:
        first.pairs(5)
    tamper(
        first.path,
        "DELETE FROM audit_log WHERE id > 7",
        "DELETE FROM audit_head",
    )
    with running(tmp_path, outside=first.heads[-1]) as second:
        second.idle()
        assert second.openings[0].gone is Gone.CUT
        assert second.query(
            "SELECT payload ->> '$.kind' FROM audit_log"
            " WHERE event_type = 'audit.chain_broken'"
        ) == [("cut",)]
        assert second.intend().seq > 7


def test_a_first_start_is_no_loss(trail: Trail) -> None:
    """A first start is no loss."""
    trail.idle()
    assert trail.openings[0].gone is None
    assert trail.query("SELECT count(*) FROM audit_log") == [(0,)]


def test_another_programs_database_is_put_aside(tmp_path: Path) -> None:
    """Another programs database is put aside."""
    path = tmp_path / "caesar" / "caesar.db"
    path.parent.mkdir()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE audit_log (mine)")
    db.close()
    with running(tmp_path) as trail:
        assert trail.intend().seq == 2
    assert query(path.with_name("caesar.db.damaged-1"), "SELECT * FROM audit_log") == []


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    """A folder that can not be made."""
    (tmp_path / "caesar").write_text("a file where the folder should be")
    with running(tmp_path) as trail:
        with pytest.raises(AuditUnavailable):
            trail.intend()
        (tmp_path / "caesar").unlink()
        trail.clock.advance(LAST_RETRY_S)
        assert trail.intend().seq == 1
        assert (len(trail.troubles), trail.well) == (1, 1)


def test_a_broken_page_is_noticed(trail: Trail) -> None:
    """The file's head is whole, its inside is not: put aside, a new one goes on."""
    trail.pairs(60)
    wait(trail.writer.call(lambda store: store.database.checkpoint()))
    wait(trail.writer.call(lambda store: store.database.close()))
    with trail.path.open("r+b") as file:
        file.seek(4_096)
        file.write(b"\xff" * (trail.path.stat().st_size - 4_096))
    assert trail.intend().seq == 122
    assert trail.openings[-1].gone is Gone.DAMAGED


def test_a_rescue_that_fails_is_tried_again(
    trail: Trail, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No room for the copy: the connection stays, and with it every row."""
    trail.pairs(5)
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorcode = sqlite3.SQLITE_FULL
    with monkeypatch.context() as patch:
        patch.setattr(trail.store.database, "rescue", _raising(full))
        _unlink(trail.path)
        with pytest.raises(AuditUnavailable):
            trail.intend()
        trail.clock.advance(FIRST_RETRY_S)
        with pytest.raises(AuditUnavailable):
            trail.intend()
    trail.clock.advance(LAST_RETRY_S)
    assert trail.intend().seq == 11
    assert (len(trail.troubles), trail.well) == (1, 1)
    assert trail.verify().ok


@pytest.mark.parametrize("lost", [True, False])
def test_a_head_that_can_not_be_signed_now(
    trail: Trail, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    """It comes as soon as the disk allows."""
    trail.intend()
    with monkeypatch.context() as patch:
        if lost:
            _unlink(trail.path)
        else:
            busy = sqlite3.OperationalError("locked")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            patch.setattr(trail.store, "sign_head", _raising(busy))
        trail.clock.advance(HEAD_AFTER_S)
        # The writer may have found the head due right after the intent already.
        with suppress(AuditUnavailable):
            trail.idle()
    # It may have been about to fail once more when the disk was well again.
    trail.clock.advance(HEAD_AFTER_S)
    with suppress(AuditUnavailable):
        trail.idle()
    trail.clock.advance(LAST_RETRY_S)
    assert trail.intend().seq == 2
    trail.idle()
    assert trail.heads
    assert trail.verify().ok


def test_a_start_that_fails_half_way_forgets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full just when the loss of the file should be noted."""
    with running(tmp_path) as first:
        first.pairs(5)
    first.path.unlink()
    second = Trail(tmp_path, outside=first.heads[-1])
    full = sqlite3.OperationalError("database or disk is full")
    with monkeypatch.context() as patch:
        patch.setattr(second.store, "_begin_boot", _raising(full))
        second.writer.start()
        with pytest.raises(AuditUnavailable):
            second.intend()
    second.clock.advance(FIRST_RETRY_S)
    assert second.intend().seq == 12
    assert second.openings[-1].gone is Gone.MISSING
    second.close()


def _raising(err: Exception) -> Any:
    def fail(*_: Any) -> None:
        raise err

    return fail
