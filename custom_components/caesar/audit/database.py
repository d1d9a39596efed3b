"""The file itself: opened, watched, rescued, moved aside. Nothing is ever deleted.

SQLite does not notice when its file is unlinked, replaced or overwritten under it,
and commits into nowhere. So the file's identity is compared before each transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import sqlite3
from typing import Final

MAGIC: Final = b"SQLite format 3\0"
# "CSAR": tells our file from another program's (PRAGMA application_id).
_APPLICATION_ID: Final = 0x43534152
# Less than the two seconds after which an intent is refused.
_BUSY_MS: Final = 1_500
_AUTOCHECKPOINT_PAGES: Final = 1_000
_WAL_KEPT_BYTES: Final = 8 * 1024 * 1024

_SUFFIXES: Final = ("", "-wal", "-shm")
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class FileLost(Exception):
    """The file under the connection is gone or another one."""


class FileDamaged(Exception):
    """The file is no database, or not a whole one."""


def is_damage(err: BaseException) -> bool:
    """Return whether an error says that the file's content is broken."""
    code = getattr(err, "sqlite_errorcode", None)
    # The low byte is the primary result code (SQLite, "Result and Error Codes").
    return isinstance(err, FileDamaged) or (code is not None and code & 255 in _DAMAGED)


class Database:
    """One connection to one file, used by one thread."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is touched yet."""
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._watched: tuple[tuple[int, int], ...] | None = None
        self._fd: int | None = None
        self._synchronous = ""
        self._logs = False
        self._held = False

    @property
    def connection(self) -> sqlite3.Connection:
        """Return the open connection; raises FileLost when there is none."""
        if self._db is None:
            raise FileLost("not open")
        return self._db

    @property
    def is_open(self) -> bool:
        """Return whether there is a connection."""
        return self._db is not None

    def open(self) -> None:
        """Open the file, creating it and its folder for this user alone.

        Raises FileDamaged, OSError and sqlite3.Error.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.parent.chmod(0o700)
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.fchmod(self._fd, 0o600)
        if not self._looks_whole(empty_too=True):
            raise FileDamaged("not a database")
        self._db = sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False
        )
        # A backup that is being taken copies file and log; a checkpoint on closing
        # would change the one and remove the other under it.
        self._db.setconfig(sqlite3.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, True)
        self._db.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        self._claim()
        (mode,) = self._db.execute("PRAGMA journal_mode = WAL").fetchone()
        # Some network folders know no WAL; SQLite then keeps its older journal.
        self._logs = mode == "wal"
        self._db.execute("PRAGMA trusted_schema = OFF")
        self._db.execute("PRAGMA secure_delete = ON")
        self._db.execute(f"PRAGMA journal_size_limit = {_WAL_KEPT_BYTES}")
        self.hold_checkpoints(self._held)
        self._synchronous = ""

    def watch(self) -> None:
        """Remember which files are in use; call after the first write."""
        self._watched = self._identity()

    def check(self) -> None:
        """Raise FileLost or FileDamaged unless the files are the ones in use."""
        assert self.connection
        try:
            same = self._watched is None or self._watched == self._identity()
        except OSError as err:
            raise FileLost(str(err)) from err
        if not same:
            raise FileLost("another file has taken its place")
        if not self._looks_whole(empty_too=self._watched is None):
            raise FileDamaged("overwritten")

    @contextmanager
    def transaction(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        """Run a transaction; with `durable` it is on the disk itself afterwards."""
        db = self.connection
        level = "FULL" if durable else "NORMAL"
        if level != self._synchronous:
            db.execute(f"PRAGMA synchronous = {level}")
            self._synchronous = level
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            db.execute("COMMIT")
        except BaseException:
            # SQLite has rolled back by itself after some errors (disk full).
            with suppress(sqlite3.Error):
                db.execute("ROLLBACK")
            raise

    def checkpoint(self) -> bool:
        """Move the log into the file, unless it is held; return whether all went."""
        if self._held:
            return False
        busy, *_ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy

    def hold_checkpoints(self, hold: bool) -> None:
        """Keep the file as it is: what is written meanwhile stays in the log."""
        self._held = hold
        pages = 0 if hold else _AUTOCHECKPOINT_PAGES
        self.connection.execute(f"PRAGMA wal_autocheckpoint = {pages}")

    def rescue(self) -> str | None:
        """Write all that the open connection still sees to the file's old place.

        For a file that was unlinked or replaced: the connection holds the real one.
        Returns the name under which a foreign file was put aside. Raises
        sqlite3.Error or OSError when that can't be done.
        """
        saved = self.path.with_name(f"{self.path.name}.rescued")
        saved.unlink(missing_ok=True)
        self.connection.execute("VACUUM INTO ?", (str(saved),))
        saved.chmod(0o600)
        self.close()
        aside = self.move_aside()
        saved.rename(self.path)
        return aside

    def move_aside(self) -> str | None:
        """Rename the file, its log and its index; return the file's new name.

        None if there was no file, whatever was left of the others.
        """
        self.close()
        number = 1
        while any(self._aside(number, ending).exists() for ending in _SUFFIXES):
            number += 1
        moved = self.path.exists()
        for ending in _SUFFIXES:
            with suppress(FileNotFoundError):
                self.path.with_name(self.path.name + ending).rename(
                    self._aside(number, ending)
                )
        return self._aside(number, "").name if moved else None

    def _aside(self, number: int, ending: str) -> Path:
        return self.path.with_name(f"{self.path.name}.damaged-{number}{ending}")

    def close(self) -> None:
        """Close the connection; never raises."""
        with suppress(sqlite3.Error):
            if self._db is not None:
                self._db.close()
        self._db = None
        self._watched = None
        if self._fd is not None:
            # After SQLite's own: closing any descriptor of a file drops all of this
            # process's locks on it (SQLite, "How To Corrupt", 2.2).
            with suppress(OSError):
                os.close(self._fd)
            self._fd = None

    def _identity(self) -> tuple[tuple[int, int], ...]:
        found = []
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            if path == self.path or self._logs:
                status = path.stat()
                found.append((status.st_dev, status.st_ino))
        return tuple(found)

    def _claim(self) -> None:
        """Make an empty file ours; raises FileDamaged for another program's."""
        db = self.connection
        (owner,) = db.execute("PRAGMA application_id").fetchone()
        if owner == _APPLICATION_ID:
            return
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if owner or tables:
            raise FileDamaged("another program's database")
        db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")

    def _looks_whole(self, *, empty_too: bool) -> bool:
        assert self._fd is not None
        start = os.pread(self._fd, len(MAGIC), 0)
        return start == MAGIC or (empty_too and start == b"")
