"""What the models were used for in detail, by agent, model and quarter of an hour.

`usage` keeps the totals of a UTC day, which the day's limit stands on. What it holds of
before this table can't be divided, and stays there.
"""

from typing import Final

STATEMENTS: Final = (
    """
    CREATE TABLE usage_parts (
        agent TEXT NOT NULL,
        model TEXT NOT NULL,
        quarter TEXT NOT NULL,
        calls INTEGER NOT NULL,
        input INTEGER NOT NULL,
        output INTEGER NOT NULL,
        cache_read INTEGER NOT NULL,
        cache_write INTEGER NOT NULL,
        estimated INTEGER NOT NULL,
        priced INTEGER NOT NULL,
        cost REAL NOT NULL,
        PRIMARY KEY (agent, model, quarter)
    ) WITHOUT ROWID
    """,
)
