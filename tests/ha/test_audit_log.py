"""The trail in Home Assistant: its key, its thread, its repairs, its end."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
import json
from pathlib import Path
import sqlite3
import threading
from typing import Any

from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.audit.event import AuditEventType, AuditUnavailable
from custom_components.caesar.audit.store import Store
from custom_components.caesar.const import DOMAIN
from tests.core.audit.house import NOON, OK, READ, SERVICE, denial, event, tamper
from tests.fakes.loop_guard import loop_guard

INTENT = event(AuditEventType.TOOL_INTENDED, SERVICE, durable=True)
OUTCOME = event(AuditEventType.SERVICE_CALLED, SERVICE | OK)
DENIAL = event(AuditEventType.POLICY_DENIED, denial("not_listed"))
RUBBISH = b"no database at all, whatever the name says " * 500


@asynccontextmanager
async def running(hass: HomeAssistant, **more: Any) -> AsyncIterator[HouseAuditLog]:
    """Run the trail of this house."""
    audit = HouseAuditLog(hass, **more)
    await audit.async_start()
    try:
        yield audit
    finally:
        await audit.async_stop()


async def _settled(audit: HouseAuditLog) -> None:
    """Let the check at the start end, and what the writer told arrive."""
    if audit._check is not None:
        await asyncio.wait({audit._check})
    await asyncio.sleep(0)


def _issue(hass: HomeAssistant, issue_id: str) -> ir.IssueEntry | None:
    return ir.async_get(hass).async_get_issue(DOMAIN, issue_id)


async def _results(hass: HomeAssistant, audit: HouseAuditLog) -> list[str]:
    def read() -> list[str]:
        db = sqlite3.connect(audit.path)
        rows = db.execute("SELECT result FROM audit_trail ORDER BY id").fetchall()
        db.close()
        return [result for (result,) in rows]

    return await hass.async_add_executor_job(read)


class _Held:
    """Keeps the writer's thread busy until it is let go."""

    def __init__(self, audit: HouseAuditLog) -> None:
        self._let_go = threading.Event()
        assert audit._writer is not None
        self.future = asyncio.wrap_future(audit._writer.call(self._hold))

    def _hold(self, _: Store) -> None:
        assert self._let_go.wait(10)

    async def release(self) -> None:
        self._let_go.set()
        await self.future


async def test_a_call_is_on_record(hass: HomeAssistant) -> None:
    """Two rows of one call, and nothing of it on the loop."""
    with loop_guard() as found:
        async with running(hass) as audit:
            row = await audit.intend(INTENT)
            await audit.conclude(row.seq, OUTCOME)
            await audit.record(DENIAL)
            assert await _results(hass, audit) == ["ok", "none"]
            check = await audit.async_verify()
            assert (check["ok"], check["rows"]) == (True, 3)
            rows = await audit.async_export("decision-1")
            assert [found["chain_seq"] for found in rows] == [1, 2, 3]
        assert found == []


async def test_the_key_is_kept_and_private(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """A second start verifies what the first one signed."""
    async with running(hass) as audit:
        await audit.intend(INTENT)
    stored = hass_storage["caesar.audit"]["data"]
    assert len(bytes.fromhex(stored["key"])) == 32
    assert stored["head"]["seq"] == 1
    assert audit._secrets._private
    async with running(hass) as again:
        await _settled(again)
        check = await again.async_verify()
        assert (check["ok"], check["signed"]) == (True, 1)
        assert _issue(hass, "audit_chain_broken") is None
    assert hass_storage["caesar.audit"]["data"]["key"] == stored["key"]


async def test_nothing_is_left_behind(hass: HomeAssistant) -> None:
    """Started and stopped twenty times: no thread, no listener."""
    before = hass.bus.async_listeners()
    for _ in range(20):
        async with running(hass) as audit:
            await audit.record(DENIAL)
    assert hass.bus.async_listeners() == before
    assert not [item for item in threading.enumerate() if item.name == "caesar audit"]
    with pytest.raises(AuditUnavailable):
        await audit.intend(INTENT)
    await audit.async_stop()


async def test_it_is_closed_when_home_assistant_stops(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """Entries are not unloaded then."""
    audit = HouseAuditLog(hass)
    await audit.async_start()
    await audit.intend(INTENT)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_FINAL_WRITE)
    await hass.async_block_till_done()
    assert not [item for item in threading.enumerate() if item.name == "caesar audit"]
    assert hass_storage["caesar.audit"]["data"]["head"]["seq"] == 1


async def test_an_intent_that_takes_too_long_is_refused(hass: HomeAssistant) -> None:
    """It never comes to disk; what only tells comes later."""
    async with running(hass, limit=0.05) as audit:
        held = _Held(audit)
        with pytest.raises(AuditUnavailable, match="in time"):
            await audit.intend(INTENT)
        with pytest.raises(AuditUnavailable, match="in time"):
            await audit.record(DENIAL)
        await held.release()
        await audit.record(DENIAL)
        assert await _results(hass, audit) == ["none", "none"]


async def test_an_intent_nobody_waits_for_is_withdrawn(hass: HomeAssistant) -> None:
    """A turn that ends meanwhile leaves nothing that looks as if it ran."""
    async with running(hass) as audit:
        held = _Held(audit)
        task = hass.async_create_task(audit.intend(INTENT))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await held.release()
        await audit.record(DENIAL)
        assert await _results(hass, audit) == ["none"]


async def test_an_intent_on_disk_that_nobody_waits_for(hass: HomeAssistant) -> None:
    """Cancelled in the very moment it came to disk: concluded, not running."""
    async with running(hass) as audit:
        assert audit._writer is not None
        intend: Callable[..., Any] = audit._writer.intend
        tickets = []

        def watched(*args: Any, **more: Any) -> Any:
            tickets.append(intend(*args, **more))
            return tickets[-1]

        audit._writer.intend = watched  # type: ignore[method-assign]  # to see tickets
        task = hass.async_create_task(audit.intend(INTENT))
        await asyncio.sleep(0)
        tickets[0].future.result(10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await audit.record(DENIAL)
        await audit.record(DENIAL)
        assert await _results(hass, audit) == ["audit_unavailable", "none", "none"]


async def test_a_backup_does_not_wait_for_a_dead_disk(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """It goes on after the limit, and the log says that the trail was not ready."""
    async with running(hass, limit=0.05) as audit:
        held = _Held(audit)
        await audit.async_begin_backup()
        assert "the disk is too slow" in caplog.text
        await held.release()
        await audit.async_end_backup()
        assert (await audit.intend(INTENT)).seq == 1


async def test_interrupted_calls_are_told(hass: HomeAssistant) -> None:
    """A repair names what may or may not have happened; reads aren't worth it."""
    async with running(hass) as audit:
        await audit.intend(INTENT)
    async with running(hass) as again:
        await _settled(again)
        issue = _issue(hass, "audit_interrupted")
        assert issue is not None
        assert issue.translation_placeholders is not None
        assert issue.translation_placeholders["count"] == "1"
        assert "light.turn_on light.kitchen" in issue.translation_placeholders["calls"]
        assert await _results(hass, again) == ["interrupted"]
    ir.async_delete_issue(hass, DOMAIN, "audit_interrupted")
    read = READ | {"decision": {"verdict": "allow", "impact": "read"}}
    async with running(hass) as third:
        await third.intend(event(AuditEventType.TOOL_INTENDED, read))
    async with running(hass) as fourth:
        await _settled(fourth)
        assert _issue(hass, "audit_interrupted") is None


async def test_a_folder_that_can_not_be_written(hass: HomeAssistant) -> None:
    """The house starts all the same; the repair goes when it is well again."""
    folder = Path(hass.config.path("caesar"))
    folder.write_text("a file in the place of the folder")
    async with running(hass) as audit:
        await _settled(audit)
        issue = _issue(hass, "audit_unavailable")
        assert issue is not None
        assert issue.severity is ir.IssueSeverity.ERROR
        with pytest.raises(AuditUnavailable):
            await audit.intend(INTENT)
        with pytest.raises(AuditUnavailable):
            await audit.record(DENIAL)
        await audit.async_begin_backup()
        await audit.async_end_backup()
        folder.unlink()
        assert audit._writer is not None
        audit._writer._retry_at = 0
        assert (await audit.intend(INTENT)).seq == 2
        await asyncio.sleep(0)
        assert _issue(hass, "audit_unavailable") is None
        assert await _results(hass, audit) == ["none", "running"]


@pytest.mark.parametrize(
    ("statements", "key", "row"),
    [
        (["UPDATE audit_log SET user_id = 'x' WHERE id = 2"], "changed", "2"),
        (["DELETE FROM audit_log WHERE id = 2"], "gap", "2"),
        (
            ["DELETE FROM audit_log WHERE id > 1", "DELETE FROM audit_head"],
            "cut",
            "2",
        ),
        (["DELETE FROM audit_head"], "forged_head", "3"),
    ],
)
async def test_a_trail_that_was_tampered_with(
    hass: HomeAssistant, statements: list[str], key: str, row: str
) -> None:
    """Each is found by the whole check, and told in words of its own."""
    async with running(hass) as audit:
        for _ in range(3):
            await audit.record(DENIAL)
    tamper(audit.path, *statements)
    again = HouseAuditLog(hass)
    await again._async_load_secrets()
    check = await again.async_verify()
    assert (check["ok"], check["problem"], check["first_bad"]) == (False, key, int(row))
    issue = _issue(hass, "audit_chain_broken")
    assert issue is not None
    assert issue.translation_key == f"audit_chain_{key}"
    assert issue.translation_placeholders == {"row": row}


async def test_the_check_at_the_start_finds_a_changed_end(
    hass: HomeAssistant,
) -> None:
    """And writes down that it did; a good check later takes the repair back."""
    async with running(hass) as audit:
        for _ in range(3):
            await audit.record(DENIAL)
    tamper(audit.path, "UPDATE audit_log SET user_id = 'x' WHERE id = 3")
    async with running(hass) as again:
        await _settled(again)
        assert _issue(hass, "audit_chain_broken") is not None
        rows = await again.async_export("")
        assert [row["event_type"] for row in rows] == ["audit.chain_broken"]
        assert rows[0]["payload"] == {"kind": "changed", "seq": 3}
    tamper(audit.path, "UPDATE audit_log SET user_id = 'user-1' WHERE id = 3")
    async with running(hass) as third:
        assert (await third.async_verify())["ok"]
        assert _issue(hass, "audit_chain_broken") is None


async def test_rubbish_in_the_files_place(hass: HomeAssistant) -> None:
    """A new file goes on, and a good check doesn't take back that rows are lost."""
    async with running(hass) as audit:
        await audit.record(DENIAL)
    audit.path.write_bytes(RUBBISH)
    async with running(hass) as again:
        await _settled(again)
        assert (await again.async_verify())["ok"]
        issue = _issue(hass, "audit_chain_broken")
        assert issue is not None
        assert issue.translation_key == "audit_file_damaged"
        assert issue.translation_placeholders == {"file": "caesar.db.damaged-1"}
        kept = again.path.with_name("caesar.db.damaged-1")
        assert await hass.async_add_executor_job(kept.read_bytes) == RUBBISH


async def test_a_file_replaced_under_a_running_house(hass: HomeAssistant) -> None:
    """Nothing is lost, and a repair says what was found there."""
    async with running(hass) as audit:
        row = await audit.intend(INTENT)

        def replace() -> None:
            audit.path.unlink()
            audit.path.write_bytes(RUBBISH)

        await hass.async_add_executor_job(replace)
        with pytest.raises(AuditUnavailable):
            await audit.intend(INTENT)
        await audit.conclude(row.seq, OUTCOME)
        await asyncio.sleep(0)
        assert await _results(hass, audit) == ["ok"]
        issue = _issue(hass, "audit_chain_broken")
        assert issue is not None
        assert issue.translation_key == "audit_file_rescued"


async def test_a_cut_trail_at_the_start(hass: HomeAssistant) -> None:
    """The newest head outside the file shows it."""
    async with running(hass) as audit:
        for _ in range(3):
            await audit.record(DENIAL)
    tamper(audit.path, "DELETE FROM audit_log WHERE id > 1", "DELETE FROM audit_head")
    async with running(hass) as again:
        await _settled(again)
        issue = _issue(hass, "audit_chain_broken")
        assert issue is not None
        assert (issue.translation_key or "").startswith("audit_chain_")


async def test_old_rows_go_every_hour(hass: HomeAssistant) -> None:
    """Retention by HA's clock; the dry run counts and deletes nothing."""
    past = HouseAuditLog(hass, now=lambda: NOON - 91 * 86_400)
    await past.async_start()
    for _ in range(3):
        await past.record(DENIAL)
    await past.async_stop()
    async with running(hass, now=lambda: NOON) as audit:
        assert await audit.async_count_old() == 3
        assert await _results(hass, audit) == ["none"] * 3
        async_fire_time_changed(hass, dt_util.utcnow() + timedelta(hours=1, seconds=5))
        await hass.async_block_till_done(wait_background_tasks=True)
        assert await audit.async_count_old() == 0
        assert await _results(hass, audit) == []
        assert (await audit.async_verify())["begins"] == "retention"
        assert await audit.async_sweep() == 0


async def test_repairs_have_words(hass: HomeAssistant) -> None:
    """Every repair of the trail has its text, in both languages."""
    await async_setup_component(hass, "homeassistant", {})
    folder = Path(__file__).parents[2] / "custom_components" / DOMAIN / "translations"
    keys = {
        "audit_unavailable",
        "audit_interrupted",
        "audit_file_damaged",
        "audit_file_missing",
        "audit_file_rescued",
        *(
            f"audit_chain_{problem}"
            for problem in (
                "changed",
                "gap",
                "cut",
                "rewritten",
                "forged_head",
                "unreadable",
            )
        ),
    }
    for language in ("en", "de"):
        texts = json.loads((folder / f"{language}.json").read_text())["issues"]
        assert keys <= set(texts)
