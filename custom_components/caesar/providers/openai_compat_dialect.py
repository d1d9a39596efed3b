"""What servers of the Chat Completions API take, and what they don't. Pure.

Source: the "Chat Completions" page of OpenAI's API reference (`max_tokens` is
deprecated there for `max_completion_tokens`, which also bounds what a model thinks;
models that reason take no temperature; a `system` message is taken for a `developer`
one where a model wants that, which no other server knows) and the API pages of
OpenRouter, llama.cpp, vLLM, LM Studio and LocalAI, which know `max_tokens`.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from yarl import URL

from .thinking import ROOM, Think

type Length = Literal["max_tokens", "max_completion_tokens"]

OPENAI: Final = "https://api.openai.com/v1"
_PATH: Final = "/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Which parameters a request carries; `length` is the name of the limit's.

    A low temperature keeps small models to the form of a call. `effort` is how hard
    the model is asked to think, None where that is left to the server. `thoughts` says
    that what it thought before a call goes back with it ("Thinking mode" of DeepSeek's
    documentation: without it the request is refused).
    """

    length: Length | None = "max_tokens"
    temperature: float | None = 0.2
    tool_choice: bool = True
    parallel_tool_calls: bool = False
    stream_options: bool = True
    response_format: bool = True
    effort: Think | None = None
    thoughts: bool = True

    @property
    def room(self) -> int:
        """Return how many tokens of thinking an answer's limit has to leave room for.

        OpenAI's models think, and not little, if nobody says anything.
        """
        if self.effort is not None:
            return ROOM[self.effort]
        return ROOM[Think.MEDIUM] if self.length == "max_completion_tokens" else 0

    def without(self, param: str | None) -> Dialect | None:
        """Return the dialect of a server that refused a parameter.

        None if nothing would change: then asking again is of no use.
        """
        match (param or "").rpartition(".")[2]:
            case "max_tokens" | "max_completion_tokens" if param == self.length:
                other: Length = (
                    "max_tokens" if param != "max_tokens" else "max_completion_tokens"
                )
                return replace(self, length=other)
            case "temperature" if self.temperature is not None:
                return replace(self, temperature=None)
            case "tool_choice" if self.tool_choice:
                return replace(self, tool_choice=False)
            case "parallel_tool_calls" if self.parallel_tool_calls:
                return replace(self, parallel_tool_calls=False)
            case "stream_options" if self.stream_options:
                return replace(self, stream_options=False)
            case "response_format" if self.response_format:
                return replace(self, response_format=False)
            case "reasoning_effort" if self.effort is not None:
                return replace(self, effort=None)
            case "reasoning_content" | "reasoning" | "extra_content" if self.thoughts:
                return replace(self, thoughts=False)
        return None


# By the server's host; all others speak the plain dialect.
_DIALECTS: Final[dict[str, Dialect]] = {
    "api.openai.com": Dialect(
        length="max_completion_tokens", temperature=None, parallel_tool_calls=True
    ),
    "openrouter.ai": Dialect(temperature=None),
}


def dialect_of(address: str, think: Think | None = None) -> Dialect:
    """Return what is sent to a server at first."""
    dialect = _DIALECTS.get(URL(address).host or "", Dialect())
    return replace(dialect, effort=think)


def api_address(url: URL) -> str:
    """Return the address below which the API lies, as the SDK wants it.

    `http://host:8080` alone means `/v1` there; a pasted address of the chat endpoint
    means the API that it belongs to.
    """
    path = url.path.rstrip("/").removesuffix(_PATH)
    return str(url.with_path(path or "/v1").with_query(None)).rstrip("/")
