"""The sentences of turns that end without a provider's own words."""

from collections.abc import Awaitable, Callable
from typing import Final

from homeassistant.core import HomeAssistant

from ..brain.loop import Finish, TurnResult
from ..policy.caller import Caller
from ..repeats import is_read
from ..turn import ToolOutcome, Turn
from ..wording import Wording, async_wording, one_line
from .activity_words import verb_of

type NotUnderstood = Callable[[str, str, Caller], Awaitable[str]]

# The name of the brain that has no server and no key.
BUILTIN: Final = "builtin"
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
# Turns that came to a good end, if a wordless one.
_WHOLE: Final = frozenset({Finish.TEXT, Finish.CAP, Finish.REFUSAL})
# Turns that broke off, perhaps half-way.
BROKEN: Final = frozenset({Finish.PROVIDER_ERROR, Finish.TIMEOUT, Finish.QUOTA})


class HouseWords:
    """Implements `Words` with CAESAR's translations."""

    def __init__(self, hass: HomeAssistant, not_understood: NotUnderstood) -> None:
        """Speak the languages of this Home Assistant."""
        self._hass = hass
        self._not_understood = not_understood

    async def for_result(self, turn: Turn, text: str, result: TurnResult) -> str:
        """Return a sentence for how the turn ended that began with `text`.

        What was done is said with it: nobody else will say so.
        """
        if result.finish is Finish.NOT_UNDERSTOOD:
            return await self._not_understood(turn.language, text, turn.caller)
        wording = await async_wording(self._hass, turn.language)
        why = _why(wording, result)
        if done := self._done(wording, result):
            if result.finish in BROKEN:
                return wording.text("turn_unfinished", done=done, why=why)
            if result.finish in _WHOLE:
                return wording.text("turn_done", done=done, why=why)
        return why

    def _done(self, wording: Wording, result: TurnResult) -> str:
        """Return what the turn's calls changed, as a person would list it."""
        done = (
            outcome
            for outcome in result.outcomes
            if outcome.executed and outcome.error is None and not is_read(outcome)
        )
        return wording.names(self._deed(wording, outcome) for outcome in done)

    def _deed(self, wording: Wording, outcome: ToolOutcome) -> str:
        targets = wording.names(map(self._name, outcome.target))
        verb = verb_of(outcome.tool, targets)
        return wording.text(f"activity_done_{verb}", tool=outcome.tool, targets=targets)

    def _name(self, entity_id: str) -> str:
        state = self._hass.states.get(entity_id)
        return one_line(state.name) if state is not None else entity_id


def _why(wording: Wording, result: TurnResult) -> str:
    if result.error is not None and result.finish is Finish.PROVIDER_ERROR:
        if result.provider == BUILTIN:
            return wording.text("provider_builtin")
        brain = one_line(result.brain) or wording.text("brain_unnamed")
        return wording.text(f"provider_{result.error.value}", brain=brain)
    tool = result.outcomes[-1].tool if result.outcomes else "–"
    return wording.text(_KEYS[result.finish], tool=tool)
