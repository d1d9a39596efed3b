"""Parked turns in the file: one row a turn, taken up once, sealed to their row."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
import sqlite3

import pytest

from custom_components.caesar.audit import checkpoints
from custom_components.caesar.audit.checkpoints import KeptTurn, RowState, Taken
from custom_components.caesar.audit.database import FileDamaged
from custom_components.caesar.audit.store import Store
from custom_components.caesar.audit.vault import Vault

from .house import KEY, NOON, query, tamper

VAULT = Vault(KEY)
FIRST = KeptTurn(
    decision_id="turn-1", approval_id="a-1", created_at=NOON, expires_at=NOON + 900
)
AGAIN = replace(FIRST, approval_id="a-2", created_at=NOON + 60)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an open file."""
    one = Store(tmp_path / "caesar" / "caesar.db", KEY, lambda: NOON)
    one.open()
    yield one
    one.close()


def test_taken_up_once(store: Store) -> None:
    """Whoever comes second finds nothing that waits."""
    checkpoints.put(store, VAULT, FIRST, b"what was said")
    taken = checkpoints.take(store, VAULT, "turn-1", "a-1")
    assert taken == Taken(plain=b"what was said")
    assert checkpoints.take(store, VAULT, "turn-1", "a-1") is None
    assert checkpoints.load(store) == (replace(FIRST, state=RowState.RESUMING),)


def test_a_turn_that_parks_again_has_one_row(store: Store) -> None:
    """Its first answer finds nothing any more, and can't delete what waits now."""
    checkpoints.put(store, VAULT, FIRST, b"first")
    checkpoints.take(store, VAULT, "turn-1", "a-1")
    checkpoints.put(store, VAULT, AGAIN, b"again")
    assert checkpoints.load(store) == (AGAIN,)
    assert checkpoints.take(store, VAULT, "turn-1", "a-1") is None
    checkpoints.forget(store, "turn-1", "a-1")
    assert checkpoints.load(store) == (AGAIN,)
    assert checkpoints.take(store, VAULT, "turn-1", "a-2") == Taken(plain=b"again")
    checkpoints.forget(store, "turn-1", "a-2")
    assert checkpoints.load(store) == ()


def test_oldest_first(store: Store) -> None:
    """Turns go on in the order in which they came."""
    late = replace(FIRST, decision_id="turn-2", created_at=NOON + 1)
    early = replace(FIRST, decision_id="turn-3", created_at=NOON - 1)
    for kept in (late, early):
        checkpoints.put(store, VAULT, kept, b"")
    assert checkpoints.load(store) == (early, late)


@pytest.mark.parametrize(
    "change",
    [
        "sealed = x''",
        "sealed = x'ff'",
        "sealed = 'text'",
        "sealed = x'ff' || sealed",
        "sealed = 7",
        "created_at = created_at - 1",
        "created_at = 'never'",
        "expires_at = 9e99",
    ],
)
def test_tampered_with(store: Store, change: str) -> None:
    """It is taken, so that it never comes back, but it doesn't open."""
    checkpoints.put(store, VAULT, FIRST, b"what was said")
    tamper(store.database.path, f"UPDATE tool_loop_checkpoints SET {change}")  # noqa: S608 - words of our own
    assert checkpoints.take(store, VAULT, "turn-1", "a-1") == Taken(plain=None)
    assert checkpoints.take(store, VAULT, "turn-1", "a-1") is None


def test_another_houses_key(store: Store) -> None:
    """A file that was carried elsewhere says nothing there."""
    checkpoints.put(store, Vault(bytes(32)), FIRST, b"what was said")
    assert checkpoints.take(store, VAULT, "turn-1", "a-1") == Taken(plain=None)


def test_erase(store: Store) -> None:
    """All that waits is gone, its bytes too; the trail's tables stay."""
    checkpoints.put(store, VAULT, FIRST, b"what was said")
    path = store.database.path
    store.close()
    checkpoints.erase(path)
    assert query(path, "SELECT * FROM tool_loop_checkpoints") == []
    assert query(path, "SELECT count(*) FROM audit_boot") == [(1,)]


def test_erase_an_older_file(tmp_path: Path) -> None:
    """A file from before there were such tables is left as it is."""
    path = tmp_path / "caesar.db"
    db = sqlite3.connect(path)
    db.execute("PRAGMA application_id = 0x43534152")
    db.execute("CREATE TABLE audit_log (id INTEGER)")
    db.commit()
    db.close()
    checkpoints.erase(path)
    assert query(path, "SELECT count(*) FROM audit_log") == [(0,)]


def test_erase_what_is_no_file_of_ours(tmp_path: Path) -> None:
    """None is made, and another's isn't touched."""
    checkpoints.erase(tmp_path / "caesar.db")
    assert not (tmp_path / "caesar.db").exists()
    other = tmp_path / "other.db"
    other.write_bytes(b"something else")
    with pytest.raises(FileDamaged):
        checkpoints.erase(other)
    assert other.read_bytes() == b"something else"
