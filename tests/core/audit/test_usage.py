"""The table of used tokens."""

from collections.abc import Iterator
import sqlite3

import pytest

from custom_components.caesar.audit import schema
from custom_components.caesar.audit.usage import put_usage, usage_of


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """Return a file with all tables."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    schema.apply(db)
    yield db
    db.close()


def test_numbers_only_grow(db: sqlite3.Connection) -> None:
    """By agent and day; written twice, or late, nothing is lost or doubled."""
    put_usage(db, "a", "2026-11-30", 10)
    put_usage(db, "a", "2026-11-30", 25)
    put_usage(db, "a", "2026-11-30", 25)
    put_usage(db, "a", "2026-11-30", 20)
    put_usage(db, "b", "2026-11-30", 1)
    put_usage(db, "a", "2026-12-01", 2)
    assert usage_of(db, "2026-11-30") == {"a": 25, "b": 1}
    assert usage_of(db, "2026-12-01") == {"a": 2}
    assert usage_of(db, "2026-12-02") == {}


def test_days_long_gone_are_dropped(db: sqlite3.Connection) -> None:
    """After more than a year."""
    put_usage(db, "a", "2025-10-25", 1)
    put_usage(db, "a", "2025-10-26", 1)
    put_usage(db, "a", "2026-11-30", 1)
    assert usage_of(db, "2025-10-25") == {}
    assert usage_of(db, "2025-10-26") == {"a": 1}
