"""One round of each vendor as it was looked at and kept: `golden/*.json`.

It is the second of a turn: instructions, tools, words, a call and what came of it.
"""

import json
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    SystemBlock,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.turn import ToolOutcome, ToolRequest
from tests.fakes.chat_completions_api import KEY as CHAT_KEY
from tests.fakes.messages_api import KEY
from tests.fakes.messages_script import Answer, Text

from .contract import VENDORS
from .rounds import request, run, spec, text_of

GOLDEN: Final = Path(__file__).parent / "golden"
# What a vendor's requests carry beside their body; None is what must not be there.
HEADERS: Final[dict[str, dict[str, str | None]]] = {
    "anthropic": {"x-api-key": KEY, "anthropic-version": "2023-06-01"},
    "openai_compatible": {"authorization": f"Bearer {CHAT_KEY}"},
    "ollama": {"authorization": None},
}
ROUND: Final = request(
    UserMessage(text="Turn on the kitchen light"),
    AssistantMessage(
        text="One moment.",
        requests=(
            ToolRequest(
                id="call_1", name="call_service", arguments={"entity_id": "light.a"}
            ),
        ),
    ),
    ToolResultMessage(
        outcome=ToolOutcome(
            request_id="call_1", tool="call_service", data={"state": "on"}
        )
    ),
    system=(
        SystemBlock(text="You are CAESAR."),
        SystemBlock(text="The house has two floors."),
        SystemBlock(text="You are in the kitchen.", stable=False),
    ),
    tools=(
        spec("list_areas", type="object"),
        spec("call_service"),
        spec(
            "script.größe",
            type="object",
            properties={
                "size": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
                "name": {"type": "string", "pattern": "[a-z]+"},
            },
            required=["size"],
            anyOf=[{"required": ["size"]}],
        ),
    ),
)


@pytest.mark.parametrize("name", VENDORS)
async def test_a_round_is_the_one_that_was_kept(
    name: str, http: httpx.AsyncClient, socket_enabled: None
) -> None:
    """Whatever changes in a request is seen here, and decided upon."""
    vendor: Any = VENDORS[name]()
    async with vendor.api:
        vendor.answers(Answer(blocks=[Text(text="It is on.")]))
        provider = vendor.provider(http)
        assert text_of(await run(provider, ROUND)) == "It is on."
        await provider.close()
        (sent,) = vendor.api.requests
    kept = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    assert sent.body == json.loads(kept)
    for header, value in HEADERS[name].items():
        assert sent.headers.get(header) == value
