"""Where the kept rows begin. The newest anchor counts and can't be removed."""

STATEMENTS = (
    """
    CREATE TABLE audit_anchor (
        chain_seq INTEGER PRIMARY KEY,
        row_hash TEXT NOT NULL,
        head INTEGER NOT NULL,
        kind TEXT NOT NULL,
        created_at TEXT NOT NULL,
        mac TEXT NOT NULL
    )
    """,
    """
    CREATE TRIGGER audit_anchor_no_update BEFORE UPDATE ON audit_anchor
    BEGIN SELECT RAISE(ABORT, 'an anchor is never changed'); END
    """,
    """
    CREATE TRIGGER audit_anchor_no_delete BEFORE DELETE ON audit_anchor
    WHEN OLD.chain_seq = (SELECT max(chain_seq) FROM audit_anchor)
    BEGIN SELECT RAISE(ABORT, 'the newest anchor stays'); END
    """,
    """
    CREATE TRIGGER audit_anchor_no_replace BEFORE INSERT ON audit_anchor
    WHEN NEW.chain_seq <= (SELECT max(chain_seq) FROM audit_anchor)
    BEGIN SELECT RAISE(ABORT, 'an anchor only moves forward'); END
    """,
)
