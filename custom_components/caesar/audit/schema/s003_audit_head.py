"""Signed heads of the chain, themselves chained by `prev_mac`.

A head may go only when the rows it speaks of are gone by retention.
"""

STATEMENTS = (
    """
    CREATE TABLE audit_head (
        number INTEGER PRIMARY KEY,
        chain_seq INTEGER NOT NULL,
        row_hash TEXT NOT NULL,
        created_at TEXT NOT NULL,
        key_id TEXT NOT NULL,
        prev_mac TEXT NOT NULL,
        mac TEXT NOT NULL
    )
    """,
    """
    CREATE TRIGGER audit_head_no_update BEFORE UPDATE ON audit_head
    BEGIN SELECT RAISE(ABORT, 'a head is never changed'); END
    """,
    """
    CREATE TRIGGER audit_head_no_delete BEFORE DELETE ON audit_head
    WHEN OLD.number > coalesce((SELECT max(head) FROM audit_anchor), 0)
    BEGIN SELECT RAISE(ABORT, 'a head goes only with its rows'); END
    """,
    """
    CREATE TRIGGER audit_head_in_order BEFORE INSERT ON audit_head
    WHEN NEW.number <= coalesce((SELECT max(number) FROM audit_head), 0)
    BEGIN SELECT RAISE(ABORT, 'heads are only appended'); END
    """,
)
