"""Whom a rule is for: the `for:` of an entry, asked of the Caller of a turn."""

from dataclasses import dataclass
from typing import Final

from .caller import Caller, Origin

WITH_USER: Final = frozenset({Origin.CHAT, Origin.AI_TASK, Origin.AGENT})
"""Origins that Home Assistant vouches for with a user."""
WITH_PLACE: Final = frozenset({Origin.VOICE})
"""Origins whose place Home Assistant vouches for; everywhere else it is only said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Callers; each key that is given must hold. All are ids.

    Users, and admins, are met by a user's own turns only, never by a satellite; areas
    and devices by a satellite only, whatever another caller says of its room
    (DESIGN 4).
    """

    users: frozenset[str] | None = None
    areas: frozenset[str] | None = None
    devices: frozenset[str] | None = None
    agents: frozenset[str] | None = None
    origins: frozenset[Origin] | None = None
    admin: bool = False

    def covers(self, caller: Caller) -> bool:
        """Return whether the rule is for this caller."""
        if self.origins is not None and caller.origin not in self.origins:
            return False
        if self.agents is not None and caller.agent_id not in self.agents:
            return False
        if self.users is not None or self.admin:
            if caller.user_id is None or caller.origin not in WITH_USER:
                return False
            if self.users is not None and caller.user_id not in self.users:
                return False
            if self.admin and caller.is_admin is not True:
                return False
        if self.areas is not None or self.devices is not None:
            if caller.origin not in WITH_PLACE or caller.satellite_id is None:
                return False
            if self.areas is not None and caller.area_id not in self.areas:
                return False
            if self.devices is not None and caller.device_id not in self.devices:
                return False
        return True
