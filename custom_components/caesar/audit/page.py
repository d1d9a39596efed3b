"""Pages of the trail for people: what was asked for, newest first, as it stands now."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
from typing import Any, Final

from .reading import reader

MAX_PAGE: Final = 200

_SELECT: Final = (
    "SELECT t.chain_seq, t.timestamp, t.decision_id, t.verdict, t.result, t.worker,"
    " l.event_type, l.caller, l.payload"
    " FROM audit_trail t JOIN audit_log l ON l.chain_seq = t.chain_seq"
)
_CONDITIONS: Final[Mapping[str, str]] = {
    "before": "l.chain_seq < :before",
    "after": "l.chain_seq > :after",
    "seq": "l.chain_seq = :seq",
    "decision_id": "l.decision_id = :decision_id",
    "user_id": "l.user_id = :user_id",
    "satellite_id": "l.caller ->> '$.satellite_id' = :satellite_id",
    "origin": "l.origin = :origin",
    "tool": "instr(l.payload ->> '$.tool', :tool) > 0",
    "since": "l.created_at >= :since",
    "until": "l.created_at < :until",
    "without": "l.decision_id <> :without",
    "entities": "EXISTS (SELECT 1 FROM json_each(:entities) wanted WHERE wanted.value"
    " IN (SELECT value FROM json_each(l.payload, '$.pinned')"
    " UNION ALL SELECT value FROM json_each(l.payload, '$.touched')))",
}
_REFUSED: Final = "t.verdict <> 'go'"
_TOLD: Final = (
    "l.event_type NOT IN ('tool.invalid', 'tool.skipped')"
    " AND (t.verdict <> 'go' OR l.payload ->> '$.decision.impact' IS NOT 'read')"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which rows: all that is given must hold. `tool` is a part of a tool's name.

    `refused` asks for those only that were not let through, `told` for those that
    changed something or were refused, as people ask about them. `since` and `until` are
    UTC as `created_at` holds it, `without` is a decision that is left out, `entities` a
    JSON list of ids of which one was reached.
    """

    before: int | None = None
    after: int | None = None
    seq: int | None = None
    decision_id: str | None = None
    user_id: str | None = None
    satellite_id: str | None = None
    origin: str | None = None
    tool: str | None = None
    since: str | None = None
    until: str | None = None
    without: str | None = None
    entities: str | None = None
    refused: bool = False
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailRow:
    """One tool call: who, what, and what came of it.

    `timestamp` is UTC in ISO 8601; `verdict` and `result` are the view's words;
    `caller`, `arguments` and `decision` the JSON of `Caller`, `call.arguments` and
    `ToolDecision`; `pinned` the entities that it meant, `touched` all that it reached.
    """

    seq: int
    timestamp: str
    decision_id: str
    verdict: str
    result: str
    worker: str | None
    event_type: str
    tool: str
    caller: Mapping[str, Any]
    arguments: Mapping[str, Any]
    decision: Mapping[str, Any]
    pinned: tuple[str, ...]
    touched: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """How a question was decided, as `Standing` names it, and by which user."""

    verdict: str
    decided_by: str | None


def trail_page(path: Path, wanted: Filter, limit: int = MAX_PAGE) -> list[TrailRow]:
    """Return the newest rows that are wanted, newest first, at most `limit`.

    The next page is that before the last row's `seq`. Raises sqlite3.Error.
    """
    given = {name: getattr(wanted, name) for name in _CONDITIONS}
    values = {name: value for name, value in given.items() if value is not None}
    conditions = [_CONDITIONS[name] for name in values]
    if wanted.refused:
        conditions.append(_REFUSED)
    if wanted.told:
        conditions.append(_TOLD)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    values["limit"] = min(limit, MAX_PAGE)
    with reader(path) as db:
        found = db.execute(
            f"{_SELECT}{where} ORDER BY l.chain_seq DESC LIMIT :limit", values
        )
        return list(_rows(found))


def answers(path: Path, questions: Iterable[str], since: str) -> dict[str, Answered]:
    """Return how questions were decided at `since` or later, by their ids.

    Raises sqlite3.Error.
    """
    with reader(path) as db:
        found = db.execute(
            "SELECT payload FROM audit_log WHERE created_at >= ?"
            " AND event_type = 'approval.decided' AND payload ->> '$.approval_id'"
            " IN (SELECT value FROM json_each(?)) ORDER BY chain_seq",
            (since, json.dumps(sorted(set(questions)))),
        )
        said = [_mapping(json.loads(payload)) for (payload,) in found]
    return {
        str(each.get("approval_id")): Answered(
            verdict=str(each.get("verdict")), decided_by=each.get("decided_by")
        )
        for each in said
    }


def _rows(found: sqlite3.Cursor) -> Iterator[TrailRow]:
    for (
        seq,
        timestamp,
        decision_id,
        verdict,
        result,
        worker,
        event_type,
        caller,
        payload,
    ) in found:
        said = _mapping(json.loads(payload))
        yield TrailRow(
            seq=seq,
            timestamp=timestamp,
            decision_id=decision_id,
            verdict=verdict,
            result=result,
            worker=worker,
            event_type=event_type,
            tool=str(said.get("tool", "")),
            caller=_mapping(json.loads(caller) if caller else None),
            arguments=_mapping(said.get("input")),
            decision=_mapping(said.get("decision")),
            pinned=_ids(said.get("pinned")),
            touched=_ids(said.get("touched")),
        )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()
