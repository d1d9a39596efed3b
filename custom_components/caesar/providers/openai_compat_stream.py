"""The chunks of a streamed answer turned into our events. Pure.

Source: the "Chat Completions: Streaming" page of OpenAI's API reference; and what
compatible servers do otherwise: whole calls in one chunk, all at index 0, without an
index or an id, sent twice, arguments as an object, thinking in `reasoning_content` or
`reasoning` (which DeepSeek wants back with a call, even an empty one), a signature beside
a call ("Thought signatures" of Gemini's documentation), reasons to stop of their own
(ml-explore/mlx-lm#782: `tool_call`; "Errors" of OpenRouter's documentation: `error`).
"""

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
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
    VendorBlock,
)
from ..turn import ToolRequest
from .answer_size import AnswerSize, tokens
from .conversation import thinking_block
from .openai_compat_errors import from_status
from .openai_compat_messages import PROVIDER, SIGNED
from .spoken_text import TextReader
from .wire import Wire, json_text, parse_arguments

_STOPS: Final = {
    "stop": StopReason.END,
    "eos": StopReason.END,
    "eos_token": StopReason.END,
    "tool_calls": StopReason.TOOL_USE,
    "tool_call": StopReason.TOOL_USE,
    "function_call": StopReason.TOOL_USE,
    "length": StopReason.MAX_TOKENS,
    "content_filter": StopReason.REFUSAL,
}
# The server says by these that it broke off.
_BROKEN: Final = ("error", "abort")
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
    signed: Wire | None = None

    @property
    def is_whole(self) -> bool:
        """Return whether nothing more can belong to its arguments."""
        return bool(self.raw.strip()) and parse_arguments(self.raw) is not None


class StreamReader:
    """Reads one round's chunks, as parsed JSON; `feed` them, then `finish`.

    `names` maps the names that were sent to the tools' own, `asked` is the model that
    was asked, `taken` holds the ids of the calls before, `thinks_first` is what
    `unopened` was in an earlier round. Calls are given out by `finish` only, so none of
    an answer that was cut.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        asked: str = "",
        taken: Collection[str] = (),
        *,
        thinks_first: bool = False,
    ) -> None:
        """Begin a round."""
        self._names = names
        self._asked = asked
        self._thoughts: dict[str, str] = {}
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
        if self._stop is None or self._stop in _BROKEN:
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
            calls = yield from self._made(stop)
            if calls and stop is StopReason.END:
                # Many servers say so.
                stop = StopReason.TOOL_USE
        yield Completed(stop=stop, usage=self._usage, model=self._model)

    def _made(self, stop: StopReason) -> Generator[ProviderEvent, None, bool]:
        """Yield the calls, and what has to go back with them; return if there are any."""
        signed: Wire = {}
        for call in _once(self._calls):
            request = self._request(call, stop)
            if call.signed is not None:
                signed[request.id] = call.signed
            yield request
        if not self._calls:
            return False
        for field, thought in self._thoughts.items():
            yield thinking_block(PROVIDER, self._asked, field, thought)
        if signed:
            kept = {"model": self._asked, SIGNED: signed}
            yield VendorBlock(provider=PROVIDER, data=kept)
        return True

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
            thought = self._piece(delta, key)
            if delta.get(key) is not None:
                self._thoughts[key] = self._thoughts.get(key, "") + thought
            if thought:
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
        more = self._arguments(function)
        call_id = self._piece(piece, "id")
        call = self._known(piece.get("index"), call_id, name)
        if call is not None and name and more and call.is_whole:
            if (call.name, call.raw) == (name, more):
                # The same call, said once more.
                return
            call = None
        if call is None:
            self._size.add(parts=1)
            call = _Call(at=piece.get("index"), id=call_id)
            self._calls.append(call)
        if name and call.name not in ("", name):
            raise _unreadable("a call changes its name")
        if isinstance(signed := piece.get(SIGNED), dict):
            call.signed = signed
            self._size.add(json_text(signed))
        call.id = call.id or call_id
        call.name = call.name or name
        call.raw += more

    def _arguments(self, function: Mapping[str, Any]) -> str:
        """Return a piece of a call's arguments; some servers send them as an object."""
        if isinstance(arguments := function.get("arguments"), dict):
            text = json.dumps(arguments, ensure_ascii=False)
            self._size.add(text)
            return text
        return self._piece(function, "arguments")

    def _known(self, at: object, call_id: str, name: str) -> _Call | None:
        """Return the call that a piece belongs to; None if it begins one."""
        if at is None:
            known = self._calls[-1] if self._calls else None
            begins = bool(name)
        else:
            known = next((one for one in reversed(self._calls) if one.at == at), None)
            begins = False
        if known is not None and call_id and known.id:
            # Another id at the same index is another call.
            begins = call_id != known.id
        return None if begins else known

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


def _once(calls: Iterable[_Call]) -> list[_Call]:
    """Return the calls, without those that a server sent twice under one id."""
    kept: list[_Call] = []
    for call in calls:
        same = (one for one in kept if call.id and one.id == call.id)
        if not any((one.name, one.raw) == (call.name, call.raw) for one in same):
            kept.append(call)
    return kept


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Return the tokens of a round; the API counts cached ones among the prompt's."""
    details = usage.get("prompt_tokens_details")
    asked = tokens(usage.get("prompt_tokens"))
    cached = tokens(details.get("cached_tokens")) if isinstance(details, dict) else 0
    return Usage(
        input_tokens=max(asked - cached, 0),
        output_tokens=tokens(usage.get("completion_tokens")),
        cache_read_tokens=min(cached, asked),
    )


def _list(holder: Mapping[str, Any], key: str) -> list[Any]:
    """Return a list; none where there is nothing."""
    value = holder.get(key) or []
    if not isinstance(value, list):
        raise _unreadable(f"{key} is no list")
    return value


def _unreadable(why: str) -> ProviderError:
    """Return the failure of an answer in a shape that the API doesn't have."""
    return ProviderError(ErrorKind.CUT, f"The answer can't be read: {why}")
