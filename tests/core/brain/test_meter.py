"""What a round cost, reported or estimated."""

import pytest

from custom_components.caesar.brain.meter import Unmetered, metered, total
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    CompletionRequest,
    Message,
    SystemBlock,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import ToolError, ToolOutcome, ToolRequest, Turn


def request(*messages: Message, system: str = "", tools: int = 0) -> CompletionRequest:
    """Return a round's request."""
    caller = Caller(origin=Origin.CHAT, agent_id="a", context_id="c")
    spec = ToolSpec(name="n" * 4, title="", description="d" * 8, input_schema={})
    return CompletionRequest(
        system=(SystemBlock(text=system),),
        messages=messages,
        tools=(spec,) * tools,
        turn=Turn(decision_id="d", caller=caller, language="en", deadline=1),
    )


def test_all_kinds_of_tokens_count() -> None:
    """Those of the cache too."""
    usage = Usage(
        input_tokens=1, output_tokens=10, cache_read_tokens=100, cache_write_tokens=1000
    )
    assert total(usage) == 1111
    assert metered(usage, request(UserMessage(text="x" * 400)), "y") is usage


@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        (request(UserMessage(text="12345678")), "1234", (2, 1)),
        (request(UserMessage(text="123456789")), "12345", (3, 2)),
        (request(UserMessage(text=""), system="x" * 40), "", (10, 0)),
        # Name, description and the schema's two braces.
        (request(tools=2), "", (7, 0)),
        (
            request(
                AssistantMessage(
                    text="12",
                    requests=(ToolRequest(id="1", name="t", arguments={"a": 1}),),
                ),
                ToolResultMessage(
                    outcome=ToolOutcome(request_id="1", tool="t", data="123456")
                ),
                ToolResultMessage(
                    outcome=ToolOutcome(
                        request_id="2",
                        tool="t",
                        error=ToolError(code=Code.TIMEOUT, message="1234"),
                    )
                ),
            ),
            "",
            # 2 + len('{"a":1}') + len('"123456"') + len('null') + 4
            (7, 0),
        ),
    ],
)
def test_a_server_that_reports_nothing_is_estimated(
    asked: CompletionRequest, answer: str, expected: tuple[int, int]
) -> None:
    """A token for each four characters begun, of all that went there and back."""
    usage = metered(Usage(), asked, answer)
    assert (usage.input_tokens, usage.output_tokens) == expected


async def test_a_house_that_counts_nothing_has_room() -> None:
    """Always."""
    meter = Unmetered()
    room = await meter.room("a")
    assert room is not None
    meter.spend("a", Usage(input_tokens=10**9), room)
    assert await meter.room("a") == room
