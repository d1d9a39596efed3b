"""The table of used tokens: read once at start, then written as it grows."""

import sqlite3
from typing import Final

KEPT_DAYS: Final = 400


def usage_of(db: sqlite3.Connection, day: str) -> dict[str, int]:
    """Return the tokens of a UTC day by agent."""
    return dict(
        db.execute("SELECT agent, tokens FROM usage WHERE day = ?", (day,)).fetchall()
    )


def put_usage(db: sqlite3.Connection, agent_id: str, day: str, tokens: int) -> None:
    """Write what an agent has used on a day, and drop days long gone.

    The number only grows, so writing it twice does no harm.
    """
    db.execute(
        """
        INSERT INTO usage (agent, day, tokens) VALUES (?, ?, ?)
        ON CONFLICT (agent, day) DO UPDATE SET tokens = max(tokens, excluded.tokens)
        """,
        (agent_id, day, tokens),
    )
    db.execute("DELETE FROM usage WHERE day < date(?, ?)", (day, f"-{KEPT_DAYS} days"))
