"""What compatible servers do otherwise than OpenAI, each as somebody has met it.

The reports are those of Home Assistant's custom agents (LO: skye-harris/
hass_local_openai_llm, TI: skye-harris/llm_intents) and of the servers themselves.
"""

from collections.abc import Mapping
import json
from typing import Any

from aiohttp import web
import httpx
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    ErrorKind,
    StopReason,
    ThinkingDelta,
    ToolResultMessage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.turn import ToolOutcome
from tests.fakes.http_service import HttpService
from tests.fakes.messages_script import Answer, Failure

from .chat import TOOLS, call, failed, pieces
from .contract import ChatServer
from .rounds import calls_of, request, run, text_of

ON = '{"entity_id":"light.a"}'
ON_READ = {"entity_id": "light.a"}
OFF = '{"entity_id":"light.b"}'
OFF_READ = {"entity_id": "light.b"}
type Read = list[tuple[str, Mapping[str, Any] | None]]


@pytest.mark.parametrize(
    ("deltas", "read"),
    [
        pytest.param(
            [
                call(0, id="a", name="get_state", arguments=ON),
                call(0, id="b", name="get_state", arguments=OFF),
            ],
            [("get_state", ON_READ), ("get_state", OFF_READ)],
            id="all at index 0",
        ),
        pytest.param(
            [
                call(0, name="get_state", arguments=ON),
                call(0, name="list_areas", arguments="{}"),
            ],
            [("get_state", ON_READ), ("list_areas", {})],
            id="all at index 0, without ids",
        ),
        pytest.param(
            [
                call(None, name="get_state", arguments=ON),
                call(None, name="get_state", arguments=OFF),
            ],
            [("get_state", ON_READ), ("get_state", OFF_READ)],
            id="without index and id",
        ),
        pytest.param(
            [
                call(0, id="a", name="get_state", arguments=ON),
                call(1, id="a", name="get_state", arguments=OFF),
            ],
            [("get_state", ON_READ), ("get_state", OFF_READ)],
            id="one id for two calls (TI#155)",
        ),
        pytest.param(
            [
                call(0, id="a", name="get_state", arguments=""),
                call(0, arguments=ON[:9]),
                call(0, arguments=ON[9:]),
                call(0, id="a", name="get_state", arguments=ON),
            ],
            [("get_state", ON_READ)],
            id="a last chunk that says all again (LO 2026-07-09)",
        ),
        pytest.param(
            [
                call(0, id="a", name="get_state", arguments=ON),
                call(1, id="a", name="get_state", arguments=ON),
            ],
            [("get_state", ON_READ)],
            id="the same call twice under one id",
        ),
        pytest.param(
            [
                call(1, id="b", name="list_areas", arguments="{"),
                call(0, id="a", name="get_state", arguments=ON[:4]),
                call(1, arguments="}"),
                call(0, arguments=ON[4:]),
            ],
            [("list_areas", {}), ("get_state", ON_READ)],
            id="two at once, piece by piece",
        ),
        pytest.param(
            [
                call(0, id="a", name="get_state", arguments=ON[:5]),
                call(0, id="a", name="get_state", arguments=ON[5:]),
            ],
            [("get_state", ON_READ)],
            id="the name in each piece",
        ),
        pytest.param(
            [call(0, id="a", name="get_state", arguments={"entity_id": "light.a"})],
            [("get_state", ON_READ)],
            id="arguments as an object (LO#102)",
        ),
        pytest.param(
            [call(0, id="a", name="get_state", arguments="{} {}")],
            [("get_state", None)],
            id="arguments that are none",
        ),
    ],
)
async def test_calls_in_odd_pieces(
    chat: ChatServer, http: httpx.AsyncClient, deltas: list[dict[str, Any]], read: Read
) -> None:
    """Each call is made once, with its own arguments, and can be told from others."""
    chat.answers(Answer(blocks=pieces(*deltas), stop="tool_calls"))
    calls = calls_of(await run(chat.provider(http), request(tools=TOOLS)))
    assert [(one.name, one.arguments) for one in calls] == read
    assert len({one.id for one in calls}) == len(calls)


async def test_what_a_server_wants_back_with_a_call(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """Gemini's signature beside its own call; DeepSeek's thinking, be it empty."""
    signature = {"google": {"thought_signature": "c2ln"}}
    deltas = [
        {"reasoning_content": ""},
        call(0, id="a", name="get_state", arguments=ON, extra_content=signature),
        call(1, id="b", name="get_state", arguments=OFF),
    ]
    refused = Failure(status=400, message="Unknown name 'extra_content'")
    chat.answers(
        Answer(blocks=pieces(*deltas), stop="tool_calls"), Answer(), refused, Answer()
    )
    provider = chat.provider(http)
    events = await run(provider, request(tools=TOOLS))
    made = tuple(calls_of(events))
    kept = tuple(event for event in events if isinstance(event, VendorBlock))
    again = request(
        UserMessage(text="?"),
        AssistantMessage(requests=made, vendor=kept),
        *(
            ToolResultMessage(outcome=ToolOutcome(request_id=one.id, tool=one.name))
            for one in made
        ),
        tools=TOOLS,
    )
    await run(provider, again)
    await run(provider, again)
    sent = [body["messages"][2] for body in chat.api.rounds[1:]]
    assert [one.get("reasoning_content") for one in sent] == ["", "", None]
    assert [
        [each.get("extra_content") for each in one["tool_calls"]] for one in sent
    ] == [[signature, None], [signature, None], [None, None]]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", StopReason.TOOL_USE),  # vLLM, Gemini (python-genai#2868)
        ("tool_call", StopReason.TOOL_USE),  # mlx-lm#782
        ("function_call", StopReason.TOOL_USE),
        ("eos_token", StopReason.TOOL_USE),
        ("length", StopReason.MAX_TOKENS),
        ("error", ErrorKind.CUT),  # OpenRouter
        ("abort", ErrorKind.CUT),  # vLLM
        ("banana", ErrorKind.REJECTED),
    ],
)
async def test_odd_reasons_to_stop(
    chat: ChatServer, http: httpx.AsyncClient, reason: str, stop: StopReason | ErrorKind
) -> None:
    """What is known to mean an end is one; all else is a failure."""
    called = pieces(call(0, id="a", name="get_state", arguments=ON))
    chat.answers(Answer(blocks=called, stop=reason))
    if isinstance(stop, ErrorKind):
        assert (await failed(chat, http, tools=True)).kind is stop
        return
    events = await run(chat.provider(http), request(tools=TOOLS))
    end = events[-1]
    assert isinstance(end, Completed)
    assert end.stop is stop
    assert [one.arguments for one in calls_of(events)] == [ON_READ]


async def test_a_stream_with_everything_odd(
    http: httpx.AsyncClient, socket_enabled: None
) -> None:
    """Comments that keep it alive, lines without a space, CRLF, tokens at the end only."""
    shared = {"id": "1", "object": "chat.completion.chunk", "model": "m"}

    def chunk(**fields: Any) -> str:
        return f"data:{json.dumps({**shared, **fields})}\r\n\r\n"

    def said(delta: dict[str, Any], stop: str | None = None) -> str:
        return chunk(choices=[{"index": 0, "delta": delta, "finish_reason": stop}])

    body = "".join(
        (
            ": OPENROUTER PROCESSING\n\n",
            "event: message\nid: 7\nretry: 100\n",
            said({"role": "assistant", "content": None, "reasoning_content": "Hm."}),
            chunk(choices=[]),
            ":\n\n",
            said({"content": "It is on.", "tool_calls": None}),
            said({}, "stop"),
            chunk(choices=None, usage={"prompt_tokens": 7, "completion_tokens": 3}),
            "data:[DONE]\n\n",
        )
    )
    async with _Stream(body) as server:
        events = await run(ChatServer().provider(http, url=f"{server.url}/v1"))
    assert text_of(events) == "It is on."
    assert [e.text for e in events if isinstance(e, ThinkingDelta)] == ["Hm."]
    end = events[-1]
    assert isinstance(end, Completed)
    assert (end.usage.input_tokens, end.usage.output_tokens) == (7, 3)


class _Stream(HttpService):
    """Answers everything with one stream."""

    def __init__(self, body: str) -> None:
        """Take the stream."""
        super().__init__()
        self._body = body.encode()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Send it."""
        return web.Response(body=self._body, content_type="text/event-stream")


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (400, "tool_use_failed", "Failed to call a function."),  # Groq
        (500, None, "Failed to parse tool call arguments as JSON: ..."),  # llama.cpp
        (500, None, "Failed to parse input at pos 12: <|python_tag|>"),
    ],
)
async def test_a_call_that_the_server_could_not_read(
    chat: ChatServer,
    http: httpx.AsyncClient,
    status: int,
    code: str | None,
    message: str,
) -> None:
    """It is the model's fault: neither the request's nor the server's."""
    chat.answers(Failure(status=status, message=message, details={"code": code}))
    assert (await failed(chat, http, tools=True)).kind is ErrorKind.CUT
