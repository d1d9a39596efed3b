"""The view for people and for other programs: one row per dispatch (SPEC 7.2).

An intent is joined with its outcome; what was refused before an intent stands for
itself. An intent without outcome is running, or interrupted if the file has been
opened anew since.
"""

STATEMENTS = (
    """
    CREATE VIEW audit_trail AS
    WITH dispatch AS (
        SELECT i.id, i.created_at, i.decision_id, i.prev_hash, i.row_hash, i.chain_seq,
            i.event_type, i.boot, i.payload AS asked,
            CASE
                WHEN i.event_type = 'tool.intended' THEN o.payload
                ELSE i.payload
            END AS answer
        FROM audit_log i
        LEFT JOIN audit_log o ON o.intent_seq = i.chain_seq
        WHERE i.event_type = 'tool.intended'
            OR (i.intent_seq IS NULL AND i.event_type IN (
                'service.called', 'policy.denied', 'tool.called', 'tool.denied',
                'tool.invalid', 'tool.skipped'))
    ), told AS (
        SELECT d.*,
            coalesce(d.asked ->> '$.connector', d.asked ->> '$.domain', 'home')
                AS connector,
            coalesce(d.asked ->> '$.action', d.asked ->> '$.service',
                d.asked ->> '$.tool', d.event_type) AS action,
            coalesce(d.asked ->> '$.tool', d.event_type) AS tool,
            (SELECT group_concat(value, ', ') FROM (
                SELECT value FROM json_each(d.asked, '$.pinned')
                WHERE type = 'text' LIMIT 5)) AS entities,
            d.asked ->> '$.decision.verdict' AS decided,
            d.asked ->> '$.decision.code' AS code
        FROM dispatch d
    )
    SELECT id, created_at,
        replace(created_at, ' ', 'T') || 'Z' AS timestamp,
        connector, action,
        connector AS connector_name,
        action AS action_type,
        substr(tool || coalesce(' ' || entities, ''), 1, 300) AS action_summary,
        CASE
            WHEN event_type IN ('tool.intended', 'service.called', 'tool.called')
                THEN 'go'
            WHEN decided = 'ask' THEN 'approval'
            WHEN code = 'rate_limited' THEN 'throttle'
            WHEN code = 'circuit_open' THEN 'pause'
            ELSE 'deny'
        END AS verdict,
        code AS verdict_reason,
        CASE
            WHEN event_type IN ('policy.denied', 'tool.denied', 'tool.invalid',
                'tool.skipped') THEN 'none'
            WHEN answer IS NULL THEN
                CASE WHEN boot = (SELECT max(id) FROM audit_boot)
                    THEN 'running' ELSE 'interrupted' END
            WHEN answer ->> '$.outcome.ok' = 1 THEN 'ok'
            ELSE coalesce(answer ->> '$.outcome.error', 'error')
        END AS result,
        decision_id, prev_hash, row_hash, chain_seq
    FROM told
    """,
)
