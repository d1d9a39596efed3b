"""A model's words, without its thinking and without calls that it only wrote. Pure.

Models on one's own server often put their thinking into the text, between tags of
their chat template, and some write a call down instead of making it. Thinking is never
shown. A written call passed no gate, so it is never run: it makes the round a failed
one. The markers are those of the chat templates of Qwen, DeepSeek, Hermes, Llama,
Mistral, Magistral and Granite.
"""

from collections.abc import Collection, Iterator
import json
import re
from typing import Final

from ..brain.provider import TextDelta, ThinkingDelta

_THINKING: Final = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<thought>": "</thought>",
    "<reasoning>": "</reasoning>",
    "[THINK]": "[/THINK]",
}
_CALLS: Final = (
    "<tool_call>",
    "<|tool_call|>",
    "<|tool_call_begin|>",
    "<|tool_calls_section_begin|>",
    "<tool_calls>",
    "<function=",
    "<function_call>",
    "<invoke name=",
    "<|python_tag|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "[TOOL_CALLS]",
    "<|channel|>commentary to=",
)
# Some templates open the thinking in the prompt; then only its end is to be seen.
_CLOSERS: Final = tuple(_THINKING.values())
_MARKS: Final = (*_THINKING, *_CALLS, *_CLOSERS)
_MARK: Final = re.compile("|".join(map(re.escape, _MARKS)), re.IGNORECASE)
_LONGEST: Final = max(map(len, _MARKS))
_FENCED: Final = re.compile(r"```[a-z_]*[^\S\n]*\n(.*?)```", re.DOTALL)
_NAMES: Final = ("name", "function", "tool", "tool_name")
_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
# How an answer begins that may turn out to be nothing but a written call.
_SUSPECT: Final = ("{", "[", "```")

type Piece = TextDelta | ThinkingDelta


class TextReader:
    """Reads the text of one round piece by piece; `feed` it, then `finish`.

    `tools` are the names of the tools on offer. `thinks_first` says that this model was
    seen to end a thinking that it hadn't begun: then an answer begins with thinking,
    unless no end of one comes. `unopened` says whether that was seen in this round.
    """

    def __init__(
        self, tools: Collection[str] = (), *, thinks_first: bool = False
    ) -> None:
        """Begin a round."""
        self.unopened = False
        self._tools = frozenset(tools)
        self._waiting = ""
        self._closing: str | None = None
        self._first = thinks_first
        self._looked = 0
        self._said = ""
        self._held = ""
        self._wrote_call = False

    def feed(self, piece: str) -> Iterator[Piece]:
        """Yield what can be told already; a piece may end within a tag."""
        self._waiting += piece
        yield from self._take(last=False)

    def finish(self) -> Iterator[Piece]:
        """Yield the rest."""
        self._first = False
        yield from self._take(last=True)
        held, self._held = self._held, ""
        self._said += held
        if held and not self.wrote_call:
            yield TextDelta(text=held)

    @property
    def wrote_call(self) -> bool:
        """Return whether the text holds a call; for sure after `finish` only."""
        return self._wrote_call or _holds_call(self._said, self._tools)

    def _take(self, *, last: bool) -> Iterator[Piece]:
        """Yield what is sure of what waits."""
        while not self._wrote_call:
            if self._first and not self._has_closer():
                return
            if self._closing is not None:
                at = self._waiting.casefold().find(self._closing.casefold())
                if at < 0:
                    keep = 0 if last else _begun(self._waiting, (self._closing,))
                    yield from self._thought(len(self._waiting) - keep)
                    return
                yield from self._thought(at)
                self._waiting = self._waiting[len(self._closing) :]
                self._closing = None
                continue
            mark = _MARK.search(self._waiting)
            if mark is None:
                keep = 0 if last else _begun(self._waiting, _MARKS)
                yield from self._say(len(self._waiting) - keep)
                return
            found = next(m for m in _MARKS if m.casefold() == mark[0].casefold())
            if found in _CLOSERS:
                # What came before it was thinking; what of it was said stays said.
                first, self._first, self.unopened = self._first, False, True
                yield from (self._thought if first else self._say)(mark.start())
                self._waiting = self._waiting[len(found) :]
                continue
            yield from self._say(mark.start())
            self._waiting = self._waiting[len(found) :]
            self._closing = _THINKING.get(found)
            self._wrote_call = self._closing is None

    def _has_closer(self) -> bool:
        """Return whether a thinking ends in what came since the last look."""
        new = self._waiting[max(self._looked - _LONGEST, 0) :]
        self._looked = len(self._waiting)
        return any(closer in new for closer in _CLOSERS)

    def _thought(self, length: int) -> Iterator[ThinkingDelta]:
        text, self._waiting = self._waiting[:length], self._waiting[length:]
        if text:
            yield ThinkingDelta(text=text)

    def _say(self, length: int) -> Iterator[TextDelta]:
        """Yield words, without the blank lines that thinking leaves before them."""
        text, self._waiting = self._waiting[:length], self._waiting[length:]
        if not self._said and not self._held:
            text = text.lstrip()
        if not text:
            return
        if self._held or (not self._said and self._is_suspect(text)):
            self._held += text
            if not self._is_suspect(self._held):
                self._said, self._held = self._held, ""
                yield TextDelta(text=self._said)
            return
        self._said += text
        yield TextDelta(text=text)

    def _is_suspect(self, text: str) -> bool:
        """Return whether an answer that begins so may be a written call."""
        return (
            text.startswith(_SUSPECT)
            or "```".startswith(text)
            or any(
                text.startswith(f"{name}(") or f"{name}(".startswith(text)
                for name in self._tools
            )
        )


def is_suspect(text: str) -> bool:
    """Return whether an answer that begins so may be nothing but a written call."""
    return not text.strip() or text.lstrip().startswith((*_SUSPECT, "<"))


def wrote_call(text: str, tools: Collection[str]) -> bool:
    """Return whether a whole answer holds a call that was only written."""
    reader = TextReader(tools)
    for _ in (*reader.feed(text), *reader.finish()):
        pass
    return reader.wrote_call


def _begun(text: str, marks: Collection[str]) -> int:
    """Return how many characters at the end may be the beginning of a mark."""
    folded = text[-_LONGEST:].casefold()
    for at in range(len(folded)):
        if any(mark.casefold().startswith(folded[at:]) for mark in marks):
            return len(folded) - at
    return 0


def _holds_call(text: str, tools: Collection[str]) -> bool:
    """Return whether a text is a call, or has one in a block of code."""
    parts = [text, *_FENCED.findall(text)]
    return any(_is_call(part.strip().strip("`").strip(), tools) for part in parts)


def _is_call(text: str, tools: Collection[str]) -> bool:
    """Return whether a text is nothing but a call, as JSON or as Python."""
    bare = text.removeprefix("[").lstrip()
    if text.endswith((")", ")]")) and any(bare.startswith(f"{t}(") for t in tools):
        return True
    if not text.startswith(("{", "[")):
        return False
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError, RecursionError:
        return False
    items = value if isinstance(value, list) else [value]
    return any(_names_call(item) for item in items)


def _names_call(item: object) -> bool:
    """Return whether a JSON value names a tool and its arguments."""
    if not isinstance(item, dict):
        return False
    if isinstance(inner := item.get("function"), dict):
        return _names_call(inner)
    return any(isinstance(item.get(key), str) for key in _NAMES) and any(
        isinstance(item.get(key), dict | str) for key in _ARGUMENTS
    )
