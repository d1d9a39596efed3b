"""The trail itself: rows are appended, never changed.

Retention may delete what the newest anchor covers, and nothing else can be deleted;
the insert trigger also stops INSERT OR REPLACE, which fires no delete trigger.
`ts` is `created_at` under the name that older queries use.
"""

STATEMENTS = (
    """
    CREATE TABLE audit_log (
        id INTEGER PRIMARY KEY,
        chain_seq INTEGER NOT NULL UNIQUE,
        created_at TEXT NOT NULL,
        ts TEXT GENERATED ALWAYS AS (created_at) VIRTUAL,
        event_type TEXT NOT NULL,
        decision_id TEXT NOT NULL,
        agent TEXT,
        session TEXT,
        user_id TEXT,
        context_id TEXT,
        origin TEXT,
        caller TEXT,
        taint TEXT NOT NULL,
        policy_rev TEXT NOT NULL,
        intent_seq INTEGER,
        payload TEXT NOT NULL,
        boot INTEGER NOT NULL,
        prev_hash TEXT NOT NULL,
        row_hash TEXT NOT NULL
    )
    """,
    "CREATE INDEX audit_log_created ON audit_log (created_at)",
    "CREATE INDEX audit_log_decision ON audit_log (decision_id)",
    """
    CREATE UNIQUE INDEX audit_log_outcome ON audit_log (intent_seq)
    WHERE intent_seq IS NOT NULL
    """,
    """
    CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END
    """,
    """
    CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
    WHEN OLD.chain_seq > coalesce((SELECT max(chain_seq) FROM audit_anchor), 0)
    BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END
    """,
    """
    CREATE TRIGGER audit_log_in_order BEFORE INSERT ON audit_log
    WHEN NEW.chain_seq IS NOT 1 + coalesce(
        (SELECT max(chain_seq) FROM audit_log),
        (SELECT max(chain_seq) FROM audit_anchor),
        0
      )
      OR NEW.id IS NOT NEW.chain_seq
    BEGIN SELECT RAISE(ABORT, 'the trail is only appended to'); END
    """,
)
