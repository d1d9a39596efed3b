"""Rows, their view, their triggers and what a restart makes of them."""

from pathlib import Path
import sqlite3

import pytest

from custom_components.caesar.audit import schema
from custom_components.caesar.audit.event import AuditEventType, AuditUnavailable
from custom_components.caesar.legion.canonical import Json

from .house import (
    NOON,
    OK,
    READ,
    SERVICE,
    Trail,
    denial,
    mode,
    query,
    row,
    running,
    tamper,
)

VIEW = (
    "id, created_at, timestamp, connector, action, connector_name, action_type,"
    " action_summary, verdict, verdict_reason, result, decision_id, prev_hash,"
    " row_hash, chain_seq, worker, task_id"
)


def _trail(trail: Trail, what: str) -> list[tuple[object, ...]]:
    return trail.query(f"SELECT {what} FROM audit_trail ORDER BY chain_seq")  # noqa: S608 - words of our own


def test_file_is_for_this_user_alone(trail: Trail) -> None:
    """File is for this user alone."""
    trail.intend()
    assert mode(trail.path.parent) == 0o700
    for suffix in ("", "-wal", "-shm"):
        assert mode(trail.path.with_name(trail.path.name + suffix)) == 0o600


def test_one_row_a_dispatch(trail: Trail) -> None:
    """One row a dispatch."""
    done = trail.intend()
    read = trail.intend(row(payload=READ), durable=False)
    trail.conclude(done.seq)
    trail.conclude(read.seq, row(AuditEventType.TOOL_CALLED, READ | OK))
    failed = trail.intend()
    trail.conclude(
        failed.seq,
        row(
            AuditEventType.SERVICE_CALLED,
            SERVICE | {"outcome": {"ok": False, "error": "timeout"}},
        ),
    )
    trail.record(row(AuditEventType.POLICY_DENIED, denial("not_listed")))
    trail.record(row(AuditEventType.POLICY_DENIED, denial("rate_limited")))
    trail.record(row(AuditEventType.POLICY_DENIED, denial("circuit_open")))
    trail.record(
        row(AuditEventType.POLICY_DENIED, denial("approval_needed", verdict="ask"))
    )
    trail.record(row(AuditEventType.TOOL_INVALID, {"tool": "nonsense"}))
    trail.record(row(AuditEventType.POLICY_LOADED, {"policy_rev": "rev-1"}))
    trail.intend()
    assert _trail(trail, "connector, action, verdict, verdict_reason, result") == [
        ("light", "turn_on", "go", "allowed", "ok"),
        ("home", "get_state", "go", "allowed", "ok"),
        ("light", "turn_on", "go", "allowed", "timeout"),
        ("light", "turn_on", "deny", "not_listed", "none"),
        ("light", "turn_on", "throttle", "rate_limited", "none"),
        ("light", "turn_on", "pause", "circuit_open", "none"),
        ("light", "turn_on", "approval", "approval_needed", "none"),
        ("home", "nonsense", "deny", None, "none"),
        ("light", "turn_on", "go", "allowed", "running"),
    ]


def test_view_has_the_columns_that_other_programs_expect(trail: Trail) -> None:
    """View has the columns that other programs expect."""
    seq = trail.intend().seq
    (found,) = _trail(trail, VIEW)
    assert found[:3] == (
        seq,
        "2026-11-30 12:00:00.000000",
        "2026-11-30T12:00:00.000000Z",
    )
    assert found[5:8] == ("light", "turn_on", "light.turn_on light.kitchen")
    columns = trail.query("SELECT name FROM pragma_table_info('audit_trail')")
    assert ", ".join(name for (name,) in columns) == VIEW


def test_view_names_the_worker_and_the_task(trail: Trail) -> None:
    """Of a call that a worker carried out; none of one that it never got."""
    asked: dict[str, Json] = {
        "tool": "calculator",
        "connector": "legion",
        "action": "calculator",
    }
    done = trail.intend(row(payload=asked), durable=False)
    facts = {"worker": "local", "task_id": "7f"}
    trail.conclude(done.seq, row(AuditEventType.TOOL_CALLED, asked | OK | facts))
    trail.intend(row(payload=asked), durable=False)
    assert _trail(trail, "connector, action, result, worker, task_id") == [
        ("legion", "calculator", "ok", "local", "7f"),
        ("legion", "calculator", "running", None, None),
    ]


def test_the_last_hour_is_the_last_hour(trail: Trail) -> None:
    """`T` in a timestamp would make SQLite's comparison return the whole day."""
    trail.intend(row(now=NOON - 3_601))
    trail.intend(row(now=NOON - 3_599))
    asked = "SELECT count(*) FROM {} WHERE {} > datetime(?, '-1 hour')"
    noon = "2026-11-30 12:00:00"
    for table, column in (("audit_trail", "created_at"), ("audit_log", "ts")):
        assert trail.query(asked.format(table, column), noon) == [(1,)]


def test_rows_hold_who_asked(trail: Trail) -> None:
    """Rows hold who asked."""
    trail.intend(row(payload=READ))
    (found,) = trail.query(
        "SELECT agent, user_id, context_id, origin, taint, policy_rev, boot,"
        " caller ->> '$.conversation_id', length(session) FROM audit_log"
    )
    assert found == (
        "conversation.caesar",
        "user-1",
        "context-1",
        "chat",
        '["private"]',
        "rev-1",
        1,
        "conversation-1",
        32,
    )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log SET payload = '{}'",
        "DELETE FROM audit_log",
        "INSERT OR REPLACE INTO audit_log SELECT id, chain_seq, created_at,"
        " event_type, 'forged', agent, session, user_id, context_id, origin, caller,"
        " taint, policy_rev, intent_seq, payload, boot, prev_hash, row_hash"
        " FROM audit_log WHERE id = 1",
        "UPDATE audit_head SET mac = ''",
        "DELETE FROM audit_head",
        "INSERT OR REPLACE INTO audit_head SELECT number, chain_seq, row_hash,"
        " created_at, key_id, prev_mac, 'forged' FROM audit_head",
        "UPDATE audit_anchor SET mac = ''",
    ],
)
def test_nothing_is_changed(trail: Trail, statement: str) -> None:
    """Nothing is changed."""
    trail.pairs(32)
    trail.wall.advance(1)
    with trail.store.database.path.open("rb"):
        pass
    db = sqlite3.connect(trail.path)
    if "anchor" in statement:
        db.execute("INSERT INTO audit_anchor VALUES (1, '', 0, 'retention', '', '')")
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(statement)
    db.close()


def test_an_intent_has_one_outcome(trail: Trail) -> None:
    """An intent has one outcome."""
    seq = trail.intend().seq
    trail.conclude(seq)
    with pytest.raises(AuditUnavailable, match="AlreadyConcluded"):
        trail.conclude(seq)
    assert trail.intend().seq == 3
    assert trail.verify().ok


def test_an_outcome_without_its_intent_stands_for_itself(trail: Trail) -> None:
    """An outcome without its intent stands for itself."""
    trail.conclude(99)
    assert _trail(trail, "verdict, result") == [("go", "ok")]


def test_a_cut_payload_leaves_a_note(trail: Trail) -> None:
    """A cut payload leaves a note."""
    seq = trail.intend(row(payload=SERVICE | {"data": {"text": "x" * 100_000}})).seq
    (kind, said) = trail.query(
        "SELECT event_type, payload ->> '$.seq' FROM audit_log WHERE chain_seq = ?",
        seq + 1,
    )[0]
    assert (kind, said) == ("audit.payload_truncated", seq)


def test_interrupted_calls_are_reported_once(tmp_path: Path) -> None:
    """Interrupted calls are reported once."""
    with running(tmp_path) as first:
        first.pairs(1)
        lost = first.intend()
        read = first.intend(row(payload=READ), durable=False)
        assert [found for (found,) in _trail(first, "result")] == [
            "ok",
            "running",
            "running",
        ]
    with running(tmp_path) as second:
        second.idle()
        found = second.openings[0].interrupted
        assert [(call.seq, call.tool, call.entities) for call in found] == [
            (lost.seq, "light.turn_on", ("light.kitchen",)),
            (read.seq, "get_state", ()),
        ]
        assert [found for (found,) in _trail(second, "result")] == [
            "ok",
            "interrupted",
            "interrupted",
        ]
        rows = second.query(
            "SELECT event_type, payload ->> '$.tool', payload ->> '$.decision.code',"
            " decision_id, user_id FROM audit_log WHERE intent_seq IN (?, ?)",
            lost.seq,
            read.seq,
        )
        assert rows == [
            ("service.called", "light.turn_on", "allowed", "decision-1", "user-1"),
            ("tool.called", "get_state", "allowed", "decision-1", "user-1"),
        ]
        assert second.verify(outside=first.heads[-1]).ok
    with running(tmp_path) as third:
        third.idle()
        assert third.openings[0].interrupted == ()


def test_without_its_row_an_earlier_boot_reads_interrupted(tmp_path: Path) -> None:
    """What another program sees before CAESAR has come back and concluded."""
    with running(tmp_path) as trail:
        trail.intend()
    tamper(trail.path, "INSERT INTO audit_boot VALUES (7, '', 0)")
    assert query(trail.path, "SELECT result FROM audit_trail") == [("interrupted",)]


def test_schema_steps_are_ordered_and_applied_once(tmp_path: Path) -> None:
    """Schema steps are ordered and applied once."""
    numbers = [step.number for step in schema.steps()]
    assert numbers == sorted(set(numbers))
    assert [step.name for step in schema.steps()][0] == "s001_audit_boot"
    db = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    schema.apply(db)
    schema.apply(db)
    assert db.execute("PRAGMA user_version").fetchone() == (numbers[-1],)
    later = schema.Step(
        number=numbers[-1] + 1, name="s999", statements=("CREATE TABLE later (x)",)
    )
    schema.apply(db, (*schema.steps(), later))
    assert db.execute("SELECT count(*) FROM later").fetchone() == (0,)
    db.close()


def test_a_bad_step_leaves_no_half_of_it() -> None:
    """A bad step leaves no half of it."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    bad = schema.Step(
        number=1, name="s001", statements=("CREATE TABLE a (x)", "CREATE nonsense")
    )
    with pytest.raises(sqlite3.OperationalError):
        schema.apply(db, (bad,))
    assert db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    assert db.execute("PRAGMA user_version").fetchone() == (0,)
    db.close()


def test_a_newer_file_is_left_as_it_is(tmp_path: Path) -> None:
    """A newer file is left as it is."""
    with running(tmp_path) as first:
        first.pairs(2)
    tamper(first.path, "PRAGMA user_version = 900")
    with running(tmp_path) as second:
        with pytest.raises(AuditUnavailable, match="schema 900"):
            second.intend()
        assert len(second.troubles) == 1
    assert query(first.path, "SELECT count(*) FROM audit_trail") == [(2,)]
    assert [item.name for item in first.path.parent.iterdir()] == ["caesar.db"]
