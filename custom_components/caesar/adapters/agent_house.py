"""What an agent stands on: its own settings, and what all agents of the house share."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from homeassistant.core import HomeAssistant

from ..audit.event import AuditLog
from ..brain.checkpoint import Keeper, NoKeeper
from ..brain.listening import Listening
from ..brain.loop import Gate, TurnResult
from ..brain.meter import Meter, Unmetered
from ..brain.prompt import Persona
from ..policy.caller import Caller
from ..policy.decision import Policy
from ..turn import Turn
from .asking import Asking
from .callers import OwnContexts
from .home import HomeAssistantHome
from .knowledge import HomeKnowledge
from .late import Endings
from .memory import HouseMemory
from .users import Users


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """What a person set for an agent; `agent_id` is its subentry's id.

    A `speakable` one answers without markup on a screen too: its browser may read the
    answer out.
    """

    agent_id: str
    title: str
    persona: Persona
    instructions: str
    max_iterations: int
    max_tokens: int
    speakable: bool = False


class Words(Protocol):
    """The edge's own sentences, for turns that end without text."""

    async def for_result(self, turn: Turn, text: str, result: TurnResult) -> str:
        """Return a sentence for how the turn ended that began with `text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What every agent of the house shares; the clock is in seconds."""

    hass: HomeAssistant
    home: HomeAssistantHome
    users: Users
    knowledge: HomeKnowledge
    contexts: OwnContexts
    gate: Gate
    policy: Callable[[], Policy]
    audit: AuditLog
    memory: HouseMemory
    endings: Endings
    heard: Callable[[Caller], None]
    clock: Callable[[], float]
    words: Words
    asking: Asking
    keeper: Keeper = field(default_factory=NoKeeper)
    meter: Meter = field(default_factory=Unmetered)
    listening: Listening = field(default_factory=Listening)
