"""The system prompt of a turn: who the agent is, and what of the house it may see."""

from collections.abc import Sequence

from ..brain.prompt import build_system
from ..brain.provider import SystemBlock
from ..policy.caller import Caller
from .agent_house import AgentSettings, House


def system_blocks(
    house: House,
    settings: AgentSettings,
    caller: Caller,
    extra: str | None,
    *,
    text: str = "",
    lately: Sequence[str] = (),
) -> tuple[SystemBlock, ...]:
    """Return the blocks; `extra` are the instructions of this turn alone.

    Only what the caller may read in Home Assistant is in them. `text` is what was
    said, `lately` what the conversation was about before: their entities are named
    where the index has no room for them.
    """
    known = house.knowledge.of(caller.user_id)
    blocks = build_system(
        settings.persona,
        settings.instructions,
        house.hass.config.location_name,
        known.index.text,
        house.knowledge.moment(caller, known, text, lately),
    )
    if extra:
        blocks = (*blocks, SystemBlock(text=extra, stable=False))
    return blocks
