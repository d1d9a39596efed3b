"""Questions to people, so that a restart of Home Assistant loses none.

What is asked stands encrypted in `sealed`; how it stands and its times, in seconds
since 1970, in clear, for the one statement that moves it on.
"""

STATEMENTS = (
    """
    CREATE TABLE pending_approvals (
        id TEXT PRIMARY KEY,
        standing TEXT NOT NULL,
        created_at REAL NOT NULL,
        expires_at REAL NOT NULL,
        decided_at REAL,
        sealed BLOB NOT NULL
    ) WITHOUT ROWID
    """,
)
