"""Each kind of change to the file is found, and the first bad row is named."""

import json
from pathlib import Path
import shutil
import sqlite3

import pytest

from custom_components.caesar.audit.chain import (
    GENESIS,
    HASHED,
    Gone,
    Head,
    Signer,
    head_from_json,
    row_hash,
)
from custom_components.caesar.audit.verify import Problem, verify

from .house import KEY, Trail, running, tamper


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Trail:
    """Return a closed trail of 200 rows with heads at 64, 128, 192 and 200."""
    with running(tmp_path_factory.mktemp("original")) as trail:
        trail.pairs(100)
    assert [head.link.seq for head in trail.heads] == [64, 128, 192, 200]
    return trail


@pytest.fixture
def written(original: Trail, tmp_path: Path) -> Trail:
    """Return a copy of it that a test may spoil."""
    copy = Trail(tmp_path)
    shutil.copytree(original.path.parent, copy.path.parent)
    copy.heads = list(original.heads)
    return copy


def _rehash(path: Path, first: int, change: str) -> None:
    """Change rows from `first` on and hash everything after them anew."""
    tamper(path, change)
    db = sqlite3.connect(path)
    names = ", ".join(HASHED)
    (before,) = db.execute(
        "SELECT row_hash FROM audit_log WHERE chain_seq = ?", (first - 1,)
    ).fetchone() or (GENESIS,)
    for values in db.execute(
        f"SELECT {names} FROM audit_log WHERE chain_seq >= ? ORDER BY 1",  # noqa: S608 - words of our own
        (first,),
    ).fetchall():
        mine = row_hash(before, dict(zip(HASHED, values, strict=True)))
        db.execute(
            "UPDATE audit_log SET prev_hash = ?, row_hash = ? WHERE chain_seq = ?",
            (before, mine, values[0]),
        )
        before = mine
    db.commit()
    db.close()


def _found(trail: Trail, *, whole: bool = True) -> tuple[Problem | None, int | None]:
    check = trail.verify(whole=whole)
    assert check.ok is (check.problem is None)
    return check.problem, check.first_bad


def test_a_good_trail_is_good(written: Trail) -> None:
    """A good trail is good."""
    check = written.verify()
    assert (check.ok, check.rows, check.last, check.signed) == (True, 200, 200, 200)
    later = written.verify(whole=False)
    assert (later.ok, later.rows, later.whole) == (True, 1, False)
    assert check.as_json()["problem"] is None


def test_an_empty_trail_is_good(trail: Trail) -> None:
    """An empty trail is good."""
    trail.idle()
    assert trail.verify().ok
    assert trail.verify(whole=False).ok


@pytest.mark.parametrize("column", [*HASHED, "prev_hash", "row_hash", "id"])
def test_a_changed_row(written: Trail, column: str) -> None:
    """A changed row."""
    if column in ("id", "chain_seq"):
        change = f"UPDATE audit_log SET {column} = {column} + 1000 WHERE id = 77"  # noqa: S608 - words of our own
    elif column == "intent_seq":
        change = "UPDATE audit_log SET intent_seq = 9000 WHERE id = 77"
    else:
        change = f"UPDATE audit_log SET {column} = 'x' WHERE id = 77"  # noqa: S608 - words of our own
    tamper(written.path, change)
    problem = Problem.GAP if column == "chain_seq" else Problem.CHANGED
    assert _found(written) == (problem, 77)


def test_a_changed_row_that_was_hashed_anew(written: Trail) -> None:
    """A changed row that was hashed anew."""
    tamper(written.path, "UPDATE audit_log SET user_id = 'other' WHERE id = 77")
    db = sqlite3.connect(written.path)
    names = ", ".join(HASHED)
    *values, prev = db.execute(
        f"SELECT {names}, prev_hash FROM audit_log WHERE id = 77"  # noqa: S608 - words of our own
    ).fetchone()
    mine = row_hash(prev, dict(zip(HASHED, values, strict=True)))
    db.execute("UPDATE audit_log SET row_hash = ? WHERE id = 77", (mine,))
    db.commit()
    db.close()
    assert _found(written) == (Problem.CHANGED, 77)


def test_a_removed_row(written: Trail) -> None:
    """A removed row."""
    tamper(written.path, "DELETE FROM audit_log WHERE id = 77")
    assert _found(written) == (Problem.GAP, 77)


def test_a_removed_beginning(written: Trail) -> None:
    """A removed beginning."""
    tamper(written.path, "DELETE FROM audit_log WHERE id < 77")
    assert _found(written) == (Problem.GAP, 1)


@pytest.mark.parametrize("last", [199, 192, 150, 1, 0])
@pytest.mark.parametrize("heads", [True, False])
def test_a_cut_tail(written: Trail, last: int, heads: bool) -> None:
    """Also when the heads of those rows were cut off with them."""
    more = [f"DELETE FROM audit_head WHERE chain_seq > {last}"] if heads else []  # noqa: S608 - words of our own
    tamper(written.path, f"DELETE FROM audit_log WHERE id > {last}", *more)  # noqa: S608 - words of our own
    assert _found(written) == (Problem.CUT, last + 1)
    assert _found(written, whole=False) == (Problem.CUT, last + 1)


def test_a_rewritten_trail(written: Trail) -> None:
    """A rewritten trail."""
    _rehash(written.path, 1, "UPDATE audit_log SET user_id = 'other'")
    assert _found(written) == (Problem.REWRITTEN, 1)


def test_a_rewritten_end(written: Trail) -> None:
    """A rewritten end."""
    change = "UPDATE audit_log SET user_id = 'other' WHERE id >= 140"
    _rehash(written.path, 140, change)
    # The heads at 64 and 128 still fit; the one at 192 does not.
    assert _found(written) == (Problem.REWRITTEN, 129)


def test_a_rewritten_trail_without_heads(written: Trail) -> None:
    """A rewritten trail without heads."""
    change = "UPDATE audit_log SET user_id = 'other'"
    _rehash(written.path, 1, change)
    tamper(written.path, "DELETE FROM audit_head")
    assert _found(written) == (Problem.REWRITTEN, 1)
    assert _found(written, whole=False) == (Problem.REWRITTEN, 1)


def test_a_rewritten_trail_with_heads_under_another_key(written: Trail) -> None:
    """A rewritten trail with heads under another key."""
    _rehash(written.path, 1, "UPDATE audit_log SET user_id = 'other'")
    forger = Signer(b"x" * 32)
    head = forger.head(4, written.heads[-1].link, "2026", "")
    tamper(
        written.path,
        "DELETE FROM audit_head",
        "INSERT INTO audit_head VALUES (4, 200, "  # noqa: S608 - words of our own
        f"'{head.link.row_hash}', '2026', '{head.key_id}', '', '{head.mac}')",
    )
    assert _found(written) == (Problem.FORGED_HEAD, 200)


def test_removed_heads(written: Trail) -> None:
    """Removed heads."""
    tamper(written.path, "DELETE FROM audit_head")
    assert _found(written) == (Problem.FORGED_HEAD, 200)


def test_a_head_removed_from_the_middle(written: Trail) -> None:
    """A head removed from the middle."""
    tamper(written.path, "DELETE FROM audit_head WHERE number = 2")
    assert _found(written) == (Problem.FORGED_HEAD, 192)


def test_the_first_head_removed(written: Trail) -> None:
    """The first head removed."""
    tamper(written.path, "DELETE FROM audit_head WHERE number = 1")
    assert _found(written) == (Problem.FORGED_HEAD, 128)


def test_an_older_head_is_known_outside(written: Trail) -> None:
    """After a crash the one outside is older than the newest in the file."""
    assert written.verify(outside=written.heads[1]).ok


def test_another_head_of_the_same_number(written: Trail) -> None:
    """Another head of the same number."""
    old = written.heads[1]
    other = Signer(KEY).head(old.number, old.link, "2020", old.prev_mac)
    assert written.verify(outside=other).problem is Problem.REWRITTEN


def test_a_forged_anchor(written: Trail) -> None:
    """A forged anchor."""
    tamper(
        written.path,
        "DELETE FROM audit_log WHERE id <= 100",
        "INSERT INTO audit_anchor SELECT 100, prev_hash, 1, 'retention', '', 'x'"
        " FROM audit_log WHERE id = 101",
    )
    assert _found(written) == (Problem.REWRITTEN, 100)


def test_rubbish(written: Trail) -> None:
    """Rubbish."""
    written.path.write_bytes(b"rubbish" * 5_000)
    assert _found(written) == (Problem.UNREADABLE, 1)


def test_no_file(tmp_path: Path) -> None:
    """No file."""
    check = verify(tmp_path / "none.db", Signer(KEY), None)
    assert check.problem is Problem.UNREADABLE


def test_rubbish_in_the_middle_of_the_file(written: Trail) -> None:
    """Rubbish in the middle of the file."""
    size = written.path.stat().st_size
    with written.path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * 8_192)
    assert not written.verify().ok


def test_text_that_is_none(written: Trail) -> None:
    """Text that is none."""
    tamper(
        written.path,
        "UPDATE audit_log SET payload = CAST(x'ff00fe' AS TEXT) WHERE id = 9",
    )
    problem, seq = _found(written)
    assert problem in (Problem.CHANGED, Problem.UNREADABLE)
    assert seq == 9


def test_it_stops_when_told(written: Trail) -> None:
    """It stops when told."""
    check = verify(written.path, Signer(KEY), None, stop=lambda: True)
    assert check.rows == 0


def test_heads_survive_as_json(written: Trail) -> None:
    """Heads survive as json."""
    head = written.heads[0]
    assert head_from_json(json.loads(json.dumps(head.as_json()))) == head
    assert head_from_json(None) is None
    assert head_from_json({"number": "1"}) is None
    odd = head_from_json({"number": 1, "seq": 1, "mac": 5})
    assert isinstance(odd, Head)
    assert not Signer(KEY).made_head(odd)


def test_a_gone_kind_that_nobody_knows(written: Trail) -> None:
    """A gone kind that nobody knows."""
    tamper(
        written.path,
        "INSERT INTO audit_anchor VALUES (0, '', 0, 'nonsense', '', '')",
    )
    check = written.verify()
    assert check.problem is Problem.REWRITTEN
    assert check.begins is not Gone.RETENTION


def test_a_long_trail_is_read_in_steps(
    written: Trail, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step lets go of the file."""
    monkeypatch.setattr("custom_components.caesar.audit.verify._STEP", 40)
    assert written.verify().rows == 200
