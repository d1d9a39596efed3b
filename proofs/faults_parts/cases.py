"""The faults of a model's server, each as the fake servers play it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.core.provider.contract import ChatServer, Claude
from tests.fakes.messages_script import Answer, Body, Failure, Page, Step, Text, ToolUse

LIGHT: Final = "light.kitchen_light"
TOLD: Final = "I have looked at it."
ALL: Final = frozenset({"anthropic", "openai_compatible", "ollama"})
DONE: Final = "It is cosy now."
_CALL: Final = ToolUse(name="light__turn_on", input={"entity_id": LIGHT})
_WRITTEN: Final = (
    f'{{"name": "light__turn_on", "arguments": {{"entity_id": "{LIGHT}"}}}}'
)
_LONG: Final = "One moment, please, I am thinking about that. "
# Set for a moment after each cell, so that a server can let go of who was silenced.
_NEVER: Final = asyncio.Event()
# What a stream is called on each wire.
_STREAMS: Final[Mapping[str, str]] = {
    "anthropic": "text/event-stream",
    "openai_compatible": "text/event-stream",
    "ollama": "application/x-ndjson",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault: `steps` of a vendor, None where its API knows no such thing.

    `calls` are the effects of the failing brain itself. For the vendors in `own` it is
    no failure of the brain: it goes on or has answered, and no other is asked. `down`
    is a server that isn't there at all.
    """

    name: str
    steps: Callable[[str], tuple[Step, ...] | None]
    calls: int = 0
    own: frozenset[str] = frozenset()
    down: bool = False


def _status(status: int, type_: str, message: str = "No", **headers: str) -> Fault:
    failure = Failure(
        status=status,
        type=type_,
        message=message,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    return Fault(name=str(status), steps=lambda _: (failure,))


def _always(name: str, *steps: Step, **more: object) -> Fault:
    return Fault(name=name, steps=lambda _: steps, **more)  # type: ignore[arg-type]  # the fields of Fault


def _refused(vendor: str) -> tuple[Step, ...] | None:
    stop = {"anthropic": Claude.refused, "openai_compatible": ChatServer.refused}
    if vendor not in stop:
        return None
    return (Answer(blocks=[Text(text="I can't")], stop=stop[vendor]),)


def _foreign(vendor: str) -> tuple[Step, ...] | None:
    blocks = {"anthropic": Claude.foreign, "openai_compatible": ChatServer.foreign}
    block = blocks.get(vendor)
    return (Answer(blocks=[block, _CALL]),) if block is not None else None


def _bad_json(vendor: str) -> tuple[Step, ...]:
    text = '{"choices": [' if vendor == "ollama" else 'data: {"choices": [\n\n'
    return (Page(content_type=_STREAMS[vendor], text=text),)


FAULTS: Final = (
    _status(401, "authentication_error", "invalid key"),
    _status(403, "permission_error", "not allowed"),
    _status(404, "not_found_error", "no such model"),
    _status(429, "rate_limit_error", "too many requests", retry_after="7"),
    _status(500, "api_error", "internal error"),
    _status(503, "api_error", "unavailable"),
    _status(529, "overloaded_error", "overloaded"),
    _always(
        "no credit", Failure(status=402, type="billing_error", message="no credit")
    ),
    _always("refused connection", down=True),
    _always("silence", Answer(gate=_NEVER)),
    _always("slow trickle", Answer(blocks=[Text(text=_LONG * 40)], every=0.1)),
    _always(
        "cut stream", Answer(blocks=[Text(text=_LONG), _CALL], cut_after=6, abrupt=True)
    ),
    _always("empty answer", Answer()),
    Fault(name="refusal", steps=_refused, own=ALL),
    _always(
        "malformed arguments",
        Answer(blocks=[ToolUse(name="light__turn_on", raw='{"entity_id": ["li')]),
        Answer(blocks=[Text(text=TOLD)]),
        # Ollama reads the arguments itself, and ends the stream.
        own=ALL - {"ollama"},
    ),
    _always(
        "invented tool",
        Answer(blocks=[ToolUse(name="open_everything")]),
        Answer(blocks=[Text(text=TOLD)]),
        own=ALL,
    ),
    _always("call as text", Answer(blocks=[Text(text=_WRITTEN)])),
    Fault(name="bad JSON", steps=_bad_json),
    _always("HTML page", Page()),
    _always("HTML error page", Page(status=502)),
    Fault(name="tool at the vendor", steps=_foreign),
    _always(
        "too long",
        Failure(
            status=400,
            type="invalid_request_error",
            message="prompt is too long: 210000 tokens > 200000 maximum",
        ),
    ),
    _always(
        "done, then 500",
        Answer(blocks=[Text(text="One moment."), _CALL]),
        Failure(status=500, message="internal error"),
        calls=1,
    ),
    _always(
        "done, then silence",
        Answer(blocks=[_CALL]),
        Answer(gate=_NEVER),
        calls=1,
    ),
)


def let_go() -> None:
    """Let the servers end what they were silent in."""
    _NEVER.set()
    _NEVER.clear()


class Healthy:
    """The script of a brain that is well: it turns the light on once, and says so."""

    def next(self, body: Body) -> Step:
        """Return the next round, by what the conversation holds already."""
        if any(message["role"] == "tool" for message in body["messages"]):
            return Answer(blocks=[Text(text=DONE)])
        return Answer(blocks=[_CALL])
