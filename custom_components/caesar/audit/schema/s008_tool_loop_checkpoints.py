"""Turns that wait for a person's answer, so that a restart of Home Assistant loses none.

One row a turn. What was said and called stands encrypted in `sealed`; in clear only
what finds the row: the turn, the approval it waits for, and whether it was taken up
again (`resuming`), which happens once. Times are seconds since 1970.
"""

STATEMENTS = (
    """
    CREATE TABLE tool_loop_checkpoints (
        decision_id TEXT PRIMARY KEY,
        approval_id TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'resuming')),
        created_at REAL NOT NULL,
        expires_at REAL NOT NULL,
        sealed BLOB NOT NULL
    ) WITHOUT ROWID
    """,
)
