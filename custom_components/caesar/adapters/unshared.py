"""What was asked for and refused because it isn't shared with Assist."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..audit.dispatches import Dispatch, dispatches
from ..policy.reason import Code
from .audit_log import HouseAuditLog
from .home import HomeAssistantHome

DAYS: Final = 7
MAX_LISTED: Final = 30
_MAX_ROWS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Unshared:
    """An entity that was asked for `count` times and isn't shared."""

    entity_id: str
    name: str
    count: int


class UnsharedEntities:
    """Reads from the trail what was refused because it isn't shared."""

    def __init__(
        self, hass: HomeAssistant, audit: HouseAuditLog, home: HomeAssistantHome
    ) -> None:
        """Stand on the parts of a house that is loaded."""
        self._hass = hass
        self._audit = audit
        self._home = home

    async def async_recent(self) -> tuple[Unshared, ...]:
        """Return what was refused for it in the last week and still isn't shared.

        What was asked for most comes first. Raises sqlite3.Error.
        """
        since = (dt_util.utcnow() - timedelta(days=DAYS)).strftime("%Y-%m-%d %H:%M:%S")
        rows = await self._hass.async_add_executor_job(
            lambda: dispatches(self._audit.path, since, _MAX_ROWS, refused=True)
        )
        counts: dict[str, int] = {}
        for row in rows:
            if (entity_id := _not_shared(row)) is not None:
                counts[entity_id] = counts.get(entity_id, 0) + 1
        found = [
            Unshared(entity_id=facts.entity_id, name=facts.name, count=count)
            for entity_id, count in counts.items()
            if (facts := self._home.entity(entity_id)) and not facts.exposed
        ]
        found.sort(key=lambda each: -each.count)
        return tuple(found[:MAX_LISTED])


def _not_shared(row: Dispatch) -> str | None:
    """Return the entity that a call was refused for; None for another refusal."""
    values = row.decision.get("values")
    if (
        row.decision.get("code") != Code.CAPABILITY_DENIED.value
        or not isinstance(values, dict)
        or values.get("why") != "not_exposed"
    ):
        return None
    return str(values.get("entity", ""))
