"""The one fake of an Ollama server.

It follows Ollama's docs/api.md: "Generate a chat completion" (a stream of JSON objects,
one a line), "List Local Models" and "Show Model Information". It refuses what the real server refuses, see
`tests.fakes.ollama_rules`.

What it answers is written in the blocks and steps of `tests.fakes.messages_script`:
`Text` comes word by word, `ToolUse` in a line of its own, and `Other(block=...)` is a
message's fields as they are (thinking, for one). A `ToolUse` with `raw` is what the
model wrote and Ollama couldn't read: the real server ends the stream with an error.
`usage` goes over the usual counts of the last line. A `Failure` has a status and a
message; Ollama knows no types of errors.

In a test:

    async with FakeOllama(Steps(Answer(blocks=[Text(text="Hello")]))) as server:
        ...  # server.url, then server.requests

As a program, for a model whose every word and call is in a file (its format is told in
`tests.fakes.messages_api`):

    python -m tests.fakes.ollama_api --script FILE --port 0

prints its address as its first line and ends when its standard input closes, or on
SIGTERM.
"""

from collections.abc import Iterator, Sequence
import itertools
import json
import re
import sys
from typing import override

from aiohttp import web

from .messages_script import (
    Answer,
    Block,
    Body,
    Failure,
    Other,
    Rules,
    Script,
    Text,
    ToolUse,
)
from .model_api import FakeModelApi, run, streamed
from .ollama_rules import Model, refusal, unauthorized

MODEL = Model()
_WRITTEN = "2026-11-30T20:00:00.000000001Z"
_ids = itertools.count(1)


class FakeOllama(FakeModelApi):
    """The server; it has one model.

    `lines` replaces the lines of the next answers as they are.
    """

    path = "/api/chat"

    def __init__(
        self,
        script: Script | None = None,
        *,
        model: Model = MODEL,
        key: str = "",
        check: Failure | None = None,
    ) -> None:
        """Take the script and the one model."""
        super().__init__(script, check)
        self.model = model
        self.key = key
        self.lines: list[bytes] | None = None

    @override
    def routes(self) -> list[web.RouteDef]:
        return [
            web.post(self.path, self._chat),
            web.post("/api/show", self._show),
            web.get("/api/tags", self._tags),
        ]

    @override
    def unauthorized(self, headers: dict[str, str]) -> Failure | None:
        return unauthorized(headers, self.key)

    @override
    def error(self, failure: Failure) -> Body:
        return {"error": failure.message}

    async def _tags(self, request: web.Request) -> web.StreamResponse:
        """List the one model."""
        _, refused = await self.record(request)
        if refused := refused or self.check:
            return self.failed(refused)
        model = {
            "name": self.model.name,
            "model": self.model.name,
            "modified_at": _WRITTEN,
            "size": 5_225_388_164,
            "digest": "500a1f067a9f782620b40bee6f7b0c89e17ae61f686b92c24933e4ca4b2b8b41",
            "details": {
                "parent_model": "",
                "format": "gguf",
                "family": "qwen3",
                "families": ["qwen3"],
                "parameter_size": "8.2B",
                "quantization_level": "Q4_K_M",
            },
        }
        return web.json_response({"models": [model]})

    async def _show(self, request: web.Request) -> web.StreamResponse:
        """Tell what the one model can do."""
        body, refused = await self.record(request)
        if not refused and body.get("model") != self.model.name:
            message = f"model '{body.get('model')}' not found"
            refused = Failure(status=404, message=message)
        if refused:
            return self.failed(refused)
        return web.json_response(
            {
                "details": {"format": "gguf", "family": "qwen3"},
                "model_info": {},
                "capabilities": self.model.capabilities,
            }
        )

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        """Answer as the script says, unless the request is one that is refused."""
        body, refused = await self.record(request)
        step = refused or refusal(body, self.model) or await self.step(_heard(body))
        if isinstance(step, Failure):
            return self.failed(step)
        lines = self.lines
        if lines is None:
            lines = [json.dumps(line).encode() for line in _lines(step, body["model"])]
        return await streamed(
            request,
            step,
            (line + b"\n" for line in lines),
            json.dumps({"error": step.error}).encode() + b"\n",
            "application/x-ndjson",
        )


def _heard(body: Body) -> Body:
    """Return a request as scripts read it: what the person and the model said."""
    said = [m for m in body["messages"] if m["role"] in ("user", "assistant")]
    return {**body, "messages": said}


def _lines(answer: Answer, model: str) -> Iterator[Body]:
    """Yield the lines of an answer."""
    head = {"model": model, "created_at": _WRITTEN}
    for block in answer.blocks:
        if isinstance(block, ToolUse) and block.raw is not None:
            err = "invalid character after object key:value pair"
            yield {"error": f"error parsing tool call: raw='{block.raw}', err={err}"}
            return
        for message in _messages(block):
            spoken = {"role": "assistant", "content": "", **message}
            yield {**head, "message": spoken, "done": False}
    yield {
        **head,
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": answer.stop or "stop",
        "total_duration": 885_095_291,
        "load_duration": 3_753_500,
        "prompt_eval_count": 10,
        "prompt_eval_duration": 328_493_000,
        "eval_count": 5,
        "eval_duration": 552_222_000,
        **answer.usage,
    }


def _messages(block: Block) -> Iterator[Body]:
    """Yield the messages that a block is sent in."""
    match block:
        case Text():
            for word in re.findall(r"\S+\s*|\s+", block.text):
                yield {"content": word}
        case ToolUse():
            function = {"index": 0, "name": block.name, "arguments": dict(block.input)}
            call_id = block.id or f"call_{next(_ids):08x}"
            yield {"tool_calls": [{"id": call_id, "function": function}]}
        case Other():
            yield block.block


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; returns its exit code."""
    return run("tests.fakes.ollama_api", Rules, FakeOllama, arguments)


if __name__ == "__main__":
    sys.exit(main())
