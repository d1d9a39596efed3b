"""Removed, CAESAR leaves what is the owner's, and says where; all else goes."""

import json
from pathlib import Path
import sqlite3
from typing import Any

from homeassistant.auth.models import User
from homeassistant.components import persistent_notification
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.caesar.adapters import removal
from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id)


def notice(hass: HomeAssistant) -> str:
    """Return what the owner is told."""
    told = persistent_notification._async_get_or_create_notifications(hass)
    return str(told[removal.NOTICE_ID]["message"])


async def remove(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Remove the entry."""
    await hass.config_entries.async_remove(house.entry.entry_id)
    await hass.async_block_till_done()


@pytest.mark.parametrize("language", ["en", "de"])
async def test_what_stays_is_told(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    house: CaesarHouse,
    language: str,
) -> None:
    """In the house's language: the folder, and the file with the trail's key."""
    await house.ask("turn on the kitchen light")
    hass.config.language = language
    key = hass_storage["caesar.audit"]["data"]["key"]
    await remove(hass, house)
    text = notice(hass)
    folder = hass.config.path("caesar")
    assert f"`{folder}`" in text
    assert hass.config.path(".storage", "caesar.audit") in text
    assert ("wurde entfernt" in text) is (language == "de")
    left = sorted(each for each in hass_storage if each.startswith("caesar"))
    assert left == ["caesar.audit"]
    assert hass_storage["caesar.audit"]["data"]["key"] == key
    assert "vault" not in hass_storage["caesar.audit"]["data"]
    files = await hass.async_add_executor_job(lambda: sorted(Path(folder).iterdir()))
    assert {"caesar.db", "policy.yaml"} <= {path.name for path in files}


async def test_no_repair_stays(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Nobody would take it back any more, not even one that was ignored."""
    for issue_id in ("one", "other"):
        ir.async_create_issue(
            hass,
            DOMAIN,
            issue_id,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="audit_unavailable",
        )
    ir.async_ignore_issue(hass, DOMAIN, "other", True)
    await remove(hass, house)
    assert not [each for each in ir.async_get(hass).issues if each[0] == DOMAIN]


@pytest.mark.parametrize("part", ["async_give_all_back", "async_erase_waiting"])
async def test_one_part_that_fails_keeps_no_other(
    hass: HomeAssistant,
    hass_storage: dict[str, Any],
    house: CaesarHouse,
    monkeypatch: pytest.MonkeyPatch,
    part: str,
) -> None:
    """The owner hears that something is left; the users and keys go all the same."""

    async def fails(*_: object) -> None:
        raise sqlite3.OperationalError

    monkeypatch.setattr(removal, part, fails)
    await remove(hass, house)
    assert "Not all of it could be erased" in notice(hass)
    names = {user.name for user in await hass.auth.async_get_users()}
    assert not {"CAESAR voice", "CAESAR automations"} & names
    assert "caesar.legion" not in hass_storage


async def test_set_up_again(
    hass: HomeAssistant, hass_admin_user: User, house: CaesarHouse
) -> None:
    """The old trail goes on, the policy is the one that was; nothing is remembered."""
    said = await house.ask("turn on the kitchen light")
    policy = house.database.with_name("policy.yaml")
    text = await hass.async_add_executor_job(policy.read_text)
    await remove(hass, house)
    again = await async_move_in(hass, hass_admin_user.id)
    assert await hass.async_add_executor_job(policy.read_text) == text
    [row] = await again.trail(said["decision_id"])
    assert row["result"] == "ok"
    assert (await again.entry.runtime_data.audit.async_verify())["ok"]
    assert (await again.ask("turn off the kitchen light"))["calls"][0][
        "outcome"
    ] == "ok"
    kept = await hass.async_add_executor_job(_turns, house.database)
    assert kept == 1
    assert removal.NOTICE_ID not in (
        persistent_notification._async_get_or_create_notifications(hass)
    )


def _turns(path: Path) -> int:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        [(count,)] = db.execute("SELECT count(*) FROM bot_memory").fetchall()
    db.close()
    return int(count)


def test_texts_name_both_places() -> None:
    """In every language that has the sentence."""
    folder = Path(removal.__file__).parents[1] / "translations"
    for path in folder.glob("*.json"):
        texts = json.loads(path.read_text(encoding="utf-8")).get("exceptions", {})
        if "removed_kept" in texts:
            text = texts["removed_kept"]["message"]
            assert "{folder}" in text
            assert "{key}" in text
