"""The events of a streamed answer turned into ours. Pure.

Source: the "Streaming Messages" and "Stop reasons and fallback" pages of Anthropic's
documentation. The latter's `pause_turn` comes of tools at the vendor only, which are
never on: like an answer that filled the context window it is one cut short.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
    Usage,
    VendorBlock,
)
from ..legion.canonical import Json
from ..turn import ToolRequest
from .answer_size import AnswerSize, tokens
from .anthropic_messages import PROVIDER
from .spoken_text import is_suspect, wrote_call
from .wire import Wire, parse_arguments

_STOPS = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.END,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "pause_turn": StopReason.MAX_TOKENS,
    "refusal": StopReason.REFUSAL,
}
_USAGE = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
}


@dataclass(slots=True, kw_only=True)
class _Block:
    """A block of the answer that is still being written."""

    kind: str
    text: str = ""
    signature: str = ""
    call_id: str = ""
    name: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    data: str = ""


class StreamReader:
    """Reads one round's events; `feed` them, then `finish`.

    Takes the SDK's event objects by their shape. `names` maps the names that were
    sent to the tools' own, `asked` is the model that was asked: its thinking goes back
    to no other. Calls are given out by `finish` only, so none of an answer that was
    cut.
    """

    def __init__(self, names: Mapping[str, str], asked: str) -> None:
        """Begin a round."""
        self._names = names
        self._asked = asked
        self._calls: list[_Block] = []
        self._size = AnswerSize()
        self._blocks: dict[int, _Block] = {}
        self._order: list[Wire] = []
        self._thought = False
        self._said = ""
        self._told = 0
        self._model = ""
        self._usage: dict[str, int] = {}
        self._stop: str | None = None
        self._done = False

    def feed(self, event: Any) -> Iterator[ProviderEvent]:
        """Yield what an event brings.

        Raises ProviderError for a block that no person allowed: tools that run at the
        vendor pass no gate.
        """
        match event.type:
            case "message_start":
                self._model = event.message.model
                self._count(event.message.usage)
            case "content_block_start":
                yield from self._begin(event.index, event.content_block)
            case "content_block_delta":
                yield from self._continue(self._block(event.index), event.delta)
            case "content_block_stop":
                self._end(self._block(event.index), event.index)
            case "message_delta":
                self._stop = event.delta.stop_reason or self._stop
                self._count(event.usage)
            case "message_stop":
                self._done = True

    def finish(self) -> Iterator[ProviderEvent]:
        """Yield the end of the round. Raises ProviderError if it has none."""
        if not self._done or self._blocks or self._stop is None:
            raise ProviderError(ErrorKind.CUT, "The answer stopped in the middle")
        if (stop := _STOPS.get(self._stop)) is None:
            raise ProviderError(
                ErrorKind.REJECTED, f"Unknown stop reason {self._stop!r}"
            )
        if wrote_call(self._said, {*self._names, *self._names.values()}):
            raise ProviderError(ErrorKind.CUT, "The model only wrote a call down")
        if rest := self._said[self._told :]:
            yield TextDelta(text=rest)
        if len({call.call_id for call in self._calls}) < len(self._calls):
            raise ProviderError(ErrorKind.CUT, "Two calls have one id")
        if stop is not StopReason.REFUSAL:
            for call in self._calls:
                yield self._request(call, stop)
        if self._thought:
            kept = {"model": self._asked, "blocks": tuple(self._order)}
            yield VendorBlock(provider=PROVIDER, data=kept)
        yield Completed(stop=stop, usage=Usage(**self._usage), model=self._model)

    def _begin(self, index: int, content: Any) -> Iterator[ProviderEvent]:
        """Open a block; only the kinds that we asked for are taken."""
        block = _Block(kind=content.type)
        match block.kind:
            case "text":
                block.text = content.text or ""
                yield from self._say(block.text)
            case "thinking":
                block.text = content.thinking or ""
                block.signature = content.signature or ""
            case "redacted_thinking":
                block.data = content.data
            case "tool_use" if _is_direct(content):
                block.call_id = content.id
                block.name = content.name
                block.given = content.input or {}
            case _:
                raise ProviderError(
                    ErrorKind.REJECTED,
                    f"The answer used a tool of the vendor's own ({block.kind})",
                )
        self._size.add(block.text, block.signature, block.data, parts=1)
        self._blocks[index] = block

    def _say(self, text: str) -> Iterator[TextDelta]:
        """Yield words, unless they may turn out to be a call that was only written."""
        self._said += text
        if text and not is_suspect(self._said):
            yield TextDelta(text=self._said[self._told :])
            self._told = len(self._said)

    def _block(self, index: int) -> _Block:
        """Return an open block."""
        if (block := self._blocks.get(index)) is None:
            raise ProviderError(ErrorKind.CUT, f"Block {index} has no beginning")
        return block

    def _continue(self, block: _Block, delta: Any) -> Iterator[ProviderEvent]:
        """Add a piece to its block."""
        match delta.type:
            case "text_delta":
                self._size.add(delta.text)
                block.text += delta.text
                yield from self._say(delta.text)
            case "thinking_delta":
                self._size.add(delta.thinking)
                block.text += delta.thinking
                if delta.thinking:
                    yield ThinkingDelta(text=delta.thinking)
            case "signature_delta":
                self._size.add(delta.signature)
                block.signature += delta.signature
            case "input_json_delta":
                self._size.add(delta.partial_json)
                block.text += delta.partial_json

    def _end(self, block: _Block, index: int) -> None:
        """Close a block; keep what has to go back in the order it came."""
        del self._blocks[index]
        match block.kind:
            case "text":
                self._order.append({"type": "text", "text": block.text})
            case "thinking":
                self._thought = True
                self._order.append(
                    {
                        "type": "thinking",
                        "thinking": block.text,
                        "signature": block.signature,
                    }
                )
            case "redacted_thinking":
                self._thought = True
                self._order.append({"type": "redacted_thinking", "data": block.data})
            case "tool_use":
                self._order.append({"type": "tool_use", "id": block.call_id})
                self._calls.append(block)

    def _request(self, call: _Block, stop: StopReason) -> ToolRequest:
        """Return a call that is whole; one that can't be read has no arguments."""
        arguments: dict[str, Json] | None
        if call.text:
            arguments = parse_arguments(call.text)
        else:
            # No arguments at all are none only if the answer wasn't cut short.
            arguments = None if stop is StopReason.MAX_TOKENS else dict(call.given)
        return ToolRequest(
            id=call.call_id,
            name=self._names.get(call.name, call.name),
            arguments=arguments,
            raw=call.text,
        )

    def _count(self, usage: Any) -> None:
        """Take over the counts that an event brings; later ones are totals."""
        for ours, theirs in _USAGE.items():
            if isinstance(count := getattr(usage, theirs, None), int):
                self._usage[ours] = tokens(count)


def _is_direct(content: Any) -> bool:
    """Return whether the model itself asks, not code that it runs at the vendor."""
    caller = getattr(content, "caller", None)
    return caller is None or caller.type == "direct"
