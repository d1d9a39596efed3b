"""One suite for all providers: the same rounds, the same faults, the same outcomes."""

import asyncio
from collections.abc import AsyncIterator
import logging
from typing import Any

import httpx
import pytest

from custom_components.caesar.brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    ProviderEvent,
    StopReason,
    TextDelta,
    ToolChoice,
    Usage,
    UserMessage,
)
from tests.fakes.messages_script import Answer, Block, Failure, Text, ToolUse

from .contract import VENDORS, Vendor, odd_talks, odd_tools
from .rounds import calls_of, fail, request, run, spec, text_of

REFUSING = [one.name for one in VENDORS.values() if one.refused is not None]
RUNNING_TOOLS = [one.name for one in VENDORS.values() if one.foreign is not None]
# Models on one's own server: thinking and calls may come as text.
OWN_SERVERS = ["openai_compatible", "ollama"]
# What each vendor's model may refuse at first.
LEARNING = {"anthropic": "thinking", "openai_compatible": "temperature"}
# What a round's tokens are called, in and out, by any vendor.
COUNTS = (
    *("input_tokens", "prompt_tokens", "prompt_eval_count"),
    *("output_tokens", "completion_tokens", "eval_count"),
)


@pytest.fixture(params=list(VENDORS))
async def vendor(
    request: pytest.FixtureRequest, socket_enabled: None
) -> AsyncIterator[Vendor[Any]]:
    """Run each vendor's fake server in turn."""
    one = VENDORS[request.param]()
    async with one.api:
        yield one
        await one.close()


async def test_words_come_in_pieces(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """Text arrives as it is written; the end comes last and says so."""
    vendor.answers(Answer(blocks=[Text(text="Good evening, all.")]))
    events = await run(vendor.provider(http))
    assert len([e for e in events if isinstance(e, TextDelta)]) > 1
    assert text_of(events) == "Good evening, all."
    assert isinstance(events[-1], Completed)
    assert events[-1].stop is StopReason.END
    assert events[-1].usage.input_tokens > 0


async def test_parallel_calls_are_whole_and_in_order(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """Two calls at once keep their order and their arguments, and can be told apart."""
    vendor.answers(
        Answer(
            blocks=[
                ToolUse(name="get_state", input={"entity_id": "light.a", "n": [1, 2]}),
                ToolUse(name="list_areas"),
            ]
        )
    )
    tools = (spec("get_state"), spec("list_areas"))
    events = await run(vendor.provider(http), request(tools=tools))
    first, second = calls_of(events)
    assert (first.name, first.arguments) == (
        "get_state",
        {"entity_id": "light.a", "n": [1, 2]},
    )
    assert (second.name, second.arguments) == ("list_areas", {})
    assert len({first.id, second.id, ""}) == 3
    assert isinstance(events[-1], Completed)
    assert events[-1].stop is StopReason.TOOL_USE


async def test_arguments_survive_the_way(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """However they are cut to pieces: letters of all writings, quotes, numbers, depth."""
    odd: dict[str, Any] = {
        "text": 'Grüße, "добро"\\n\n\t 🔒 \u2028 ' * 40,
        "numbers": [0, -1, 1.5, 1e300, 2**53],
        "deep": {"a": [{"b": [None, True, {}]}]},
        "": "",
    }
    vendor.answers(Answer(blocks=[ToolUse(name="get_state", input=odd)]))
    events = await run(vendor.provider(http), request(tools=(spec("get_state"),)))
    assert [call.arguments for call in calls_of(events)] == [odd]


@pytest.mark.parametrize(
    "raw", ['{"entity_id": ["light.a"', "[1]", '{"a": NaN}', "lamp"]
)
async def test_malformed_arguments_are_none(
    vendor: Vendor[Any], http: httpx.AsyncClient, raw: str
) -> None:
    """The model is told so by the gate, or its server ends the round; none are made up."""
    vendor.answers(Answer(blocks=[ToolUse(name="get_state", raw=raw)]))
    round_ = request(tools=(spec("get_state"),))
    if vendor.name == "ollama":
        # It reads its model's calls itself, and ends the answer.
        seen: list[ProviderEvent] = []
        assert (await fail(vendor.provider(http), seen, round_)).kind is ErrorKind.CUT
        assert calls_of(seen) == []
        return
    calls = calls_of(await run(vendor.provider(http), round_))
    assert [(one.arguments, one.raw) for one in calls] == [(None, raw)]


async def test_invented_tools_keep_their_name(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """A tool that doesn't exist reaches the gate by its name, and is refused there."""
    vendor.answers(Answer(blocks=[ToolUse(name="unlock_everything")]))
    events = await run(vendor.provider(http), request(tools=(spec("get_state"),)))
    assert [call.name for call in calls_of(events)] == ["unlock_everything"]


@pytest.mark.parametrize("abrupt", [False, True])
async def test_cut_anywhere_nothing_runs(
    vendor: Vendor[Any], http: httpx.AsyncClient, abrupt: bool
) -> None:
    """However early an answer stops, the round fails and has no end."""
    answer = Answer(blocks=[Text(text="Hi"), ToolUse(name="get_state", raw="{}")])
    for count in range(5):
        cut = Answer(blocks=answer.blocks, cut_after=count, abrupt=abrupt)
        vendor.answers(cut)
        seen: list[ProviderEvent] = []
        assert (await fail(vendor.provider(http), seen)).kind is ErrorKind.CUT
        assert not [event for event in seen if isinstance(event, Completed)]


@pytest.mark.parametrize(
    "blocks",
    [[Text(text=("x" * 20_000 + " ") * 60)], [ToolUse(name="get_state")] * 70],
    ids=["text", "calls"],
)
async def test_endless_answer(
    vendor: Vendor[Any], http: httpx.AsyncClient, blocks: list[Block]
) -> None:
    """A server that never stops fills neither the memory nor the trail."""
    vendor.answers(Answer(blocks=blocks))
    seen: list[ProviderEvent] = []
    error = await fail(vendor.provider(http), seen)
    assert (error.kind, str(error)) == (ErrorKind.CUT, "The answer is endless")
    assert not [event for event in seen if isinstance(event, Completed)]


@pytest.mark.parametrize(
    ("count", "counted"), [(-5, 0), (10**30, 1_000_000_000), (12, 12)]
)
async def test_counts_are_those_of_a_server_that_may_lie(
    vendor: Vendor[Any], http: httpx.AsyncClient, count: int, counted: int
) -> None:
    """No claim makes a day's sum senseless, or one that no file can keep."""
    vendor.answers(Answer(usage=dict.fromkeys(COUNTS, count)))
    *_, end = await run(vendor.provider(http))
    assert isinstance(end, Completed)
    assert end.usage == Usage(input_tokens=counted, output_tokens=counted)


async def test_empty_answer(vendor: Vendor[Any], http: httpx.AsyncClient) -> None:
    """An answer with nothing in it ends like any other; the loop finds the words."""
    vendor.answers(Answer())
    events = await run(vendor.provider(http))
    assert (text_of(events), calls_of(events)) == ("", [])
    assert isinstance(events[-1], Completed)


@pytest.mark.parametrize("vendor", REFUSING, indirect=True)
async def test_refused_answer(vendor: Vendor[Any], http: httpx.AsyncClient) -> None:
    """A refusal is one, whatever was said before it."""
    vendor.answers(Answer(blocks=[Text(text="I")], stop=vendor.refused))
    *_, end = await run(vendor.provider(http))
    assert isinstance(end, Completed)
    assert end.stop is StopReason.REFUSAL


async def test_unknown_reason_to_stop(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """A reason that nobody knows isn't taken for a success."""
    vendor.answers(Answer(blocks=[ToolUse(name="get_state")], stop="quantum"))
    assert (await fail(vendor.provider(http))).kind is ErrorKind.REJECTED


@pytest.mark.parametrize("vendor", LEARNING, indirect=True)
async def test_two_first_rounds_at_once_learn_the_same(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """A model may be asked twice before it has said what it doesn't take."""
    refused = Failure(status=400, message=LEARNING[vendor.name])
    vendor.answers(refused, refused, Answer(), Answer())
    provider = vendor.provider(http)
    await asyncio.gather(run(provider), run(provider))
    first, second, *later = vendor.api.rounds
    assert first == second
    assert len(later) == 2
    assert first != later[0] == later[1]


@pytest.mark.parametrize("vendor", RUNNING_TOOLS, indirect=True)
async def test_tools_at_the_vendor(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """What passed no gate fails the round."""
    assert vendor.foreign is not None
    vendor.answers(Answer(blocks=[vendor.foreign, ToolUse(name="get_state")]))
    seen: list[ProviderEvent] = []
    assert (await fail(vendor.provider(http), seen)).kind is ErrorKind.REJECTED
    assert calls_of(seen) == []


@pytest.mark.parametrize("vendor", OWN_SERVERS, indirect=True)
async def test_thinking_in_the_text(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """What stands between a model's thinking tags is told to nobody."""
    vendor.answers(Answer(blocks=[Text(text="<think>A lamp, so. </think> It is on.")]))
    events = await run(vendor.provider(http))
    assert text_of(events) == "It is on."
    assert isinstance(events[-1], Completed)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "get_state", "arguments": {}}</tool_call>',
        '{"name": "get_state", "arguments": {"entity_id": "lock.door"}}',
        '```json\n{"name": "get_state", "parameters": {}}\n```',
        '[TOOL_CALLS][{"name": "get_state", "arguments": {}}]',
    ],
)
async def test_calls_written_as_text(
    vendor: Vendor[Any], http: httpx.AsyncClient, text: str
) -> None:
    """A call that was only written isn't run, isn't read out, and is a failure."""
    vendor.answers(Answer(blocks=[Text(text=text)]))
    seen: list[ProviderEvent] = []
    provider = vendor.provider(http)
    with pytest.raises(ProviderError) as raised:
        await run(provider, request(tools=(spec("get_state"),)), seen)
    assert raised.value.kind is ErrorKind.CUT
    assert (text_of(seen), calls_of(seen)) == ("", [])


@pytest.mark.parametrize(
    ("failure", "kinds"),
    [
        (Failure(status=400), {ErrorKind.REJECTED}),
        (Failure(status=401), {ErrorKind.AUTH}),
        (Failure(status=402), {ErrorKind.QUOTA}),
        (Failure(status=403), {ErrorKind.AUTH}),
        (Failure(status=404), {ErrorKind.REJECTED}),
        (Failure(status=408), {ErrorKind.TIMEOUT}),
        (Failure(status=413), {ErrorKind.REJECTED}),
        (Failure(status=422), {ErrorKind.REJECTED}),
        (Failure(status=429), {ErrorKind.RATE}),
        (Failure(status=500), {ErrorKind.UNAVAILABLE}),
        (Failure(status=502), {ErrorKind.UNAVAILABLE}),
        (Failure(status=503), {ErrorKind.UNAVAILABLE, ErrorKind.OVERLOADED}),
        (Failure(status=504), {ErrorKind.TIMEOUT}),
        (Failure(status=529), {ErrorKind.UNAVAILABLE, ErrorKind.OVERLOADED}),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Failure) else "",
)
async def test_error_answers(
    vendor: Vendor[Any],
    http: httpx.AsyncClient,
    failure: Failure,
    kinds: set[ErrorKind],
) -> None:
    """Each status means the same from every vendor; nothing is sent twice."""
    vendor.answers(failure, Answer())
    assert (await fail(vendor.provider(http))).kind in kinds
    assert len(vendor.api.rounds) == 1


@pytest.mark.parametrize("vendor", OWN_SERVERS, indirect=True)
async def test_a_server_cannot_write_lines_into_the_log(
    vendor: Vendor[Any], http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    """What it refuses a request with is in the log, and stays in one line."""
    vendor.answers(Failure(status=400, message="no\n2026-01-01 ERROR all lost"))
    await fail(vendor.provider(http))
    assert "no 2026-01-01 ERROR all lost" in caplog.text


@pytest.mark.parametrize("at", [0, 2])
@pytest.mark.parametrize("limit", ["silence_s", "total_s"])
async def test_slow_answers_time_out(
    vendor: Vendor[Any], http: httpx.AsyncClient, at: int, limit: str
) -> None:
    """Too long a wait for the first piece or the next one ends the round."""
    gate = asyncio.Event()
    text = Text(text="Good evening to all of you")
    vendor.answers(Answer(blocks=[text], gate=gate, gate_at=at))
    kind = (await fail(vendor.provider(http, **{limit: 0.1}))).kind
    gate.set()
    assert kind is ErrorKind.TIMEOUT


async def test_nobody_listens(vendor: Vendor[Any], http: httpx.AsyncClient) -> None:
    """A server that is down is no fault of the request."""
    provider = vendor.provider(http)
    await vendor.api.close()
    assert (await fail(provider)).kind is ErrorKind.UNAVAILABLE
    with pytest.raises(ProviderError) as raised:
        await provider.check()
    assert raised.value.kind is ErrorKind.UNAVAILABLE


async def test_closed_provider_sends_nothing(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """After close nothing is sent; the HTTP client that others use lives on."""
    provider = vendor.provider(http)
    await provider.close()
    assert (await fail(provider)).kind is ErrorKind.UNAVAILABLE
    assert vendor.api.requests == []
    assert not http.is_closed


async def test_five_hundred_odd_tools(
    vendor: Vendor[Any], http: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever tools a house brings, the server takes the round and has the good one."""
    odd = odd_tools(500)
    vendor.answers(*[Answer(blocks=[Text(text="Hello.")])] * 8)
    provider = vendor.provider(http)
    # Each handful, so that a limit on their number hides no bad one.
    for start in range(0, 500, 100):
        round_ = request(tools=(spec("good"), *odd[start : start + 100]))
        assert text_of(await run(provider, round_)) == "Hello."
    with caplog.at_level(logging.WARNING):
        await run(provider, request(tools=(spec("good"), *odd)))
    assert all("good" in vendor.tools(body) for body in vendor.api.rounds)
    counts = [len(vendor.tools(body)) for body in vendor.api.rounds]
    assert all(count > 20 for count in counts)


@pytest.mark.parametrize("bad", list(odd_tools(24, seed=7)))
async def test_one_odd_tool_never_costs_the_turn(
    vendor: Vendor[Any], http: httpx.AsyncClient, bad: Any
) -> None:
    """Sent or left out: beside a good tool, no odd one fails the round."""
    vendor.answers(Answer(blocks=[ToolUse(name="good")]))
    events = await run(vendor.provider(http), request(tools=(bad, spec("good"))))
    assert [call.name for call in calls_of(events)] == ["good"]


async def test_odd_talks_are_mended(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """A history that was cut or is another brain's doesn't fail each later round."""
    provider = vendor.provider(http)
    tools = (spec("get_state"),)
    for messages in odd_talks(150):
        vendor.answers(Answer(blocks=[Text(text="Fine.")]))
        choice = ToolChoice.NONE if len(messages) % 2 else ToolChoice.AUTO
        round_ = request(*messages, tools=tools, tool_choice=choice)
        assert text_of(await run(provider, round_)) == "Fine."


async def test_a_turn_given_up_lets_go(
    vendor: Vendor[Any], http: httpx.AsyncClient
) -> None:
    """A cancelled turn leaves no open answer behind, and the next one works."""
    gate = asyncio.Event()
    vendor.answers(
        Answer(blocks=[Text(text="Good evening")], gate=gate, gate_at=2),
        Answer(blocks=[Text(text="Hello")]),
    )
    provider = vendor.provider(http)
    task = asyncio.create_task(run(provider))
    while not vendor.api.rounds:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.set()
    assert text_of(await run(provider, request(UserMessage(text="Hi")))) == "Hello"
