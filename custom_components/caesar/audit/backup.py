"""How the file stays whole while a backup copies it, without holding up any row.

After the checkpoint everything is in the file itself. As long as no other checkpoint
runs, the file does not change and its log only grows; a copy of both, taken at any
moment and in any order, is then a committed state: what is torn at the log's end
fails its checksum and is ignored (SQLite, "Write-Ahead Logging", 4.3).
"""

from .store import Store


def begin_backup(store: Store) -> None:
    """Bring the file up to date and keep it so. Raises sqlite3.Error.

    A reader may keep part of the log from being moved; file and log are consistent
    with each other all the same.
    """
    with store.transaction(durable=True):
        store.sign_head()
    store.database.checkpoint()
    store.database.hold_checkpoints(True)


def end_backup(store: Store) -> None:
    """Let the log be moved again.

    The file is closed, and opened anew with the next row: a copy taken in this very
    process has dropped SQLite's locks on it (SQLite, "How To Corrupt", 2.2).
    """
    store.database.hold_checkpoints(False)
    store.close()
