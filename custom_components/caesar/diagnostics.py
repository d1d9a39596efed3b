"""What goes into a report of a fault: how the house is, and no word and no secret."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from homeassistant.config_entries import ConfigEntryState, ConfigSubentry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from .adapters.worker_status import WorkerStatus
from .const import (
    CONF_AUTOMATION_TOOLS,
    CONF_BACKEND,
    CONF_BRAIN,
    CONF_CALENDARS,
    CONF_CHAIN,
    CONF_CHILDRENS_ROOMS,
    CONF_CONFIRMED,
    CONF_MAX_ITERATIONS,
    CONF_MAX_TOKENS,
    CONF_MODEL,
    CONF_PATIENCE,
    CONF_PERSONA_TONE,
    CONF_PRICES,
    CONF_PROVIDER,
    CONF_STARTER_POLICY,
    CONF_TOOLS,
    DOMAIN,
)
from .runtime import CaesarConfigEntry, CaesarRuntime

# Only what is named here is shown as it is. Of all else a report says that it is there:
# a list of secrets would miss the next one.
SHOWN: Final = frozenset(
    {
        CONF_AUTOMATION_TOOLS,
        CONF_BACKEND,
        CONF_BRAIN,
        CONF_MAX_ITERATIONS,
        CONF_MAX_TOKENS,
        CONF_MODEL,
        CONF_PATIENCE,
        CONF_PERSONA_TONE,
        CONF_PRICES,
        CONF_PROVIDER,
        CONF_STARTER_POLICY,
    }
)
COUNTED: Final = frozenset({CONF_CALENDARS, CONF_CHAIN, CONF_CHILDRENS_ROOMS})
NAMED: Final = frozenset({CONF_TOOLS, CONF_CONFIRMED})
HIDDEN: Final = "set"
EMPTY: Final = "empty"


async def async_get_config_entry_diagnostics(
    hass: HomeAssistant, entry: CaesarConfigEntry
) -> dict[str, Any]:
    """Return the report of CAESAR's entry."""
    report: dict[str, Any] = {
        "entry": _shown(entry.data),
        "options": _shown(entry.options),
        "subentries": [_subentry(each) for each in entry.subentries.values()],
        "issues": dict(
            Counter(
                issue.translation_key or ""
                for (domain, _), issue in ir.async_get(hass).issues.items()
                if domain == DOMAIN and issue.active
            )
        ),
    }
    if entry.state is ConfigEntryState.LOADED:
        report |= _house(entry.runtime_data)
    return report


def _house(house: CaesarRuntime) -> dict[str, Any]:
    """Return how the running house is."""
    loaded = house.policy_file.loaded
    return {
        "policy": {
            "revision": house.policy_file.policy.revision,
            "loaded": loaded is not None,
            "counts": dict(loaded.counts) if loaded else {},
            "lints": len(loaded.lints) if loaded else 0,
        },
        "workers": [_worker(status) for status in house.workers.statuses()],
        "workers_found": len(house.discovery.found),
        "calls_under_way": len(house.calls),
        "approvals_waiting": len(house.approvals.desk.pending()),
    }


def _worker(status: WorkerStatus) -> dict[str, Any]:
    """Return how a worker is; what it says in words may hold anything."""
    return {
        "id": status.id,
        "online": status.online,
        "version": status.version,
        "tools": list(status.tools),
        "changed": sorted(status.changed),
        "more": list(status.more),
        "refused": sorted(status.refused),
        "last_seen": status.last_seen.isoformat() if status.last_seen else None,
        "skew_s": status.skew_s,
        "has_error": status.last_error is not None,
    }


def _subentry(subentry: ConfigSubentry) -> dict[str, Any]:
    return {
        "id": subentry.subentry_id,
        "type": subentry.subentry_type,
        "data": _shown(subentry.data),
    }


def _shown(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what may be shown of settings."""
    shown: dict[str, Any] = {}
    for key, value in data.items():
        if key in SHOWN:
            shown[key] = value
        elif key in COUNTED:
            shown[key] = len(value)
        elif key in NAMED:
            shown[key] = _names(value)
        else:
            shown[key] = HIDDEN if value else EMPTY
    return shown


def _names(tools: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of tools, and of what was confirmed of each."""
    return {
        name: list(value) if isinstance(value, (list, tuple)) else HIDDEN
        for name, value in tools.items()
    }
