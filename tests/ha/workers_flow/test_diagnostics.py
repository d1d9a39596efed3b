"""A report of a fault holds no secret and no word, whatever the settings are."""

import json
from types import MappingProxyType
from typing import Any

from homeassistant.config_entries import ConfigSubentry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.caesar.const import DOMAIN
from custom_components.caesar.diagnostics import (
    COUNTED,
    NAMED,
    SHOWN,
    async_get_config_entry_diagnostics,
)
from tests.ha.house import CaesarHouse

from .peers import DICE, enrol, peers

SECRET = "s3cret"
# Everything that the forms of this integration keep, each with a value to look for.
SETTINGS: dict[str, dict[str, Any]] = {
    "web_search": {
        "backend": "brave",
        "api_key": f"key-{SECRET}",
        "url": f"http://me:{SECRET}@search.local",
    },
    "calendar_read": {
        "url": f"https://{SECRET}.example.org",
        "username": f"{SECRET}@example.org",
        "password": f"pass-{SECRET}",
        "calendars": [f"Dates of {SECRET}"],
        "something_new": f"new-{SECRET}",
    },
    "conversation": {
        "model": "claude-haiku-4-5",
        "prompt": f"We keep the key under {SECRET}.",
        "persona_name": SECRET,
    },
}


async def report(hass: HomeAssistant, house: CaesarHouse) -> dict[str, Any]:
    """Return the report, as it is written to a file."""
    made = await async_get_config_entry_diagnostics(hass, house.entry)
    read: dict[str, Any] = json.loads(json.dumps(made))
    return read


async def test_no_secret(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Neither of an account, nor of any tool, nor any name that a person typed."""
    await hass.config_entries.async_unload(house.entry.entry_id)
    hass.config_entries.async_update_entry(
        house.entry,
        title=SECRET,
        data={**house.entry.data, "api_key": f"sk-{SECRET}"},
        options={"automation_tools": "read", "other": [SECRET]},
    )
    for kind, data in SETTINGS.items():
        hass.config_entries.async_add_subentry(house.entry, _subentry(kind, data))
    made = await report(hass, house)
    assert SECRET not in json.dumps(made)
    assert made["entry"] == {
        "provider": "builtin",
        "starter_policy": "everyday",
        "api_key": "set",
    }
    assert made["options"] == {"automation_tools": "read", "other": "set"}
    kept = {each["type"]: each["data"] for each in made["subentries"][1:]}
    assert kept["web_search"] == {"backend": "brave", "api_key": "set", "url": "set"}
    assert kept["calendar_read"] == {
        "url": "set",
        "username": "set",
        "password": "set",
        "calendars": 1,
        "something_new": "set",
    }
    assert kept["conversation"] == {
        "model": "claude-haiku-4-5",
        "prompt": "set",
        "persona_name": "set",
    }


def _subentry(kind: str, data: dict[str, Any]) -> ConfigSubentry:
    return ConfigSubentry(
        data=MappingProxyType(data), subentry_type=kind, title=SECRET, unique_id=None
    )


@pytest.mark.parametrize(
    "secret", ["api_key", "password", "username", "url", "prompt", "seed"]
)
def test_what_is_shown_is_no_secret(secret: str) -> None:
    """The three lists of what may be shown name none."""
    assert secret not in SHOWN | COUNTED | NAMED


async def test_what_helps(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Policy, workers and open issues are in it; what a worker says is not."""
    async with peers(house, DICE) as peer:
        worker = await enrol(hass, house, peer, "dice.read_only")
        ir.async_create_issue(
            hass,
            DOMAIN,
            "x",
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="worker_away",
            translation_placeholders={"name": SECRET},
        )
        made = await report(hass, house)
    policy = house.entry.runtime_data.policy_file.policy
    assert made["policy"]["revision"] == policy.revision
    assert made["policy"]["loaded"] is True
    assert made["issues"] == {"worker_away": 1}
    assert SECRET not in json.dumps(made)
    (status,) = [each for each in made["workers"] if each["id"] == worker.subentry_id]
    assert status["refused"] == []
    assert made["subentries"][-1]["data"] == {
        "url": "set",
        "public_key": "set",
        "tools": {"dice": "set"},
        "confirmed": {"dice": ["read_only", "destructive"]},
    }
    assert peer.key not in json.dumps(made)
    assert made["calls_under_way"] == 0
    assert made["approvals_waiting"] == 0
