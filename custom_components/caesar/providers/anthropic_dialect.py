"""What models at Anthropic's Messages API take, and what they don't. Pure.

Source: "Extended thinking" (its table of models), "Adaptive thinking", "Effort" and
"Prompt caching" of Anthropic's documentation. Models up to 4.5 think with a budget of
tokens and know no effort; those of 4.6 both ways; later ones as they see fit, guided by
an effort, and some of them can't be told not to. A name says it at first, and what a
model refuses corrects it.
"""

from dataclasses import dataclass, replace
import re
from typing import Final, Literal

from .thinking import ROOM, Think
from .wire import Wire

type Mode = Literal["disabled", "enabled", "adaptive"]
type CacheTtl = Literal["5m", "1h"]

_WITH_BUDGET: Final = re.compile(
    r"claude-(3.*|(opus|sonnet|haiku)-4(-[0-5])?(-\d{8})?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What a request to a model carries.

    `modes` are the ways to have its thinking as it is wished, best first; the first is
    used, and one that is refused is gone. `shape` says that the model takes the shape
    of an answer. What stays the same between turns is kept by the vendor for `ttl`.
    """

    model: str
    think: Think = Think.OFF
    ttl: CacheTtl = "5m"
    modes: tuple[Mode, ...] = ("disabled",)
    effort: bool = True
    shape: bool = True

    def without(self, param: str | None) -> Dialect | None:
        """Return the dialect of a model that refused a parameter.

        None if nothing would change: then asking again is of no use.
        """
        family, _, part = (param or "").partition(".")
        if family == "thinking" and len(self.modes) > 1:
            return replace(self, modes=self.modes[1:])
        if family == "output_config":
            if self.shape and part != "effort":
                return replace(self, shape=False)
            if self.effort and part != "format":
                return replace(self, effort=False)
        return None

    @property
    def cache(self) -> Wire:
        """Return the mark behind what stays the same between turns."""
        return {"type": "ephemeral"} | ({"ttl": "1h"} if self.ttl == "1h" else {})

    def thinking(self, mode: Mode) -> tuple[Wire, int]:
        """Return how thinking is asked for, and the tokens that it needs."""
        # Who can't do without thinks as little as it may.
        room = ROOM[self.think] or ROOM[Think.LOW]
        match mode:
            case "disabled":
                return {"type": "disabled"}, 0
            case "enabled":
                return {"type": "enabled", "budget_tokens": room}, room
            case "adaptive":
                return {"type": "adaptive"}, room

    def effort_of(self, mode: Mode) -> str | None:
        """Return the effort to ask for; None where it goes without saying."""
        if mode != "adaptive" or not self.effort:
            return None
        return (Think.LOW if self.think is Think.OFF else self.think).value


def dialect_of(model: str, think: Think, ttl: CacheTtl) -> Dialect:
    """Return what is sent to a model at first."""
    modes: tuple[Mode, ...]
    if think is Think.OFF:
        modes = ("disabled", "adaptive")
    elif _WITH_BUDGET.fullmatch(model):
        modes = ("enabled", "adaptive", "disabled")
    else:
        modes = ("adaptive", "enabled", "disabled")
    return Dialect(model=model, think=think, ttl=ttl, modes=modes)
