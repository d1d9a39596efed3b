"""The sentences of turns that end without a provider's own words."""

from collections.abc import Awaitable, Callable
from typing import Final

from homeassistant.core import HomeAssistant

from ..brain.loop import Finish, TurnResult
from ..policy.caller import Caller
from ..turn import Turn
from ..wording import async_wording

type NotUnderstood = Callable[[str, str, Caller], Awaitable[str]]

_KEYS: Final = {
    Finish.TEXT: "turn_empty",
    Finish.CAP: "turn_cap",
    Finish.TIMEOUT: "turn_timeout",
    Finish.REFUSAL: "turn_refusal",
    Finish.QUOTA: "turn_quota",
    Finish.PARKED: "turn_parked",
    Finish.EXPIRED: "turn_expired",
    Finish.INTERRUPTED: "turn_interrupted",
    Finish.ABANDONED: "turn_abandoned",
}


class HouseWords:
    """Implements `Words` with CAESAR's translations."""

    def __init__(self, hass: HomeAssistant, not_understood: NotUnderstood) -> None:
        """Speak the languages of this Home Assistant."""
        self._hass = hass
        self._not_understood = not_understood

    async def for_result(self, turn: Turn, text: str, result: TurnResult) -> str:
        """Return a sentence for how the turn ended that began with `text`."""
        if result.finish is Finish.NOT_UNDERSTOOD:
            return await self._not_understood(turn.language, text, turn.caller)
        wording = await async_wording(self._hass, turn.language)
        if result.error is not None and result.finish is Finish.PROVIDER_ERROR:
            return wording.text(f"provider_{result.error.value}")
        tool = result.outcomes[-1].tool if result.outcomes else "–"
        return wording.text(_KEYS[result.finish], tool=tool)
