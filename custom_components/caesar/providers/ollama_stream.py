"""The lines of a streamed answer turned into our events. Pure.

Source: "Generate a chat completion" of Ollama's docs/api.md.
"""

from collections.abc import Iterator, Mapping
import json
from typing import Any, Final
from uuid import uuid4

from ..brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    StopReason,
    ThinkingDelta,
    Usage,
)
from ..legion.canonical import Json
from ..turn import ToolRequest
from .answer_size import AnswerSize, tokens
from .conversation import thinking_block
from .ollama_messages import PROVIDER
from .spoken_text import TextReader

# Servers of before 2024 give no reason.
_STOPS: Final = {
    "": StopReason.END,
    "stop": StopReason.END,
    "length": StopReason.MAX_TOKENS,
}
_LONGEST_MODEL: Final = 100


class StreamReader:
    """Reads one round's lines; `feed` them until `done`, then `finish`.

    Takes the SDK's objects by their shape. `names` maps the names that were sent to the
    tools' own, `asked` is the model that was asked, `thinks_first` what `unopened` was
    in an earlier round. Calls are given out by `finish` only, so none of an answer that
    was cut.
    """

    def __init__(
        self, names: Mapping[str, str], asked: str = "", *, thinks_first: bool = False
    ) -> None:
        """Begin a round."""
        self._names = names
        self._asked = asked
        self._thought = ""
        self._text = TextReader({*names, *names.values()}, thinks_first=thinks_first)
        self._calls: list[ToolRequest] = []
        self._size = AnswerSize()
        self._last: Any = None

    @property
    def begun(self) -> bool:
        """Return whether anything has come of this round."""
        return self._last is not None

    @property
    def done(self) -> bool:
        """Return whether the answer says that it is whole."""
        return self._last is not None and self._last.done is True

    @property
    def unopened(self) -> bool:
        """Return whether the text held the end of a thinking that never began."""
        return self._text.unopened

    def feed(self, part: Any) -> Iterator[ProviderEvent]:
        """Yield what a line brings. Raises ProviderError for what has no end."""
        self._last = part
        message = part.message
        thinking, content = message.thinking or "", message.content or ""
        calls = message.tool_calls or ()
        self._size.add(thinking, content, parts=len(calls))
        if thinking:
            self._thought += thinking
            yield ThinkingDelta(text=thinking)
        yield from self._text.feed(content)
        self._calls += [self._request(call.function) for call in calls]

    def finish(self) -> Iterator[ProviderEvent]:
        """Yield the end of the round. Raises ProviderError if it has none."""
        if not self.done:
            raise ProviderError(ErrorKind.CUT, "The answer stopped in the middle")
        last = self._last
        reason = last.done_reason or ""
        if (stop := _STOPS.get(reason)) is None:
            raise ProviderError(
                ErrorKind.REJECTED, f"Unknown reason to stop {reason[:50]!r}"
            )
        yield from self._text.finish()
        if self._text.wrote_call:
            raise ProviderError(
                ErrorKind.CUT, "The model wrote a call down instead of making it"
            )
        yield from self._calls
        if self._calls and self._thought:
            yield thinking_block(PROVIDER, self._asked, "thinking", self._thought)
        if self._calls and stop is StopReason.END:
            stop = StopReason.TOOL_USE
        yield Completed(
            stop=stop,
            usage=Usage(
                input_tokens=tokens(last.prompt_eval_count),
                output_tokens=tokens(last.eval_count),
            ),
            model=(last.model or "")[:_LONGEST_MODEL],
        )

    def _request(self, function: Any) -> ToolRequest:
        """Return a call. Those of this wire have no id that the SDK hands on."""
        arguments: dict[str, Json] | None = dict(function.arguments)
        try:
            raw = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
        except ValueError, RecursionError:
            # What is no JSON, the next request couldn't carry either.
            arguments, raw = None, "NaN or nested too deep"
        self._size.add(raw)
        return ToolRequest(
            id=f"call_{uuid4().hex[:24]}",
            name=self._names.get(function.name, function.name),
            arguments=arguments,
            raw=raw,
        )
