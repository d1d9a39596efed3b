"""How a turn begins: whose it is, which conversation it belongs to, what taints it."""

from dataclasses import dataclass, field
from typing import Final
import uuid

from ..brain.session import SessionKey
from ..policy.caller import Caller, Origin
from ..turn import Taint, ToolOutcome, ToolScope, Turn

TURN_LIMIT_S: Final = 240.0
# What a single call may measure, written as JSON.
MAX_CALL_BYTES: Final = 16_384


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherAgent:
    """Another conversation agent that makes a call, as far as CAESAR remembers it.

    `private` says that it has been told something private. `seen` holds its calls of
    just now, by their hashes, and is the new turn's own from then on.
    """

    private: bool = False
    seen: dict[str, ToolOutcome] = field(default_factory=dict)


def new_turn(
    caller: Caller,
    language: str,
    now: float,
    tools: ToolScope,
    *,
    trusted: bool,
    other: OtherAgent | None = None,
) -> Turn:
    """Return a turn that begins at `now`, in seconds of the turns' clock.

    An automation's own text taints it, and so does another agent: CAESAR knows nothing
    of what its model has read (ADR-0016). A task's words and files may come from
    anywhere.
    """
    turn = Turn(
        decision_id=uuid.uuid4().hex,
        caller=caller,
        language=language,
        deadline=now + TURN_LIMIT_S,
        session=session_key(caller).text,
        tools=tools,
    )
    if caller.origin is Origin.AUTOMATION and not trusted:
        turn.taint.add(Taint.UNTRUSTED)
    if caller.origin is Origin.AI_TASK:
        turn.taint.add(Taint.UNTRUSTED)
    if other is not None:
        turn.seen = other.seen
        turn.taint.add(Taint.UNTRUSTED)
        if other.private:
            turn.taint.add(Taint.PRIVATE)
    return turn


def session_key(caller: Caller) -> SessionKey:
    """Return the conversation that a turn of this caller belongs to."""
    channel = f"conv:{caller.conversation_id}"
    if caller.origin is Origin.VOICE:
        channel = f"device:{caller.device_id or caller.satellite_id}"
    return SessionKey(agent_id=caller.agent_id, channel=channel, user_id=caller.user_id)
