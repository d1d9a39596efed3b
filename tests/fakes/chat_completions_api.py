"""The one fake of OpenAI's Chat Completions API.

It follows OpenAI's public API reference: "Chat Completions", its "Streaming" (the
server-sent events), "Models: list" and the guide "Error codes". It refuses what OpenAI
or one of the compatible servers refuses.

In a test:

    async with FakeChatApi(Steps(Answer(blocks=[Text(text="Hello")]))) as api:
        ...  # api.url, then api.requests

As a program, for a model whose every word and call is in a file:

    python -m tests.fakes.chat_completions_api --script FILE --port 0

prints its address as its first line and ends when its standard input closes, or on
SIGTERM. FILE is what `tests.fakes.messages_api` takes.
"""

from collections.abc import Collection, Iterator, Sequence
import json
import sys
from typing import override

from aiohttp import web

from .chat_completions_rules import refusal, unauthorized
from .chat_completions_script import ChatRules, chunks_of, error_of
from .messages_script import Body, Failure, Script
from .model_api import FakeModelApi, run, streamed

KEY = "sk-test"
MODEL = "gpt-test"


class FakeChatApi(FakeModelApi):
    """The server; `key` None is one that asks for none.

    `refuses` are parameters that it doesn't take, `models` what it lists beside
    `model`.
    """

    path = "/v1/chat/completions"
    root = "/v1"

    def __init__(
        self,
        script: Script | None = None,
        *,
        key: str | None = KEY,
        model: str = MODEL,
        models: Sequence[str] = (),
        check: Failure | None = None,
        refuses: Collection[str] = (),
    ) -> None:
        """Take the script, and what is accepted."""
        super().__init__(script, check)
        self.key = key
        self.model = model
        self.models = list(models)
        self.refuses = set(refuses)

    @override
    def routes(self) -> list[web.RouteDef]:
        return [web.post(self.path, self._answer), web.get("/v1/models", self._list)]

    @override
    def unauthorized(self, headers: dict[str, str]) -> Failure | None:
        return unauthorized(headers, self.key)

    @override
    def error(self, failure: Failure) -> Body:
        return error_of(failure)

    async def _list(self, request: web.Request) -> web.StreamResponse:
        """List the models."""
        _, refused = await self.record(request)
        if refused := refused or self.check:
            return self.failed(refused)
        data = [
            {"id": name, "object": "model", "created": 1_790_000_000, "owned_by": "us"}
            for name in (self.model, *self.models)
        ]
        return web.json_response({"object": "list", "data": data})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        """Answer as the script says, unless the request is one that is refused."""
        body, refused = await self.record(request)
        refused = refused or refusal(body, self.model, self.refuses)
        step = refused or await self.step(body)
        if isinstance(step, Failure):
            return self.failed(step)
        with_usage = bool(body.get("stream_options", {}).get("include_usage"))
        chunks = chunks_of(step, self.model, with_usage=with_usage)
        failure = Failure(status=200, type=step.error, message=step.error)
        error = _event(json.dumps(error_of(failure)))
        return await streamed(request, step, _events(chunks), error)


def _events(chunks: Iterator[Body]) -> Iterator[bytes]:
    """Yield the server-sent events of an answer."""
    for chunk in chunks:
        yield _event(json.dumps(chunk))
    yield _event("[DONE]")


def _event(data: str) -> bytes:
    """Return one server-sent event."""
    return f"data: {data}\n\n".encode()


def _open(script: Script) -> FakeChatApi:
    """Return a server that asks for no key."""
    return FakeChatApi(script, key=None)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; returns its exit code."""
    return run("tests.fakes.chat_completions_api", ChatRules, _open, arguments)


if __name__ == "__main__":
    sys.exit(main())
