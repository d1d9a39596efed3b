"""The chunks of a streamed answer turned into our events. Pure.

Source: the "Chat Completions: Streaming" page of OpenAI's API reference; and what
compatible servers do otherwise: whole calls in one chunk, all at index 0, without an
index or an id, arguments as an object, thinking in `reasoning_content` or `reasoning`.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
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
from ..turn import ToolRequest
from .answer_size import AnswerSize
from .openai_compat_errors import from_status
from .spoken_text import TextReader
from .wire import parse_arguments

_STOPS: Final = {
    "stop": StopReason.END,
    "eos": StopReason.END,
    "eos_token": StopReason.END,
    "tool_calls": StopReason.TOOL_USE,
    "length": StopReason.MAX_TOKENS,
    "content_filter": StopReason.REFUSAL,
}
_THINKING: Final = ("reasoning_content", "reasoning")
# What is only there if something ran or was made at the server; never asked for.
_FOREIGN: Final = ("annotations", "audio", "images", "function_call")


@dataclass(slots=True, kw_only=True)
class _Call:
    """A call that is still being written; `at` is its index at the server."""

    at: object
    id: str = ""
    name: str = ""
    raw: str = ""


class StreamReader:
    """Reads one round's chunks, as parsed JSON; `feed` them, then `finish`.

    `names` maps the names that were sent to the tools' own, `taken` holds the ids of
    the calls before. Calls are given out by `finish` only, so none of an answer that
    was cut.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        taken: Collection[str] = (),
        *,
        thinks_first: bool = False,
    ) -> None:
        """Begin a round."""
        self._names = names
        self._taken = set(taken)
        self._text = TextReader({*names, *names.values()}, thinks_first=thinks_first)
        self._calls: list[_Call] = []
        self._model = ""
        self._usage = Usage()
        self._stop: str | None = None
        self._refused = False
        self._size = AnswerSize()

    @property
    def unopened(self) -> bool:
        """Return whether the text held the end of a thinking that never began."""
        return self._text.unopened

    def feed(self, chunk: object) -> Iterator[ProviderEvent]:
        """Yield what a chunk brings. Raises ProviderError for what can't be read."""
        if not isinstance(chunk, dict):
            raise _unreadable("a chunk is no object")
        if error := chunk.get("error"):
            raise from_status(200, error, {}, 0)
        if isinstance(model := chunk.get("model"), str):
            self._model = model or self._model
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = _usage(usage)
        for choice in _list(chunk, "choices"):
            if not isinstance(choice, dict):
                raise _unreadable("a choice is no object")
            # One answer is asked for; others are nobody's.
            if (choice.get("index") or 0) == 0:
                yield from self._delta(choice.get("delta") or {})
                if isinstance(stop := choice.get("finish_reason"), str):
                    self._stop = stop or self._stop

    def finish(self) -> Iterator[ProviderEvent]:
        """Yield the end of the round. Raises ProviderError if it has none."""
        if self._stop is None:
            raise ProviderError(ErrorKind.CUT, "The answer stopped in the middle")
        if (stop := _STOPS.get(self._stop)) is None:
            raise ProviderError(
                ErrorKind.REJECTED, f"Unknown reason to stop {self._stop[:50]!r}"
            )
        yield from self._text.finish()
        if self._refused:
            stop = StopReason.REFUSAL
        if self._text.wrote_call and stop is not StopReason.REFUSAL:
            raise ProviderError(
                ErrorKind.CUT, "The model wrote a call down instead of making it"
            )
        if stop is not StopReason.REFUSAL:
            calls = [self._request(call, stop) for call in self._calls]
            yield from calls
            if calls and stop is StopReason.END:
                # Many servers say so.
                stop = StopReason.TOOL_USE
        yield Completed(stop=stop, usage=self._usage, model=self._model)

    def _delta(self, delta: object) -> Iterator[ProviderEvent]:
        """Yield what a piece of the message brings."""
        if not isinstance(delta, dict):
            raise _unreadable("a piece is no object")
        for key in _FOREIGN:
            if delta.get(key):
                raise ProviderError(
                    ErrorKind.REJECTED,
                    f"The answer has something that nobody asked for ({key})",
                )
        for key in _THINKING:
            if thought := self._piece(delta, key):
                yield ThinkingDelta(text=thought)
                break
        if self._piece(delta, "refusal"):
            self._refused = True
        if text := self._piece(delta, "content"):
            yield from self._text.feed(text)
        for piece in _list(delta, "tool_calls"):
            self._call(piece)

    def _piece(self, delta: Mapping[str, Any], key: str) -> str:
        """Return a piece of text, counted."""
        if (text := delta.get(key)) is None:
            return ""
        if not isinstance(text, str):
            raise _unreadable(f"{key} is no text")
        self._size.add(text)
        return text

    def _call(self, piece: object) -> None:
        """Add a piece to its call."""
        if not isinstance(piece, dict):
            raise _unreadable("a call is no object")
        if (kind := piece.get("type") or "function") != "function":
            raise ProviderError(
                ErrorKind.REJECTED,
                f"The answer used a tool of the server's own ({str(kind)[:50]})",
            )
        function = piece.get("function") or {}
        if not isinstance(function, dict):
            raise _unreadable("a call's function is no object")
        name = self._piece(function, "name")
        call = self._open(piece.get("index"), self._piece(piece, "id"), name)
        if name and call.name not in ("", name):
            raise _unreadable("a call changes its name")
        call.name = call.name or name
        arguments = function.get("arguments")
        if isinstance(arguments, dict):
            text = json.dumps(arguments, ensure_ascii=False)
            self._size.add(text)
            call.raw += text
        else:
            call.raw += self._piece(function, "arguments")

    def _open(self, at: object, call_id: str, name: str) -> _Call:
        """Return the call that a piece belongs to."""
        if at is None:
            known = self._calls[-1] if self._calls else None
            begins = bool(name)
        else:
            known = next((one for one in reversed(self._calls) if one.at == at), None)
            begins = False
        if known is not None and call_id and known.id:
            # Another id at the same index is another call.
            begins = call_id != known.id
        if known is None or begins:
            self._size.add(parts=1)
            known = _Call(at=at, id=call_id)
            self._calls.append(known)
        known.id = known.id or call_id
        return known

    def _request(self, call: _Call, stop: StopReason) -> ToolRequest:
        """Return a call that is whole; one that can't be read has no arguments."""
        if not call.name:
            raise _unreadable("a call has no name")
        if call.raw.strip():
            arguments = parse_arguments(call.raw)
        else:
            # No arguments at all are none only if the answer wasn't cut short.
            arguments = None if stop is StopReason.MAX_TOKENS else {}
        call_id = call.id
        if not call_id or call_id in self._taken:
            call_id = f"call_{uuid4().hex[:24]}"
        self._taken.add(call_id)
        return ToolRequest(
            id=call_id,
            name=self._names.get(call.name, call.name),
            arguments=arguments,
            raw=call.raw,
        )


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Return the tokens of a round; the API counts cached ones among the prompt's."""
    details = usage.get("prompt_tokens_details")
    asked = _count(usage, "prompt_tokens")
    cached = _count(details, "cached_tokens") if isinstance(details, dict) else 0
    return Usage(
        input_tokens=max(asked - cached, 0),
        output_tokens=_count(usage, "completion_tokens"),
        cache_read_tokens=min(cached, asked),
    )


def _count(counts: Mapping[str, Any], key: str) -> int:
    """Return a number of tokens; what is none counts as nothing."""
    value = counts.get(key)
    return max(value, 0) if isinstance(value, int) else 0


def _list(holder: Mapping[str, Any], key: str) -> list[Any]:
    """Return a list; none where there is nothing."""
    value = holder.get(key) or []
    if not isinstance(value, list):
        raise _unreadable(f"{key} is no list")
    return value


def _unreadable(why: str) -> ProviderError:
    """Return the failure of an answer in a shape that the API doesn't have."""
    return ProviderError(ErrorKind.CUT, f"The answer can't be read: {why}")
