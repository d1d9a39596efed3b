"""What a model at Ollama says: text, thinking, calls, reasons to stop."""

import asyncio
from contextlib import aclosing
import json
from typing import Any

import pytest

from custom_components.caesar.brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolChoice,
    Usage,
)
from tests.fakes.messages_script import (
    Answer,
    Block,
    Failure,
    Other,
    Steps,
    Text,
    ToolUse,
)
from tests.fakes.ollama_api import FakeOllama
from tests.fakes.ollama_rules import Model

from .conftest import MakeOllama
from .rounds import calls_of, fail, request, run, spec, text_of


def thought(events: list[ProviderEvent]) -> str:
    """Return the thinking that came."""
    return "".join(event.text for event in events if isinstance(event, ThinkingDelta))


def line(done: bool = False, **message: Any) -> bytes:
    """Return a line of an answer."""
    spoken = {"role": "assistant", "content": "", **message}
    return json.dumps({"model": "m", "message": spoken, "done": done}).encode()


async def test_text_comes_in_pieces(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """Each piece is passed on as it arrives; the end holds the tokens."""
    usage = {"prompt_eval_count": 7, "eval_count": 11}
    server.script = Steps(Answer(blocks=[Text(text="Good evening, all.")], usage=usage))
    assert await run(make_ollama()) == [
        TextDelta(text="Good "),
        TextDelta(text="evening, "),
        TextDelta(text="all."),
        Completed(
            stop=StopReason.END,
            usage=Usage(input_tokens=7, output_tokens=11),
            model="qwen3:8b",
        ),
    ]


async def test_text_is_passed_on_before_the_answer_ends(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """The first words are there while the model still writes."""
    gate = asyncio.Event()
    answer = Answer(blocks=[Text(text="Good evening")], gate=gate, gate_at=1)
    server.script = Steps(answer)
    async with aclosing(make_ollama().stream(request())) as events:
        assert await anext(events) == TextDelta(text="Good ")
        gate.set()
        assert [event async for event in events][0] == TextDelta(text="evening")


async def test_calls_keep_their_order_and_get_ids(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """Parallel calls come in order under their own names, each with its own id."""
    blocks: list[Block] = [
        Text(text="One moment."),
        ToolUse(name="get_state", input={"entity_id": ["x.y"]}),
        ToolUse(name="get_state", input={"entity_id": ["x.y"]}),
        ToolUse(name="light_turn_on_4e1cb3c2"),
        ToolUse(name="invented", input={"a": 1}),
    ]
    server.script = Steps(Answer(blocks=blocks))
    tools = (spec("get_state"), spec("light.turn_on"))
    provider = make_ollama()
    events = await run(provider, request(tools=tools))
    sent = server.rounds[0]["tools"]
    names = [tool["function"]["name"] for tool in sent]
    made = calls_of(events)
    assert [(call.name, call.arguments) for call in made] == [
        ("get_state", {"entity_id": ["x.y"]}),
        ("get_state", {"entity_id": ["x.y"]}),
        ("light_turn_on_4e1cb3c2", {}),
        ("invented", {"a": 1}),
    ]
    assert len({call.id for call in made}) == 4
    assert text_of(events) == "One moment."
    last = events[-1]
    assert isinstance(last, Completed)
    assert last.stop is StopReason.TOOL_USE

    (wire,) = [name for name in names if name != "get_state"]
    server.script = Steps(Answer(blocks=[ToolUse(name=wire)]))
    (call,) = calls_of(await run(provider, request(tools=tools)))
    assert call.name == "light.turn_on"


async def test_calls_in_one_line_without_ids(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """Older servers send all calls at once, with no ids, and no reason to stop."""
    functions: list[Any] = [
        {"function": {"name": n, "arguments": {}}} for n in ("a", "b")
    ]
    server.script = Steps(Answer())
    server.lines = [line(tool_calls=functions), line(done=True)]
    events = await run(make_ollama())
    assert [call.name for call in calls_of(events)] == ["a", "b"]
    assert events[-1] == Completed(stop=StopReason.TOOL_USE, model="m")


@pytest.mark.parametrize(
    ("reason", "stop"), [("stop", StopReason.END), ("length", StopReason.MAX_TOKENS)]
)
async def test_reasons_to_stop(
    server: FakeOllama, make_ollama: MakeOllama, reason: str, stop: StopReason
) -> None:
    """A cut at the limit is told from an end."""
    server.script = Steps(Answer(blocks=[Text(text="Well")], stop=reason))
    last = (await run(make_ollama()))[-1]
    assert isinstance(last, Completed)
    assert last.stop is stop


async def test_unknown_reason_to_stop(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A model that was only loaded has answered nothing."""
    server.script = Steps(Answer(stop="load"))
    assert (await fail(make_ollama())).kind is ErrorKind.REJECTED


async def test_empty_answer(server: FakeOllama, make_ollama: MakeOllama) -> None:
    """An answer without words is an end, for which the edge has words."""
    server.script = Steps(Answer())
    (last,) = await run(make_ollama())
    assert isinstance(last, Completed)
    assert last.stop is StopReason.END


async def test_nothing_after_the_end_counts(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """What a server writes after its last line is not part of the answer."""
    late = [{"function": {"name": "late", "arguments": {}}}]
    server.script = Steps(Answer())
    server.lines = [line(content="Hi"), line(done=True), line(tool_calls=late)]
    events = await run(make_ollama())
    assert text_of(events) == "Hi"
    assert calls_of(events) == []


async def test_thinking_is_no_text(server: FakeOllama, make_ollama: MakeOllama) -> None:
    """Thinking in its own field stays thinking."""
    thinking = Other(block={"thinking": "Lamp or light?"})
    server.script = Steps(Answer(blocks=[thinking, Text(text="Done.")]))
    events = await run(make_ollama(think=True))
    assert (thought(events), text_of(events)) == ("Lamp or light?", "Done.")


@pytest.mark.parametrize(
    "text",
    ["<think>Lamp or light? </think>Done.", "<think>Lamp or light? </think>\n\nDone."],
)
async def test_thinking_between_tags_is_no_text(
    server: FakeOllama, make_ollama: MakeOllama, text: str
) -> None:
    """Nor does thinking that an old server leaves in the text become words."""
    blocks = [Other(block={"content": sign}) for sign in text]
    server.script = Steps(Answer(blocks=blocks))
    events = await run(make_ollama())
    assert (thought(events), text_of(events)) == ("Lamp or light? ", "Done.")


async def test_thinking_that_never_began(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """Where a template opens the thinking, it is known from the second round on."""
    answer = Answer(blocks=[Text(text="Lamp or light?</think>Done.")])
    server.script = Steps(answer, answer)
    provider = make_ollama()
    assert "</think>" not in text_of(await run(provider))
    events = await run(provider)
    assert (thought(events), text_of(events)) == ("Lamp or light?", "Done.")


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "lock.unlock", "arguments": {"entity_id": "lock.door"}}',
        '{"name": "lock.unlock", "parameters": {}}',
        '<tool_call>\n{"name": "lock.unlock", "arguments": {}}\n</tool_call>',
        '```json\n{"name": "lock.unlock", "arguments": {}}\n```',
        '[TOOL_CALLS][{"name": "lock.unlock", "arguments": {}}]',
        '<|python_tag|>{"name": "lock.unlock", "parameters": {}}',
    ],
)
async def test_a_printed_call_is_not_carried_out(
    server: FakeOllama, make_ollama: MakeOllama, text: str
) -> None:
    """It fails the round: nobody hears JSON or believes that the door is open."""
    server.script = Steps(Answer(blocks=[Text(text=text)]))
    seen: list[ProviderEvent] = []
    error = await fail(make_ollama(), seen)
    assert error.kind is ErrorKind.CUT
    assert "wrote a call" in str(error)
    assert seen == []


@pytest.mark.parametrize("text", ["[Kitchen](/lovelace/kitchen) it is.", '{"a": 1}'])
async def test_other_odd_beginnings_are_text(
    server: FakeOllama, make_ollama: MakeOllama, text: str
) -> None:
    """A link or some JSON is an answer."""
    server.script = Steps(Answer(blocks=[Text(text=text)]))
    assert text_of(await run(make_ollama())) == text


async def test_model_without_tools_says_so(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """Refused for its tools, a round is sent once more; the person hears of it."""
    server.model = Model(name="gemma:2b", tools=False)
    server.script = Steps(*[Answer(blocks=[Text(text="Hello.")])] * 2)
    provider = make_ollama()
    round_ = request(tools=(spec("get_state"),))
    assert text_of(await run(provider, round_)) == "I can't act (en).\n\nHello."
    first, second = server.rounds
    assert first["tools"]
    assert not second["tools"]
    assert "You have no tools" in second["messages"][0]["content"]
    # Without tools to offer there is nothing to say.
    assert text_of(await run(provider)) == "Hello."
    assert "You have no tools" not in server.rounds[2]["messages"][0]["content"]


async def test_model_without_tools_calls_none(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A call after all fails the round: the person was told that there is none."""
    server.model = Model(tools=False)
    server.script = Steps(Answer(blocks=[ToolUse(name="get_state")]))
    seen: list[ProviderEvent] = []
    with pytest.raises(ProviderError) as raised:
        await run(make_ollama(), request(tools=(spec("get_state"),)), seen)
    assert raised.value.kind is ErrorKind.REJECTED
    assert calls_of(seen) == []


async def test_model_that_cannot_think(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """It is asked once more without, and from then on without."""
    server.model = Model(tools=False, thinking=False)
    server.script = Steps(*[Answer(blocks=[Text(text="Hello.")])] * 2)
    provider = make_ollama(think=True)
    round_ = request(tools=(spec("get_state"),))
    assert text_of(await run(provider, round_)) == "I can't act (en).\n\nHello."
    await run(provider)
    thinks = [body.get("think") for body in server.rounds]
    assert thinks == [True, True, None, None]


async def test_a_refusal_that_stays_ends_the_round(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """A server that refuses tools which it wasn't sent is asked no third time."""
    server.model = Model(tools=False)
    refused = Failure(status=400, message="gemma does not support tools")
    server.script = Steps(refused, refused, Answer(blocks=[Text(text="Hello.")]))
    round_ = request(tools=(spec("get_state"),), tool_choice=ToolChoice.NONE)
    with pytest.raises(ProviderError) as raised:
        await run(make_ollama(), round_)
    assert raised.value.param == "tools"
    assert len(server.rounds) == 1


async def test_a_server_that_counts_nothing(
    server: FakeOllama, make_ollama: MakeOllama
) -> None:
    """Without counts a round still has an end."""
    usage = {"prompt_eval_count": None, "eval_count": None}
    server.script = Steps(Answer(usage=usage))
    last = (await run(make_ollama()))[-1]
    assert isinstance(last, Completed)
    assert last.usage == Usage()
