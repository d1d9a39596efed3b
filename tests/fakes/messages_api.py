"""The one fake of Anthropic's Messages API.

It follows Anthropic's public API documentation: "Messages", "Streaming Messages" (the
server-sent events), "List Models", "Count Message tokens" and "Errors". It refuses
what the real API refuses.

In a test:

    async with FakeMessagesApi(Steps(Answer(blocks=[Text(text="Hello")]))) as api:
        ...  # api.url, then api.requests

As a program, for a model whose every word and call is in a file:

    python -m tests.fakes.messages_api --script FILE --port 0

prints its address as its first line and ends when its standard input closes, or on
SIGTERM. FILE is JSON or YAML:

    rules:
      - when: unlock .* door            # a regular expression over the user's last
                                        # words, upper and lower case are the same;
                                        # the first rule that matches counts
        rounds:                         # one entry for each answer to these words
          - - text: Let me see.
            - tool: lock__unlock        # a call; two entries are two calls at once
              input: {entity_id: lock.front_door}
            - tool: get_state
              raw: '{"entity_id": ['    # instead of input: JSON as it is, malformed
          - - text: It is done.
      - when: break
        rounds:
          - fail: {status: 529, type: overloaded_error, message: Overloaded}
          - - block: {type: server_tool_use, id: srvtoolu_1, name: web_search, input: {}}
              deltas: []                # any other block, and its pieces
    default: I have nothing to say.     # a text or a list of blocks

After its last round a rule answers "Done.".
"""

from collections.abc import Iterator, Sequence
import json
import sys
from typing import override

from aiohttp import web

from .messages_rules import refusal, unauthorized
from .messages_script import Answer, Body, Failure, Rules, Script, events_of, message_of
from .messages_thinking import Abilities
from .model_api import FakeModelApi, run, streamed

KEY = "sk-test"
MODEL = "claude-haiku-4-5"


class FakeMessagesApi(FakeModelApi):
    """The server."""

    path = "/v1/messages"

    def __init__(
        self,
        script: Script | None = None,
        *,
        key: str = KEY,
        model: str = MODEL,
        can: Abilities = Abilities(),
        check: Failure | None = None,
    ) -> None:
        """Take the script, the one key and model that are accepted, what it can."""
        super().__init__(script, check)
        self.can = can
        self._key = key
        self.model = model

    @override
    def routes(self) -> list[web.RouteDef]:
        return [
            web.post(self.path, self._messages),
            web.post("/v1/messages/count_tokens", self._count_tokens),
            web.get("/v1/models", self._models),
        ]

    @override
    def unauthorized(self, headers: dict[str, str]) -> Failure | None:
        return unauthorized(headers, self._key)

    @override
    def error(self, failure: Failure) -> Body:
        return failure.body()

    async def _models(self, request: web.Request) -> web.StreamResponse:
        """List the one model."""
        _, refused = await self.record(request)
        if refused := refused or self.check:
            return self.failed(refused)
        model = {
            "type": "model",
            "id": self.model,
            "display_name": self.model,
            "created_at": "2025-10-01T00:00:00Z",
        }
        return web.json_response(
            {
                "data": [model],
                "has_more": False,
                "first_id": self.model,
                "last_id": self.model,
            }
        )

    async def _count_tokens(self, request: web.Request) -> web.StreamResponse:
        """Count four characters as a token."""
        body, refused = await self.record(request)
        refused = refused or self.check
        refused = refused or refusal(
            request.headers, {**body, "max_tokens": 1}, self.model
        )
        if refused:
            return self.failed(refused)
        return web.json_response({"input_tokens": len(json.dumps(body)) // 4})

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        """Answer as the script says, unless the request is one that is refused."""
        body, refused = await self.record(request)
        refused = refused or refusal(request.headers, body, self.model, self.can)
        step = refused or await self.step(body)
        if isinstance(step, Failure):
            return self.failed(step)
        message = message_of(step, self.model)
        if not body.get("stream"):
            return web.json_response(message)
        failure = Failure(status=200, type=step.error, message=step.error)
        error = _event("error", failure.body())
        return await streamed(request, step, _events(step, message), error)


def _events(answer: Answer, message: Body) -> Iterator[bytes]:
    """Yield the server-sent events of an answer."""
    for name, data in events_of(answer, message):
        yield _event(name, {"type": name, **data})


def _event(name: str, data: Body) -> bytes:
    """Return one server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run as a program; returns its exit code."""
    return run("tests.fakes.messages_api", Rules, FakeMessagesApi, arguments)


if __name__ == "__main__":
    sys.exit(main())
