"""Commands that somebody gave for later, so that a restart loses none.

One row a command. The words and who gave them stand encrypted in `sealed`; in clear only
when it is due, in seconds since 1970. A row is deleted before its command runs.
"""

STATEMENTS = (
    """
    CREATE TABLE planned_commands (
        plan_id TEXT PRIMARY KEY,
        due_at REAL NOT NULL,
        sealed BLOB NOT NULL
    ) WITHOUT ROWID
    """,
)
