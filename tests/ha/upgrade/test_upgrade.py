"""Houses that earlier versions left go on with this one, whole."""

from pathlib import Path
import sqlite3
import time
from types import MappingProxyType
from typing import Any, Final
import zipfile

from freezegun.api import FrozenDateTimeFactory
from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.config_entries import ConfigEntryState, ConfigSubentryDataWithId
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.caesar.audit import schema
from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse
from tests.ha.upgrade import kept
from tests.ha.upgrade.kept import FIRST, FIXTURES, unpack

# What waits for an answer in them does so until a quarter of an hour later.
THEN: Final = "2026-12-01 02:14:00+00:00"


async def move_in(
    hass: HomeAssistant, name: str, storage: dict[str, Any]
) -> CaesarHouse:
    """Start today's CAESAR in such a house."""
    folder = Path(hass.config.config_dir)
    left = await hass.async_add_executor_job(unpack, name, folder)
    storage.update(left.storage)
    group = await hass.auth.async_get_group(GROUP_ID_ADMIN)
    assert group is not None
    owner = MockUser(id=left.owner, name="Owner", is_owner=True, groups=[group])
    owner.add_to_hass(hass)
    await async_build_house(hass)
    entry = MockConfigEntry(
        domain=DOMAIN,
        title=left.entry["title"],
        data=left.entry["data"],
        options=left.entry["options"],
        version=left.entry["version"],
        minor_version=left.entry["minor_version"],
        entry_id=left.entry["entry_id"],
        subentries_data=[
            ConfigSubentryDataWithId(
                subentry_id=each["subentry_id"],
                data=MappingProxyType(each["data"]),
                subentry_type=each["subentry_type"],
                title=each["title"],
                unique_id=each["unique_id"],
            )
            for each in left.entry["subentries"]
        ],
    )
    entry.add_to_hass(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return CaesarHouse(hass=hass, entry=entry, user_id=left.owner)


async def act(house: CaesarHouse, action: str, **data: Any) -> dict[str, Any]:
    """Call one of CAESAR's actions as the owner."""
    answer = await house.hass.services.async_call(
        DOMAIN,
        action,
        data,
        blocking=True,
        context=Context(user_id=house.user_id),
        return_response=True,
    )
    assert answer is not None
    return dict(answer)


def test_there_is_a_house_of_the_first_version() -> None:
    """An empty folder would pass every test."""
    assert (FIXTURES / FIRST).exists()


@pytest.mark.parametrize("name", sorted(each.name for each in FIXTURES.iterdir()))
async def test_it_goes_on(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    name: str,
) -> None:
    """The agent, the policy, the trail, what waits and what was used are still there."""
    freezer.move_to(THEN)
    house = await move_in(hass, name, hass_storage)
    assert house.entry.state is ConfigEntryState.LOADED
    assert [
        each.settings.title for each in house.entry.runtime_data.assistants.values()
    ]
    problems = [
        issue.translation_key
        for (domain, _), issue in ir.async_get(hass).issues.items()
        if domain == DOMAIN and issue.severity is ir.IssueSeverity.ERROR
    ]
    assert problems == []

    checked = await act(house, "verify_audit")
    assert checked["ok"], checked
    exported = await act(
        house, "export_audit", decision_id="22d0ce2121144f668b16bc92c2a38007"
    )
    assert len(exported["rows"]) >= 2
    waiting = (await act(house, "pending"))["approvals"]
    assert {each["tool"] for each in waiting} == {
        "alarm_control_panel.alarm_arm_away",
        "lock.unlock",
    }
    door = next(each for each in waiting if each["tool"] == "lock.unlock")
    await hass.services.async_call(
        DOMAIN,
        "approve",
        {"approval_id": door["approval_id"]},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    for _ in range(500):
        if house.state("lock.front_door") == "unlocked":
            break
        # The loop's own clock stands still here.
        await hass.async_add_executor_job(time.sleep, 0.01)
    assert house.state("lock.front_door") == "unlocked"

    said = await house.ask("turn off the kitchen light")
    assert said["calls"][0]["outcome"] == "ok"
    assert (await act(house, "verify_audit"))["ok"]
    used = await hass.async_add_executor_job(_used, house.database)
    assert used == {"2026-11-30": 777, "2026-12-01": 1234}


def _used(path: Path) -> dict[str, int]:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        assert version == schema.steps()[-1].number
        rows = db.execute("SELECT day, sum(tokens) FROM usage GROUP BY day").fetchall()
    db.close()
    return dict(rows)


async def test_a_newer_file_is_left_alone(
    hass: HomeAssistant, hass_storage: dict[str, Any], freezer: FrozenDateTimeFactory
) -> None:
    """An older CAESAR refuses what changes something, says why, and breaks nothing."""
    freezer.move_to(THEN)
    folder = Path(hass.config.config_dir)
    name = FIRST

    def newer() -> bytes:
        unpack(name, folder)
        path = folder / "caesar" / "caesar.db"
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 900")
        db.close()
        with zipfile.ZipFile(FIXTURES / name) as kept:
            assert kept.testzip() is None
        return path.read_bytes()

    before = await hass.async_add_executor_job(newer)
    extract = zipfile.ZipFile.extract

    def keep(kept: zipfile.ZipFile, member: str, path: Path) -> str:
        return "" if member.endswith(".db") else extract(kept, member, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zipfile.ZipFile, "extract", keep)
        house = await move_in(hass, name, hass_storage)
    assert house.entry.state is ConfigEntryState.LOADED
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "audit_unavailable")
    assert issue is not None
    assert issue.translation_key == "audit_newer"
    assert "900" in str(issue.translation_placeholders)
    said = await house.ask("turn on the kitchen light")
    assert said["calls"][0]["code"] == "audit_unavailable"
    assert (await house.ask("is the kitchen light on"))["calls"][0]["outcome"] == "ok"
    await hass.config_entries.async_unload(house.entry.entry_id)
    after = await hass.async_add_executor_job(house.database.read_bytes)
    assert after == before


@pytest.mark.parametrize(
    "key", ["caesar.audit", "caesar.legion", "caesar.phone_cards", "caesar.pins"]
)
async def test_a_newer_storage_is_left_alone(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    freezer: FrozenDateTimeFactory,
    key: str,
) -> None:
    """The entry says which file it is and what to do; the file stays as it is."""
    freezer.move_to(THEN)
    newer = {"version": 7, "minor_version": 1, "key": key, "data": {"new": True}}
    unpack_only = kept.unpack

    def unpacked(name: str, folder: Path) -> kept.Left:
        left = unpack_only(name, folder)
        left.storage[key] = newer
        return left

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{__name__}.unpack", unpacked)
        house = await move_in(hass, FIRST, hass_storage)
    assert house.entry.state is ConfigEntryState.SETUP_ERROR
    assert house.entry.error_reason_translation_key == "storage_newer"
    assert f".storage/{key}" in str(house.entry.reason)
    assert hass_storage[key] == newer
    await hass.config_entries.async_remove(house.entry.entry_id)


async def test_a_newer_entry_is_not_set_up(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """An entry of a later major version waits for a CAESAR that knows it."""
    await async_build_house(hass)
    entry = MockConfigEntry(domain=DOMAIN, data={}, version=99)
    entry.add_to_hass(hass)
    await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.MIGRATION_ERROR
