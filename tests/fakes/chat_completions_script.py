"""What the fake Chat Completions API answers: the chunks of a step, script files.

Steps and script files are those of `messages_script`. Of an answer, `stop` is a
`finish_reason`, `usage` goes over the usual one, and the pieces of an `Other` block are
deltas as they are; its `block` is not looked at.
"""

from collections.abc import Iterator
import itertools
import json
import re

from .messages_script import (
    Answer,
    Block,
    Body,
    Failure,
    Other,
    Rules,
    Step,
    Text,
    ToolUse,
)

_ids = itertools.count(1)


def chunks_of(answer: Answer, model: str, *, with_usage: bool) -> Iterator[Body]:
    """Yield the chunks of a streamed answer, without the closing `[DONE]`."""
    shared = {
        "id": f"chatcmpl-{next(_ids):08d}",
        "object": "chat.completion.chunk",
        "created": 1_790_000_000,
        "model": model,
    }
    for delta in _deltas(answer.blocks):
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        yield {**shared, "choices": [choice]}
    calls = any(isinstance(block, ToolUse) for block in answer.blocks)
    stop = answer.stop or ("tool_calls" if calls else "stop")
    choice = {"index": 0, "delta": {}, "finish_reason": stop}
    yield {**shared, "choices": [choice]}
    if with_usage:
        usage = {
            "prompt_tokens": 10,
            "completion_tokens": 5,
            "total_tokens": 15,
            "prompt_tokens_details": {"cached_tokens": 0},
            **answer.usage,
        }
        yield {**shared, "choices": [], "usage": usage}


def _deltas(blocks: object) -> Iterator[Body]:
    """Yield the pieces of a message."""
    yield {"role": "assistant", "content": "", "refusal": None}
    at = itertools.count()
    assert isinstance(blocks, list | tuple)
    for block in blocks:
        yield from _pieces(block, at)


def _pieces(block: Block, at: Iterator[int]) -> Iterator[Body]:
    """Yield the pieces of one block; `at` counts the calls."""
    match block:
        case Text():
            for word in re.findall(r"\S+\s*|\s+", block.text):
                yield {"content": word}
        case ToolUse():
            index = next(at)
            text = json.dumps(block.input) if block.raw is None else block.raw
            begun = {
                "index": index,
                "id": block.id or f"call_{next(_ids):08d}",
                "type": "function",
                "function": {"name": block.name, "arguments": ""},
            }
            yield {"tool_calls": [begun]}
            for start in range(0, len(text), 7):
                part = {"arguments": text[start : start + 7]}
                yield {"tool_calls": [{"index": index, "function": part}]}
        case Other():
            yield from block.deltas


def error_of(failure: Failure) -> Body:
    """Return an error as the API words it."""
    return {
        "error": {
            "message": failure.message,
            "type": failure.type,
            "param": None,
            "code": None,
            **(failure.details or {}),
        }
    }


class ChatRules(Rules):
    """A script file, for conversations as this API has them."""

    def next(self, body: Body) -> Step:
        """Return the round that the conversation has come to."""
        return super().next({"messages": [*_as_messages(body["messages"])]})


def _as_messages(messages: list[Body]) -> Iterator[Body]:
    """Yield the conversation with results that aren't taken for a user's words."""
    for message in messages:
        if message["role"] == "tool":
            yield {"role": "user", "content": []}
        elif message["role"] != "system":
            yield {"role": message["role"], "content": message["content"]}
