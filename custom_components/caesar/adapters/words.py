"""The sentences of turns that end without a provider's own words."""

from typing import Final

from homeassistant.core import HomeAssistant

from ..brain.loop import Finish, TurnResult
from ..providers.builtin import BuiltinProvider
from ..turn import Turn
from .wording import async_wording

_KEYS: Final = {
    Finish.TEXT: "turn_empty",
    Finish.CAP: "turn_cap",
    Finish.TIMEOUT: "turn_timeout",
    Finish.REFUSAL: "turn_refusal",
}


class HouseWords:
    """Implements `Words` with CAESAR's translations."""

    def __init__(self, hass: HomeAssistant, builtin: BuiltinProvider) -> None:
        """Speak the languages of this Home Assistant."""
        self._hass = hass
        self._builtin = builtin

    async def for_result(self, turn: Turn, text: str, result: TurnResult) -> str:
        """Return a sentence for how the turn ended that began with `text`."""
        if result.finish is Finish.NOT_UNDERSTOOD:
            return await self._builtin.not_understood_text(
                turn.language, text, turn.caller
            )
        wording = await async_wording(self._hass, turn.language)
        if result.error is not None and result.finish is Finish.PROVIDER_ERROR:
            return wording.text(f"provider_{result.error.value}")
        tool = result.outcomes[-1].tool if result.outcomes else "–"
        return wording.text(_KEYS[result.finish], tool=tool)
