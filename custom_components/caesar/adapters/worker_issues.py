"""Repair issues of workers: made when something is wrong, gone when it is well."""

from collections.abc import Iterable
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util

from ..const import DOMAIN
from ..wording import plain
from .worker_status import WorkerStatus

AWAY: Final = "worker_away"
CHANGED: Final = "worker_changed"
CLOCK: Final = "worker_clock"
MORE: Final = "worker_more"
LOCAL_TOOL: Final = "local_tool"
LOCAL_WORKER: Final = "local_worker"
_OF_WORKERS: Final = (AWAY, CHANGED, CLOCK, MORE)
_NAMES_SHOWN: Final = 5
# Only what is listed here has a flow that mends it (flows and repairs.py).
_FIXABLE: Final = frozenset({CHANGED, MORE})


@callback
def async_show(hass: HomeAssistant, status: WorkerStatus, *, away: bool) -> None:
    """Make the issues of a worker be those that it has now."""
    seen = dt_util.as_local(status.last_seen) if status.last_seen else None
    _set(
        hass,
        AWAY,
        status,
        away and status.skew_s is None,
        since=seen.strftime("%Y-%m-%d %H:%M") if seen else "-",
        problem=plain(status.last_error or "-"),
    )
    _set(
        hass,
        CLOCK,
        status,
        status.skew_s is not None,
        seconds=str(abs(round(status.skew_s or 0))),
    )
    _set(hass, CHANGED, status, bool(status.changed), tools=_names(status.changed))
    _set(hass, MORE, status, bool(status.more), tools=_names(status.more))


@callback
def async_forget(hass: HomeAssistant, subentry_id: str) -> None:
    """Take everything about a worker back; what was ignored stays ignored."""
    registry = ir.async_get(hass)
    for kind in _OF_WORKERS:
        issue = registry.async_get_issue(DOMAIN, f"{kind}_{subentry_id}")
        if issue is not None and issue.dismissed_version is None:
            ir.async_delete_issue(hass, DOMAIN, issue.issue_id)


@callback
def async_local_tool(hass: HomeAssistant, tool: str, problem: str | None) -> None:
    """Tell that a tool of the local worker can't be started; None takes it back."""
    issue_id = f"{LOCAL_TOOL}_{tool}"
    if problem is None:
        ir.async_delete_issue(hass, DOMAIN, issue_id)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key=LOCAL_TOOL,
        translation_placeholders={"tool": plain(tool), "problem": plain(problem)},
    )


@callback
def async_local_worker(hass: HomeAssistant, problem: str | None) -> None:
    """Tell that the local worker does not stay alive; None takes it back."""
    if problem is None:
        ir.async_delete_issue(hass, DOMAIN, LOCAL_WORKER)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        LOCAL_WORKER,
        is_fixable=False,
        severity=ir.IssueSeverity.ERROR,
        translation_key=LOCAL_WORKER,
        translation_placeholders={"problem": plain(problem)},
    )


def _set(
    hass: HomeAssistant, kind: str, status: WorkerStatus, wrong: bool, **values: str
) -> None:
    issue_id = f"{kind}_{status.id}"
    if not wrong:
        ir.async_delete_issue(hass, DOMAIN, issue_id)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        data={"subentry_id": status.id},
        is_fixable=kind in _FIXABLE,
        severity=ir.IssueSeverity.WARNING,
        translation_key=kind,
        translation_placeholders={"name": plain(status.name), **values},
    )


def _names(tools: Iterable[str]) -> str:
    names = sorted(tools)
    more = f" (+{len(names) - _NAMES_SHOWN})" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(map(plain, names[:_NAMES_SHOWN])) + more
