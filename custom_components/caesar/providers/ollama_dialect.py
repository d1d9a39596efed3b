"""What a round at an Ollama server is asked with, and what models refuse of it. Pure.

Source: "Generate a chat completion" and "Parameters" of Ollama's docs/api.md, "Thinking"
and "FAQ" (`keep_alive`, the size of the context) of its documentation, and the answers
of its chat handler (server/routes.go).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from .thinking import ROOM, Think as Level

type Think = bool | Literal["low", "medium", "high"] | None

# Room for the prefix of a house, its tools and a long talk; more costs memory on the
# server, and a server's own default may be too small for the tools alone.
DEFAULT_NUM_CTX: Final = 8192
FOREVER: Final = "forever"
# How long a model may stay in memory, as a person chooses it, in seconds.
KEEP_ALIVE: Final[Mapping[str, int]] = {
    FOREVER: -1,
    "hour": 3600,
    "five_minutes": 300,
    "at_once": 0,
}
# How a model is told to think as hard as a person wants it to.
THINK: Final[Mapping[Level, Think]] = {
    Level.OFF: False,
    Level.LOW: "low",
    Level.MEDIUM: "medium",
    Level.HIGH: "high",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """What a round is sent with; the tools are the SDK's objects.

    `mute` says that the model refused to have any, `think` whether it thinks first and
    how hard; None leaves that to the server.
    """

    tools: tuple[Any, ...]
    think: Think
    mute: bool = False

    def without(self, param: str | None) -> Sending | None:
        """Return what to send without a refused parameter; None if it isn't there."""
        if param == "tools" and self.tools:
            return replace(self, tools=(), mute=True)
        if param == "think_level" and isinstance(self.think, str):
            return replace(self, think=True)
        if param in ("think", "think_level") and self.think is not None:
            return replace(self, think=None)
        return None

    def options(self, max_tokens: int, num_ctx: int | None) -> dict[str, int]:
        """Return the model's options; `num_ctx` None is the server's own."""
        # The server counts thinking as part of the answer; a person doesn't.
        options = {"num_predict": max_tokens + self._room()}
        return options if num_ctx is None else {**options, "num_ctx": num_ctx}

    def _room(self) -> int:
        match self.think:
            case False:
                return 0
            case "low" | "medium" | "high" as level:
                return ROOM[Level(level)]
        # As hard as it does by itself.
        return ROOM[Level.MEDIUM]
