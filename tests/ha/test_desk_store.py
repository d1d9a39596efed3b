"""The desk's questions in CAESAR's file: kept, sealed, and believed only if unchanged."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
import sqlite3
import threading
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.audit_log import STORAGE_KEY, HouseAuditLog
from custom_components.caesar.adapters.desk import HouseDeskTrail, PendingStore
from custom_components.caesar.audit.event import AuditUnavailable
from custom_components.caesar.audit.store import Store
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.approvals import Standing
from custom_components.caesar.sentinel.desk_parts import DeskEvent
from custom_components.caesar.sentinel.ledger import StoreUnavailable
from custom_components.caesar.turn import ApprovalState
from tests.fakes.desk import ADMIN, DeskUnderTest
from tests.fakes.loop_guard import loop_guard

SECRET = "a word that nobody may read in the file"


@asynccontextmanager
async def running(
    hass: HomeAssistant, **more: Any
) -> AsyncIterator[tuple[HouseAuditLog, DeskUnderTest]]:
    """Run the trail of this house, and a desk on its file."""
    audit = HouseAuditLog(hass, **more)
    await audit.async_start()
    desk = DeskUnderTest(store=PendingStore(audit))  # type: ignore[arg-type]  # the real one
    desk.trail = HouseDeskTrail(audit, lambda: "revision-1")  # type: ignore[assignment]  # the real one
    desk.restart()
    await desk.desk.start()
    try:
        yield audit, desk
    finally:
        await desk.desk.stop()
        await desk.settle()
        await audit.async_stop()


async def _in_file[T](
    hass: HomeAssistant, audit: HouseAuditLog, work: Callable[[sqlite3.Connection], T]
) -> T:
    """Do something with the file, as somebody who can write it could."""

    def run() -> T:
        db = sqlite3.connect(audit.path)
        with db:
            result = work(db)
        db.close()
        return result

    return await hass.async_add_executor_job(run)


async def test_a_question_outlives_a_restart(hass: HomeAssistant) -> None:
    """All of it, to the last field; nothing of it on the loop, nothing in clear."""
    with loop_guard() as found:
        async with running(hass) as (audit, desk):
            waiting = await desk.park(note=SECRET)
            held = await desk.park(entity_id="lock.shed")
            await desk.desk.answer(held, True, ADMIN)
            before = [desk.desk.find(each) for each in (waiting, held)]
            sealed = await _in_file(
                hass,
                audit,
                lambda db: db.execute(
                    "SELECT sealed, standing FROM pending_approvals"
                ).fetchall(),
            )
        assert {standing for _, standing in sealed} == {"waiting", "approved"}
        for blob, _ in sealed:
            for word in (SECRET, "lock.", "child", "unlock"):
                assert word.encode() not in blob
        async with running(hass) as (_, desk):
            assert [desk.desk.find(each) for each in (waiting, held)] == before
            assert await desk.claim(held)
            assert not await desk.claim(held)
        async with running(hass) as (_, desk):
            pending = desk.desk.find(held)
            assert pending is not None
            assert pending.standing is Standing.INTERRUPTED
    assert not found


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE pending_approvals SET standing = 'approved'",
        "UPDATE pending_approvals SET expires_at = expires_at + 86400",
        "UPDATE pending_approvals SET created_at = created_at - 1",
        "UPDATE pending_approvals SET id = 'approval-7'",
        "UPDATE pending_approvals SET sealed = zeroblob(100)",
        "UPDATE pending_approvals SET sealed = sealed || x'00'",
        "UPDATE pending_approvals SET sealed = (SELECT sealed FROM pending_approvals"
        " ORDER BY id DESC LIMIT 1) WHERE id = 'approval-1'",
    ],
)
async def test_a_file_that_was_tampered_with(
    hass: HomeAssistant, statement: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A row that anybody but CAESAR has written leads nowhere."""
    async with running(hass) as (audit, desk):
        await desk.park()
        await desk.park(entity_id="lock.shed")
        if "LIMIT 1" not in statement:
            await desk.desk.withdraw("approval-2")
            await audit.async_work(
                lambda store: store.database.connection.execute(
                    "DELETE FROM pending_approvals WHERE id = 'approval-2'"
                )
            )
        await _in_file(hass, audit, lambda db: db.execute(statement))
    async with running(hass) as (_, desk):
        for approval_id in ("approval-1", "approval-7"):
            assert desk.desk.find(approval_id) is None
            answer = await desk.desk.answer(approval_id, True, ADMIN)
            assert answer.code is Code.UNKNOWN_APPROVAL
    assert "can't be used" in caplog.text or "changed from outside" in caplog.text


async def test_a_standing_changed_under_a_running_desk(hass: HomeAssistant) -> None:
    """The one statement that moves it on looks at what the disk says."""
    async with running(hass) as (audit, desk):
        approval_id = await desk.park()
        await _in_file(
            hass,
            audit,
            lambda db: db.execute("UPDATE pending_approvals SET standing = 'denied'"),
        )
        answer = await desk.desk.answer(approval_id, True, ADMIN)
        assert (answer.ok, answer.code) == (False, Code.ALREADY_DECIDED)
        assert not await desk.claim(approval_id)


async def test_what_is_forgotten_is_gone(hass: HomeAssistant) -> None:
    """A question that nobody heard leaves no row."""
    async with running(hass) as (audit, desk):
        desk.channel.people = ()
        result = await desk.desk.request(desk.asks())
        assert result.state is ApprovalState.NO_APPROVER
        assert await PendingStore(audit).load() == ()


async def test_rows_of_the_desk(hass: HomeAssistant) -> None:
    """Asked, answered, rejected: who asked, who answered, and no words of anybody."""
    async with running(hass) as (audit, desk):
        approval_id = await desk.park(note=SECRET)
        await desk.desk.answer(approval_id, True, ADMIN)
        await desk.desk.answer(approval_id, True, ADMIN)
        rows = await audit.async_export("turn-1")
    kinds = [row["event_type"] for row in rows]
    assert kinds == ["approval.requested", "approval.decided", "approval.rejected"]
    asked, decided, rejected = (row["payload"] for row in rows)
    assert isinstance(asked, dict)
    assert isinstance(decided, dict)
    assert isinstance(rejected, dict)
    assert asked["channels"] == ["phone"]
    assert (asked["tool"], asked["impact"]) == ("lock.unlock", "destructive")
    assert (decided["decided_by"], decided["via"]) == ("admin", "action")
    assert decided["verdict"] == "approved"
    assert rejected["why"] == "already_decided"
    assert SECRET not in str(rows)
    assert {row["user_id"] for row in rows} == {"child"}


async def test_no_question_without_the_file(hass: HomeAssistant) -> None:
    """A trail that is closed keeps nothing, so nobody is asked."""
    async with running(hass) as (audit, desk):
        await audit.async_stop()
        result = await desk.desk.request(desk.asks())
        assert (result.state, result.reason.code) == (
            ApprovalState.DENIED,
            Code.AUDIT_UNAVAILABLE,
        )
        with pytest.raises(StoreUnavailable):
            await PendingStore(audit).load()
        # A row that can't be written now doesn't break an answer.
        await HouseDeskTrail(audit, lambda: "").note(DeskEvent.REJECTED, None, {})


async def test_work_is_one_transaction(hass: HomeAssistant) -> None:
    """All of it or nothing; a fault of the work is no trouble of the file."""
    async with running(hass) as (audit, _):

        def half(store: Store) -> None:
            db = store.database.connection
            db.execute(
                "INSERT INTO pending_approvals VALUES ('x', 'waiting', 0, 0, 0, x'00')"
            )
            db.execute(
                "INSERT INTO pending_approvals VALUES ('x', 'waiting', 0, 0, 0, x'00')"
            )

        with pytest.raises(AuditUnavailable, match="UNIQUE"):
            await audit.async_work(half, durable=True)
        count = await audit.async_work(
            lambda store: store.database.connection.execute(
                "SELECT count(*) FROM pending_approvals"
            ).fetchone()[0]
        )
        assert count == 0
        assert audit._writer is not None
        assert audit._writer._broken is None


async def test_work_that_waited_too_long_is_never_done(hass: HomeAssistant) -> None:
    """Whoever gave it was told that it counts for nothing."""
    async with running(hass, limit=0.2) as (audit, _):
        let_go = threading.Event()
        assert audit._writer is not None
        held = asyncio.wrap_future(audit._writer.call(lambda _: let_go.wait(10)))
        done: list[int] = []
        with pytest.raises(AuditUnavailable):
            await audit.async_work(lambda _: done.append(1))
        let_go.set()
        await held
        await audit.async_work(lambda _: None)
        assert done == []


async def test_the_vault_has_a_key_of_its_own(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """Made once, kept in a private file; a house from before gets one too."""
    async with running(hass) as (audit, _):
        sealed = audit.vault.seal(b"x", b"row")
    data = hass_storage[STORAGE_KEY]["data"]
    assert len(bytes.fromhex(data["vault"])) == 32
    assert data["vault"] != data["key"]
    key = data["key"]
    async with running(hass) as (audit, _):
        assert audit.vault.open(sealed, b"row") == b"x"
    del hass_storage[STORAGE_KEY]["data"]["vault"]
    async with running(hass) as (audit, _):
        assert audit.vault.open(audit.vault.seal(b"y", b""), b"") == b"y"
    assert hass_storage[STORAGE_KEY]["data"]["key"] == key
