"""The view `audit_trail` also names the worker and the task of a tool's call."""

from typing import Final

from .s005_audit_trail import STATEMENTS as BEFORE

_LAST: Final = "chain_seq\n    FROM told"
_WITH_WORKER: Final = """chain_seq,
        answer ->> '$.worker' AS worker, answer ->> '$.task_id' AS task_id
    FROM told"""

STATEMENTS: Final = (
    "DROP VIEW audit_trail",
    BEFORE[0].replace(_LAST, _WITH_WORKER),
)
