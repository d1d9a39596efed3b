"""What was said in conversations: one row a turn, its words and taint encrypted.

In clear stands only what finds a row and ends it: a keyed hash of whose conversation
it is, the agent, the user, where it was said, when (seconds since 1970), and which
key has sealed it. Ids are never used again, not even after everything was erased: the
trail and the recall index name rows by them.
"""

STATEMENTS = (
    """
    CREATE TABLE bot_memory (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL,
        agent TEXT NOT NULL,
        user_id TEXT,
        origin TEXT NOT NULL,
        kept_at REAL NOT NULL,
        kid TEXT NOT NULL,
        sealed BLOB NOT NULL
    )
    """,
    # By session for the newest turns; with the time for what has lain idle.
    "CREATE INDEX bot_memory_session ON bot_memory (session, id)",
    "CREATE INDEX bot_memory_age ON bot_memory (session, kept_at)",
    "CREATE INDEX bot_memory_user ON bot_memory (user_id)",
)
