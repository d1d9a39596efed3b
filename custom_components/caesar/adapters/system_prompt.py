"""The system prompt of a turn: who the agent is, and what of the house it may see."""

from ..brain.prompt import IndexEntry, build_system
from ..brain.provider import SystemBlock
from ..policy.caller import Caller
from .agent_house import AgentSettings, House


def system_blocks(
    house: House, settings: AgentSettings, caller: Caller, extra: str | None
) -> tuple[SystemBlock, ...]:
    """Return the blocks; `extra` are the instructions of this turn alone.

    Only what the caller may read in Home Assistant is in the index.
    """
    index = [
        IndexEntry(
            entity_id=facts.entity_id,
            name=facts.name,
            area=house.home.area_name(facts.area_id),
        )
        for facts in house.home.exposed()
        if caller.user_id is None
        or house.users.may_read(caller.user_id, facts.entity_id)
    ]
    blocks = build_system(
        settings.persona, settings.instructions, house.hass.config.location_name, index
    )
    if extra:
        blocks = (*blocks, SystemBlock(text=extra, stable=False))
    return blocks
