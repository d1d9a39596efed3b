"""What was asked for and refused because it isn't shared with Assist."""

from dataclasses import dataclass
from typing import Final

from homeassistant.core import HomeAssistant

from ..audit.dispatches import Dispatch
from ..policy.reason import Code
from .audit_log import HouseAuditLog
from .home import HomeAssistantHome
from .refused import async_refusals

MAX_LISTED: Final = 30


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
        counts: dict[str, int] = {}
        for row in await async_refusals(self._hass, self._audit):
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
