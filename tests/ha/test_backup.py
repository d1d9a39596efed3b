"""What Home Assistant's backup copies is a whole trail, whose head it knows."""

from copy import deepcopy as copy_of
from pathlib import Path
import shutil
import sqlite3
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.audit.chain import Signer, head_from_json
from custom_components.caesar.audit.event import AuditEventType
from custom_components.caesar.audit.verify import verify
from custom_components.caesar.backup import async_post_backup, async_pre_backup
from custom_components.caesar.const import DOMAIN
from tests.core.audit.house import denial, event

from .house import CaesarHouse, async_move_in

DENIAL = event(AuditEventType.POLICY_DENIED, denial("not_listed"))


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: MockUser) -> CaesarHouse:
    """Return a house with CAESAR and nothing else in it."""
    assert await async_setup_component(hass, "homeassistant", {})
    return await async_move_in(hass, hass_admin_user.id)


async def test_a_copy_taken_meanwhile(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    house: CaesarHouse,
    tmp_path: Path,
) -> None:
    """Rows are written before, between and after each file is copied."""
    audit: HouseAuditLog = house.entry.runtime_data.audit
    for _ in range(10):
        await audit.record(DENIAL)
    await async_pre_backup(hass)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in (audit.path, audit.path.with_name("caesar.db-wal")):
        for _ in range(100):
            await audit.record(DENIAL)
        await hass.async_add_executor_job(shutil.copy, path, copy / path.name)
    stored = copy_of(hass_storage["caesar.audit"]["data"])
    await async_post_backup(hass)
    await audit.record(DENIAL)
    assert (await audit.async_verify())["ok"]

    def check() -> int:
        signer = Signer(bytes.fromhex(stored["key"]))
        result = verify(copy / "caesar.db", signer, head_from_json(stored["head"]))
        assert result.ok, result
        db = sqlite3.connect(copy / "caesar.db")
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        db.close()
        return result.rows

    assert await hass.async_add_executor_job(check) > 110


async def test_the_head_outside_waits_for_the_backups_end(
    hass: HomeAssistant, hass_storage: dict[str, Any], house: CaesarHouse
) -> None:
    """It must never be ahead of the file in the same backup."""
    audit: HouseAuditLog = house.entry.runtime_data.audit
    await async_pre_backup(hass)
    before = copy_of(hass_storage["caesar.audit"])
    for _ in range(70):
        await audit.record(DENIAL)
    assert audit._head is not None
    assert audit._head.as_json() != before["data"]["head"]
    assert hass_storage["caesar.audit"] == before
    await async_post_backup(hass)
    await hass.config_entries.async_unload(house.entry.entry_id)
    assert hass_storage["caesar.audit"]["data"]["head"]["seq"] >= 70


async def test_nothing_loaded_nothing_to_do(hass: HomeAssistant) -> None:
    """A backup goes on whether CAESAR runs or not."""
    MockConfigEntry(domain=DOMAIN).add_to_hass(hass)
    await async_pre_backup(hass)
    await async_post_backup(hass)
