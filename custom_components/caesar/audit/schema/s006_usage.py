"""What the models were used for: tokens by agent and UTC day."""

STATEMENTS = (
    """
    CREATE TABLE usage (
        agent TEXT NOT NULL,
        day TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (agent, day)
    ) WITHOUT ROWID
    """,
)
