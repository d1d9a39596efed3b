"""What servers of the Chat Completions API take, and what they don't. Pure.

Source: the "Chat Completions" page of OpenAI's API reference (`max_tokens` is
deprecated there for `max_completion_tokens`; models that reason take no temperature)
and the API pages of OpenRouter, llama.cpp, vLLM, LM Studio and LocalAI, which know
`max_tokens`.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal

from yarl import URL

type Length = Literal["max_tokens", "max_completion_tokens"]

OPENAI: Final = "https://api.openai.com/v1"
_PATH: Final = "/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """Which parameters a request carries; `length` is the name of the limit's.

    A low temperature keeps small models to the form of a call.
    """

    length: Length | None = "max_tokens"
    temperature: float | None = 0.2
    tool_choice: bool = True
    parallel_tool_calls: bool = False
    stream_options: bool = True

    def without(self, param: str | None) -> Dialect | None:
        """Return the dialect of a server that refused a parameter.

        None if nothing would change: then asking again is of no use.
        """
        match param:
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
        return None


# By the server's host; all others speak the plain dialect.
_DIALECTS: Final[dict[str, Dialect]] = {
    "api.openai.com": Dialect(
        length="max_completion_tokens", temperature=None, parallel_tool_calls=True
    ),
    "openrouter.ai": Dialect(temperature=None),
}


def dialect_of(address: str) -> Dialect:
    """Return what is sent to a server at first."""
    return _DIALECTS.get(URL(address).host or "", Dialect())


def api_address(url: URL) -> str:
    """Return the address below which the API lies, as the SDK wants it.

    `http://host:8080` alone means `/v1` there; a pasted address of the chat endpoint
    means the API that it belongs to.
    """
    path = url.path.rstrip("/").removesuffix(_PATH)
    return str(url.with_path(path or "/v1").with_query(None)).rstrip("/")
