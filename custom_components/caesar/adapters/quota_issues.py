"""A repair that says that an agent has nearly used up its day; gone at midnight UTC."""

from datetime import UTC, datetime, timedelta
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.event import async_track_utc_time_change

from ..const import DOMAIN
from ..sentinel.budget import Quota


class QuotaIssues:
    """Shows at most one issue an agent; ends with the entry."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Forget at every midnight UTC, when the limit begins anew."""
        self._hass = hass
        self._entry = entry
        self._shown: set[str] = set()
        entry.async_on_unload(
            async_track_utc_time_change(
                hass, self._midnight, hour=0, minute=0, second=0
            )
        )
        entry.async_on_unload(self._clear)

    @callback
    def show(self, quota: Quota) -> None:
        """Say which agent it is, and how much is used."""
        agent = self._entry.subentries.get(quota.agent_id)
        issue = f"tokens_nearly_used_{quota.agent_id}"
        self._shown.add(issue)
        again = datetime.fromisoformat(quota.day).replace(tzinfo=UTC) + timedelta(1)
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key="tokens_nearly_used",
            translation_placeholders={
                "agent": agent.title if agent else quota.agent_id,
                "percent": str(int(quota.share * 100)),
                "limit": str(quota.limit),
                "until": again.strftime("%Y-%m-%d %H:%M UTC"),
            },
        )

    @callback
    def _midnight(self, _now: datetime) -> None:
        self._clear()

    @callback
    def _clear(self) -> None:
        for issue in self._shown:
            ir.async_delete_issue(self._hass, DOMAIN, issue)
        self._shown.clear()
