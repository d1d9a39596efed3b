"""One row each time the file is opened: tells a running call from an interrupted one.

`last_seq` is the chain's last row at that moment.
"""

STATEMENTS = (
    """
    CREATE TABLE audit_boot (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        started_at TEXT NOT NULL,
        last_seq INTEGER NOT NULL
    )
    """,
)
