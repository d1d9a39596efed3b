"""What the fake Messages API answers: steps, the events of a step, script files."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
import itertools
import json
from pathlib import Path
import re
from typing import Any, Protocol

import yaml

type Body = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words of the model, sent in several pieces."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A call; `raw` is sent instead of the input's JSON, to make it malformed."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)
    raw: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """Any other block as it is: thinking, a tool that runs at the vendor."""

    block: Body
    deltas: Sequence[Body] = ()


type Block = Text | ToolUse | Other


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of the model.

    `stop` None means what follows from the blocks. The stream ends after `cut_after`
    events (`abrupt`: by a reset connection, else as if it were whole), or goes over
    into an error event of type `error` after `error_after` events. It waits for
    `gate` before the event `gate_at`; 0 is before the first byte. Each piece takes
    `every` seconds.
    """

    blocks: Sequence[Block] = ()
    stop: str | None = None
    usage: Body = field(default_factory=dict)
    cut_after: int | None = None
    abrupt: bool = False
    error_after: int | None = None
    error: str = "overloaded_error"
    gate: asyncio.Event | None = None
    gate_at: int = 0
    every: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An answer with an error status; `details` goes into the error as it is."""

    status: int
    type: str = "api_error"
    message: str = "Something went wrong"
    headers: Mapping[str, str] = field(default_factory=dict)
    details: Body | None = None

    def body(self) -> Body:
        """Return the error as the API words it."""
        error: Body = {"type": self.type, "message": self.message}
        if self.details is not None:
            error["details"] = self.details
        return {"type": "error", "error": error, "request_id": "req_fake"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Failure):
    """An answer that no API gives: of a proxy, or of something else at the address."""

    status: int = 200
    content_type: str = "text/html"
    text: str = "<!doctype html><title>Welcome</title>"


type Step = Answer | Failure

_ids = itertools.count(1)


def message_of(answer: Answer, model: str) -> Body:
    """Return the whole message of an answer, as a request without streaming gets it."""
    content: list[Body] = []
    for block in answer.blocks:
        match block:
            case Text():
                content.append({"type": "text", "text": block.text})
            case ToolUse():
                content.append(
                    {
                        "type": "tool_use",
                        "id": block.id or f"toolu_{next(_ids):08d}",
                        "name": block.name,
                        "input": dict(block.input),
                    }
                )
            case Other():
                content.append(block.block)
    calls = any(isinstance(block, ToolUse) for block in answer.blocks)
    return {
        "id": f"msg_{next(_ids):08d}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": answer.stop or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {
            "input_tokens": 10,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 5,
            **answer.usage,
        },
    }


def events_of(answer: Answer, message: Body) -> Iterator[tuple[str, Body]]:
    """Yield the name and data of each event of a streamed answer."""
    yield (
        "message_start",
        {
            "message": {
                **message,
                "content": [],
                "stop_reason": None,
                "usage": {**message["usage"], "output_tokens": 1},
            }
        },
    )
    yield "ping", {}
    for index, (block, content) in enumerate(
        zip(answer.blocks, message["content"], strict=True)
    ):
        start, deltas = _pieces(block, content)
        yield "content_block_start", {"index": index, "content_block": start}
        for delta in deltas:
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    yield (
        "message_delta",
        {
            "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": message["usage"]["output_tokens"]},
        },
    )
    yield "message_stop", {}


def _pieces(block: Block, content: Body) -> tuple[Body, list[Body]]:
    """Return how a block begins, and the pieces that complete it."""
    match block:
        case Text():
            words = re.findall(r"\S+\s*|\s+", block.text)
            return {"type": "text", "text": ""}, [
                {"type": "text_delta", "text": word} for word in words
            ]
        case ToolUse():
            text = json.dumps(block.input) if block.raw is None else block.raw
            parts = [text[at : at + 7] for at in range(0, len(text), 7)]
            return {**content, "input": {}}, [
                {"type": "input_json_delta", "partial_json": part}
                for part in ("", *parts)
            ]
        case Other():
            return content, list(block.deltas)


class Script(Protocol):
    """Says what to answer."""

    def next(self, body: Body) -> Step:
        """Return the answer to a request."""


class Steps:
    """Answers with one step after the other; asked once too often, it fails."""

    def __init__(self, *steps: Step) -> None:
        """Keep the steps."""
        self._steps = list(steps)

    def next(self, body: Body) -> Step:
        """Return the next step."""
        if not self._steps:
            return Failure(status=500, message="The script has no more steps")
        return self._steps.pop(0)


class Rules:
    """A script file: which rounds follow on which words.

    See `tests.fakes.messages_api` for the format. Raises ValueError for what isn't
    in it.
    """

    def __init__(self, script: object) -> None:
        """Read the rules."""
        if not isinstance(script, dict) or set(script) - {"rules", "default"}:
            raise ValueError("a script has the keys rules and default, no others")
        self._rules = [
            (re.compile(rule["when"], re.IGNORECASE), _rounds(rule["rounds"]))
            for rule in script.get("rules", [])
        ]
        self._default = _rounds([script.get("default", "I have nothing to say.")])

    @classmethod
    def from_file(cls, path: Path) -> Rules:
        """Read a file of JSON or YAML."""
        return cls(yaml.safe_load(path.read_text(encoding="utf-8")))

    def next(self, body: Body) -> Step:
        """Return the round that the conversation has come to."""
        text, done = last_words(body["messages"])
        for pattern, rounds in self._rules:
            if pattern.search(text):
                return rounds[done] if done < len(rounds) else _answer(["Done."])
        return self._default[0]


def last_words(messages: Sequence[Body]) -> tuple[str, int]:
    """Return the last words of the user, and how many answers they have had."""
    answers = 0
    for message in reversed(messages):
        if message["role"] == "assistant":
            answers += 1
            continue
        content = message["content"]
        if isinstance(content, str):
            return content, answers
        texts = [block["text"] for block in content if block["type"] == "text"]
        if texts:
            return texts[-1], answers
    return "", answers


def _rounds(rounds: Sequence[object]) -> list[Step]:
    """Return the rounds of a rule."""
    return [_round(one) for one in rounds]


def _round(one: object) -> Step:
    """Return one round: a text, a list of blocks, or a failure."""
    if isinstance(one, str):
        return _answer([one])
    if isinstance(one, list):
        return _answer(one)
    if isinstance(one, dict) and set(one) == {"fail"}:
        return Failure(**one["fail"])
    raise ValueError(f"no round: {one!r}")


def _answer(blocks: Sequence[object]) -> Answer:
    """Return an answer of the blocks of a script."""
    return Answer(blocks=[_block(block) for block in blocks])


def _block(block: object) -> Block:
    """Return one block of a script."""
    if isinstance(block, str):
        return Text(text=block)
    if not isinstance(block, dict):
        raise TypeError(f"no block: {block!r}")
    fields: Body = dict(block)
    match sorted(fields):
        case ["text"]:
            return Text(**fields)
        case ["block"] | ["block", "deltas"]:
            return Other(**fields)
        case ["tool"] | ["input", "tool"] | ["raw", "tool"]:
            return ToolUse(name=fields.pop("tool"), **fields)
    raise ValueError(f"no block: {block!r}")
