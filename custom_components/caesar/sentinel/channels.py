"""All channels as one: whom a question has reached, and who hears how it ended."""

import asyncio
from collections.abc import Callable, Coroutine
import logging
from typing import Any, Final

from .approvals import PendingApproval, Reached, Standing
from .desk_parts import Channel

_LOGGER = logging.getLogger(__name__)

# A channel that doesn't answer by then has reached nobody.
ASK_LIMIT_S: Final = 10.0

_UNSAID: Final = frozenset({Standing.WAITING, Standing.EXECUTING})


class Channels:
    """Asks over all channels side by side."""

    def __init__(
        self, spawn: Callable[[Coroutine[Any, Any, Any], str], asyncio.Task[Any]]
    ) -> None:
        """Start with none; `spawn` runs what nobody waits for."""
        self._spawn = spawn
        self._channels: list[Channel] = []
        self._reached: dict[str, tuple[Reached, ...]] = {}

    def add(self, channel: Channel) -> None:
        """Ask over this one too."""
        self._channels.append(channel)

    def reached(self, approval_id: str) -> tuple[Reached, ...]:
        """Return whom a question has reached in this run."""
        return self._reached.get(approval_id, ())

    async def ask(self, pending: PendingApproval) -> tuple[Reached, ...]:
        """Ask over all channels at once; return whom they have reached."""
        answers = await asyncio.gather(
            *(self._ask_over(channel, pending) for channel in self._channels)
        )
        reached = tuple(answer for answer in answers if answer is not None)
        self._reached[pending.id] = reached
        return reached

    def tell(self, pending: PendingApproval) -> None:
        """Let all channels know how a question stands, in the background."""
        if pending.standing is not Standing.WAITING:
            self._reached.pop(pending.id, None)
        if pending.standing not in _UNSAID:
            for channel in self._channels:
                self._spawn(self._tell_over(channel, pending), "caesar tells")

    async def _ask_over(
        self, channel: Channel, pending: PendingApproval
    ) -> Reached | None:
        try:
            async with asyncio.timeout(ASK_LIMIT_S):
                return await channel.ask(pending)
        except Exception:
            # One broken channel must not keep the others from asking.
            _LOGGER.exception("A channel could not ask")
            return None

    async def _tell_over(self, channel: Channel, pending: PendingApproval) -> None:
        try:
            await channel.settled(pending)
        except Exception:
            _LOGGER.exception("A channel could not say how a question ended")
