"""How many tokens of a request Anthropic would read from its prompt cache.

Source: "Prompt caching" of Anthropic's documentation. The prefix is tools, system,
messages, in this order. Only up to a block with `cache_control` is anything written; a
later request reads the longest prefix that was written, looked for at each of its own
marks and up to 20 blocks before it. A prefix shorter than the model's minimum is not
kept. Time doesn't pass here: what was written stays. A token is four characters.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
import hashlib
import json
from typing import Any, Final

type Body = dict[str, Any]

LOOK_BACK: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """The tokens of a request: new ones, and those written to and read from the cache."""

    new: int
    written: int
    read: int

    @property
    def sent(self) -> int:
        """Return all tokens of the request."""
        return self.new + self.written + self.read

    def usage(self) -> Body:
        """Return them as the API reports them."""
        return {
            "input_tokens": self.new,
            "cache_creation_input_tokens": self.written,
            "cache_read_input_tokens": self.read,
        }


@dataclass(slots=True)
class PromptCache:
    """The cache of one account, for a model that keeps `minimum` tokens or more."""

    minimum: int
    _kept: set[str] = field(default_factory=set)

    def ask(self, body: Body) -> Billed:
        """Return what a request costs, and keep what it says is to be kept."""
        total = tokens(body)
        prefixes: list[tuple[str, int, bool]] = []
        digest, size = hashlib.sha256(), 0
        for block in _blocks(body):
            marked = "cache_control" in block
            text = _json({k: v for k, v in block.items() if k != "cache_control"})
            digest.update(text.encode() + b"\n")
            size += len(text)
            prefixes.append((digest.hexdigest(), size // 4, marked))
        read = written = 0
        for number, (_, _, marked) in enumerate(prefixes):
            if not marked:
                continue
            for name, length, _ in prefixes[max(0, number - LOOK_BACK) : number + 1]:
                if name in self._kept:
                    read = max(read, length)
            written = max(written, prefixes[number][1])
        if written < self.minimum:
            written = 0
        self._kept.update(
            name
            for name, length, marked in prefixes
            if marked and length >= self.minimum
        )
        written = max(written - read, 0)
        return Billed(new=total - read - written, written=written, read=read)


def tokens(body: Body) -> int:
    """Return the tokens of a request: its JSON's characters by four."""
    return len(_json(body)) // 4


def before_the_conversation(body: Body) -> int:
    """Return the tokens of a request without its messages."""
    return tokens({key: value for key, value in body.items() if key != "messages"})


def _blocks(body: Body) -> Iterator[Body]:
    yield from body.get("tools", ())
    system = body.get("system", ())
    if isinstance(system, str):
        system = [{"type": "text", "text": system}]
    yield from system
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in content:
            yield {"role": message["role"], **block}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
