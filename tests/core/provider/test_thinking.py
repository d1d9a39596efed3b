"""Thinking: asked for as each model takes it, given back to it, told to nobody."""

from dataclasses import replace
from typing import Any

import httpx
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ErrorKind,
    ProviderEvent,
    StopReason,
    ThinkingDelta,
    ToolResultMessage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.providers.anthropic_dialect import dialect_of
from custom_components.caesar.providers.thinking import Think
from custom_components.caesar.turn import ToolOutcome, ToolRequest
from tests.fakes.chat_completions_api import MODEL as CHAT_MODEL
from tests.fakes.messages_api import FakeMessagesApi
from tests.fakes.messages_script import (
    Answer,
    Block,
    Failure,
    Other,
    Steps,
    Text,
    ToolUse,
)
from tests.fakes.messages_thinking import ADAPTIVE, ALWAYS, WITH_BUDGET, Abilities
from tests.fakes.ollama_api import FakeOllama

from .conftest import MakeOllama
from .contract import VENDORS, ChatServer, Vendor
from .rounds import MakeProvider, answers, calls_of, fail, request, run, spec, text_of

THOUGHT = Other(
    block={"type": "thinking", "thinking": "", "signature": ""},
    deltas=[
        {"type": "thinking_delta", "thinking": "A lamp."},
        {"type": "signature_delta", "signature": "c2ln"},
    ],
)
CALL = ToolRequest(id="toolu_1", name="get_state", arguments={})
TOOLS = (spec("get_state"),)
CUT_CALLS: list[tuple[str, str, dict[str, Json] | None]] = [
    ("max_tokens", "", None),
    ("max_tokens", '{"entity_id": "li', None),
    ("max_tokens", '{"entity_id": "light.a"}', {"entity_id": "light.a"}),
    ("model_context_window_exceeded", "", None),
    ("tool_use", "", {}),
]


def after_a_call(*vendor: VendorBlock) -> CompletionRequest:
    """Return the second round of a turn."""
    return request(
        UserMessage(text="Is it on?"),
        AssistantMessage(requests=(CALL,), vendor=vendor),
        ToolResultMessage(outcome=ToolOutcome(request_id=CALL.id, tool="get_state")),
        tools=TOOLS,
    )


def asked(body: dict[str, Any]) -> tuple[Any, ...]:
    """Return how a request asks for thinking: type, budget, effort, limit."""
    thinking = body["thinking"]
    effort = body.get("output_config", {}).get("effort")
    return (
        thinking["type"],
        thinking.get("budget_tokens"),
        effort,
        body["max_tokens"],
    )


@pytest.mark.parametrize(
    ("model", "can", "think", "sent"),
    [
        ("claude-haiku-4-5", WITH_BUDGET, "off", [("disabled", None, None, 1024)]),
        ("claude-haiku-4-5", WITH_BUDGET, "low", [("enabled", 1024, None, 2048)]),
        (
            "claude-sonnet-4-5-20250929",
            WITH_BUDGET,
            "high",
            [("enabled", 8192, None, 9216)],
        ),
        ("claude-opus-4-8", ADAPTIVE, "off", [("disabled", None, None, 1024)]),
        ("claude-opus-4-8", ADAPTIVE, "medium", [("adaptive", None, "medium", 5120)]),
        (
            "claude-mythos-5",
            ALWAYS,
            "off",
            [("disabled", None, None, 1024), ("adaptive", None, "low", 2048)],
        ),
        # A name that says the wrong thing, or nothing.
        (
            "claude-haiku-4-5",
            ADAPTIVE,
            "high",
            [("enabled", 8192, None, 9216), ("adaptive", None, "high", 9216)],
        ),
        (
            "claude-of-another-house",
            WITH_BUDGET,
            "low",
            [("adaptive", None, "low", 2048), ("enabled", 1024, None, 2048)],
        ),
        (
            "claude-without-effort",
            Abilities(effort=False),
            "low",
            [("adaptive", None, "low", 2048), ("adaptive", None, None, 2048)],
        ),
        (
            "claude-without-thought",
            Abilities(thinking=frozenset({"disabled"})),
            "low",
            [
                ("adaptive", None, "low", 2048),
                ("enabled", 1024, None, 2048),
                ("disabled", None, None, 1024),
            ],
        ),
    ],
)
async def test_each_model_is_asked_as_it_takes_it(
    http: httpx.AsyncClient,
    make: MakeProvider,
    api: FakeMessagesApi,
    model: str,
    can: Abilities,
    think: str,
    sent: list[tuple[Any, ...]],
) -> None:
    """What a model refuses is left out, and is remembered."""
    api.model, api.can = model, can
    words = Answer(blocks=[Text(text="Yes.")])
    answers(api, words, words)
    provider = make(model=model, think=Think(think))
    for _ in range(2):
        assert text_of(await run(provider)) == "Yes."
    assert [asked(body) for body in api.rounds] == [*sent, sent[-1]]


async def test_no_budget_between_a_call_and_its_answer(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """A turn that began without thinking goes on without; the next one thinks again."""
    api.can = WITH_BUDGET
    words = Answer(blocks=[Text(text="Yes.")])
    answers(api, words, words)
    provider = make(think=Think.LOW)
    await run(provider, after_a_call())
    await run(provider)
    assert [body["thinking"]["type"] for body in api.rounds] == ["disabled", "enabled"]


async def test_thinking_is_handed_back_within_its_turn(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """Signed and in its place; a model that is asked after it doesn't get it."""
    api.can = WITH_BUDGET
    answers(
        api, Answer(blocks=[THOUGHT, ToolUse(id=CALL.id, name=CALL.name)]), Answer()
    )
    events = await run(make(think=Think.LOW), request(tools=TOOLS))
    assert [e.text for e in events if isinstance(e, ThinkingDelta)] == ["A lamp."]
    kept = [event for event in events if isinstance(event, VendorBlock)]
    await run(make(think=Think.LOW), after_a_call(*kept))
    block = {"type": "thinking", "thinking": "A lamp.", "signature": "c2ln"}
    assert api.rounds[1]["messages"][1]["content"][0] == block
    api.model, api.can = "claude-opus-4-8", ADAPTIVE
    answers(api, Answer())
    await run(make(model=api.model, think=Think.LOW), after_a_call(*kept))
    (call,) = api.rounds[2]["messages"][1]["content"]
    assert call["type"] == "tool_use"


@pytest.mark.parametrize(("stop", "raw", "arguments"), CUT_CALLS)
async def test_a_call_that_was_cut_has_no_arguments(
    api: FakeMessagesApi,
    make: MakeProvider,
    stop: str,
    raw: str,
    arguments: dict[str, Json] | None,
) -> None:
    """Nor is one whose arguments never came taken for one without any."""
    answers(api, Answer(blocks=[ToolUse(name="get_state", raw=raw)], stop=stop))
    events = await run(make(), request(tools=TOOLS))
    assert [call.arguments for call in calls_of(events)] == [arguments]


async def test_a_refused_answer_makes_no_calls(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """What the vendor's filter broke off is nothing to carry out."""
    answers(api, Answer(blocks=[ToolUse(name="get_state")], stop="refusal"))
    (end,) = await run(make(), request(tools=TOOLS))
    assert isinstance(end, Completed)
    assert end.stop is StopReason.REFUSAL


async def test_two_calls_of_one_id_are_none(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """Nobody could say which of them an outcome belongs to."""
    same = [ToolUse(id="a", name="get_state"), ToolUse(id="a", name="list_areas")]
    answers(api, Answer(blocks=same))
    seen: list[ProviderEvent] = []
    assert (await fail(make(), seen)).kind is ErrorKind.CUT
    assert calls_of(seen) == []


async def test_what_stays_the_same_is_kept_for_an_hour(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """The longer time stands before the shorter one, as the API wants it."""
    answers(api, Answer())
    await run(make(cache_ttl="1h"), request(tools=TOOLS))
    (body,) = api.rounds
    hour = {"type": "ephemeral", "ttl": "1h"}
    marks = [body["tools"][0], body["system"][0], body["messages"][-1]["content"][-1]]
    assert [each["cache_control"] for each in marks] == [
        hour,
        hour,
        {"type": "ephemeral"},
    ]


def test_a_model_says_once_what_it_cannot() -> None:
    """Asking again without a change would be of no use."""
    dialect = dialect_of("claude-haiku-4-5", Think.OFF, "5m")
    assert dialect.without("messages.0") is None
    always = dialect.without("thinking.type.disabled")
    assert always is not None
    assert always.without("thinking.type.adaptive") is None


async def test_the_effort_of_a_compatible_server(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """Sent if somebody chose one, with room for it; left out once it was refused."""
    words = Answer(blocks=[Text(text="Yes.")])
    chat.answers(*[words] * 4)
    await run(chat.provider(http))
    await run(chat.provider(http, think=Think.OFF))
    chat.api.refuses = {"reasoning_effort"}
    provider = chat.provider(http, think=Think.HIGH)
    await run(provider)
    await run(provider)
    sent = [(b.get("reasoning_effort"), b["max_tokens"]) for b in chat.api.rounds]
    assert sent == [
        (None, 1024),
        ("none", 1024),
        ("high", 9216),
        (None, 1024),
        (None, 1024),
    ]


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("openai_compatible", "reasoning_content"),
        ("openai_compatible", "reasoning"),
        ("ollama", "thinking"),
    ],
)
async def test_a_model_gets_back_what_it_thought_before_a_call(
    http: httpx.AsyncClient, socket_enabled: None, name: str, field: str
) -> None:
    """In the field that it came in, to that model only, and only with a call."""
    vendor: Vendor[Any] = VENDORS[name]()
    thoughts = [{field: "A "}, {field: "lamp."}]
    blocks: list[Block] = (
        [Other(block={}, deltas=thoughts)]
        if name == "openai_compatible"
        else [Other(block=each) for each in thoughts]
    )
    async with vendor.api:
        called = Answer(blocks=[*blocks, ToolUse(name="get_state")])
        vendor.answers(called, Answer(blocks=[*blocks, Text(text="Yes.")]), Answer())
        provider = vendor.provider(http)
        events = await run(provider, request(tools=TOOLS))
        kept = tuple(event for event in events if isinstance(event, VendorBlock))
        again = await run(provider, after_a_call(*kept))
        assert not [event for event in again if isinstance(event, VendorBlock)]
        others = (replace(kept[0], provider="other"), replace(kept[0], data={"a": 1}))
        await run(provider, after_a_call(*others))
        await provider.close()
    answers_ = [
        next(one for one in body["messages"] if one["role"] == "assistant")
        for body in vendor.api.rounds[1:]
    ]
    assert [one.get(field) for one in answers_] == ["A lamp.", None]


async def test_a_server_that_wants_no_thinking_back(
    chat: ChatServer, http: httpx.AsyncClient
) -> None:
    """It is asked again without, and told no more of it."""
    said = {"model": CHAT_MODEL, "field": "reasoning_content", "thought": "A lamp."}
    kept = VendorBlock(provider="openai_compatible", data=said)
    refused = Failure(status=400, details={"param": "messages.2.reasoning_content"})
    chat.answers(refused, Answer())
    await run(chat.provider(http), after_a_call(kept))
    sent = [body["messages"][2].get("reasoning_content") for body in chat.api.rounds]
    assert sent == ["A lamp.", None]


async def test_a_context_that_is_too_small_is_told_once(
    server: FakeOllama, make_ollama: MakeOllama, caplog: pytest.LogCaptureFixture
) -> None:
    """Ollama itself says nothing and cuts the conversation."""
    full = Answer(blocks=[Text(text="Yes.")], usage={"prompt_eval_count": 3500})
    server.script = Steps(full, full, full)
    await run(make_ollama(num_ctx=8192))
    provider = make_ollama(num_ctx=4096)
    await run(provider)
    await run(provider)
    assert caplog.text.count("The context of 4096 tokens is too small") == 1


async def test_a_level_that_an_ollama_model_does_not_know(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """It thinks as hard as it does."""
    level = Failure(
        status=400, message='think value "low" is not supported for this model'
    )
    words = Answer(blocks=[Text(text="Yes.")])
    server.script = Steps(level, words, words)
    provider = make_ollama(think="low")
    for _ in range(2):
        assert text_of(await run(provider)) == "Yes."
    assert [body["think"] for body in server.rounds] == ["low", True, True]


async def test_a_model_that_refuses_everything_is_asked_no_further(
    api: FakeMessagesApi, make: MakeProvider
) -> None:
    """It ends, and as the fault that it is."""
    api.can = Abilities(thinking=frozenset(), effort=False)
    assert (await fail(make(think=Think.LOW))).kind is ErrorKind.REJECTED
    assert len(api.rounds) == 3
