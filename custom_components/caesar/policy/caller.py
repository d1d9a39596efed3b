"""Who asks. Built in one place from what Home Assistant vouches for."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from ..legion.canonical import Json


class Origin(StrEnum):
    """The door a turn came in by."""

    CHAT = "chat"
    VOICE = "voice"
    AUTOMATION = "automation"
    AI_TASK = "ai_task"
    AGENT = "agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The person, satellite or automation behind a turn.

    `device_id`, `area_id` and `floor_id` say which room is meant; they vouch for a
    place only when `origin` is voice. `context_id` is the turn's HA context.
    """

    origin: Origin
    user_id: str | None = None
    is_admin: bool = False
    satellite_id: str | None = None
    device_id: str | None = None
    area_id: str | None = None
    floor_id: str | None = None
    agent_id: str
    conversation_id: str | None = None
    context_id: str

    @property
    def unattended(self) -> bool:
        """Return whether no person is known to be behind the turn.

        So it is for automations, and for another agent or a task that names no user.
        """
        return self.origin is Origin.AUTOMATION or (
            self.origin in (Origin.AGENT, Origin.AI_TASK) and self.user_id is None
        )

    def as_json(self) -> dict[str, Json]:
        """Return the whole caller, as every audit row stores it."""
        return asdict(self)
